import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Asks HDFS small things beside a benchmark: probes say how long it does not answer, and clients write files and
 * say what was asked and what was acknowledged. With the end of its input it reads back all that they wrote,
 * removes it, and ends.
 *
 * <p>Arguments: a directory of its own, how many clients, milliseconds between a probe's questions. Every line
 * of its output is of words between tabs; the first says what it is about.
 */
public final class HdfsBeside {
  private static volatile boolean over;

  private HdfsBeside() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = new Path(arguments[0]);
    int clients = Integer.parseInt(arguments[1]);
    long every = Long.parseLong(arguments[2]);
    var conf = new Configuration();
    var threads = new ArrayList<Thread>();
    try (FileSystem files = FileSystem.newInstance(conf)) {
      files.mkdirs(new Path(directory, "clients"));
      HdfsProbe.prepare(files, directory);
    }
    for (String operation : HdfsProbe.OPERATIONS) {
      threads.add(begin(new HdfsProbe(conf, directory, operation, every)));
    }
    for (int client = 0; client < clients; client++) {
      threads.add(begin(new HdfsClient(conf, new Path(directory, "clients/" + client), client)));
    }
    say("begun");
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (in.readLine() != null) {}
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
    try (FileSystem files = FileSystem.newInstance(conf)) {
      // A NameNode that was paused while the other became active still answers reads, with what it knew then,
      // until it notices. Whoever writes finds the one that leads, and is answered by that one from then on.
      files.mkdirs(new Path(directory, "read-back"));
      new HdfsReadBack(files).read(new Path(directory, "clients"));
      files.delete(directory, true);
      say("end");
    } catch (IOException error) {
      say("gone", innermost(error));
    }
    System.exit(0);
  }

  private static Thread begin(Runnable work) {
    var thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Whether nothing more is to be asked. */
  static boolean isOver() {
    return over;
  }

  static synchronized void say(Object... words) {
    var line = new StringBuilder();
    for (Object word : words) {
      line.append(line.isEmpty() ? "" : "\t").append(word);
    }
    System.out.println(line);
    System.out.flush();
  }

  /** The simple name of what went wrong first. */
  static String innermost(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String name = cause.getClass().getSimpleName();
    return cause instanceof IOException && name.equals("RemoteException")
        ? String.valueOf(cause.getMessage()).lines().findFirst().orElse(name).replace('\t', ' ')
        : name;
  }

  static void pause(long milliseconds) {
    try {
      Thread.sleep(Math.max(0, milliseconds));
    } catch (InterruptedException error) {
      over = true;
    }
  }
}

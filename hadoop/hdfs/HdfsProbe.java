import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Asks one small thing again and again, as any client would: with the client's own time-outs and retries, so that
 * what it waits is what clients wait.
 */
final class HdfsProbe implements Runnable {
  static final String[] OPERATIONS = {"stat", "read", "write"};
  private static final byte[] CONTENT = new byte[64];

  private final Configuration conf;
  private final Path known;
  private final Path own;
  private final String operation;
  private final long every;

  HdfsProbe(Configuration conf, Path directory, String operation, long every) {
    this.conf = conf;
    this.known = new Path(directory, "known");
    this.own = new Path(directory, "probe");
    this.operation = operation;
    this.every = every;
  }

  /** Makes the file that is asked for and read. */
  static void prepare(FileSystem files, Path directory) throws IOException {
    try (FSDataOutputStream out = files.create(new Path(directory, "known"), true)) {
      out.write(CONTENT);
    }
  }

  @Override
  public void run() {
    try (FileSystem files = FileSystem.newInstance(conf)) {
      long due = System.currentTimeMillis();
      while (!HdfsBeside.isOver()) {
        long asked = System.currentTimeMillis();
        long begun = System.nanoTime();
        String said = "OK";
        try {
          ask(files);
        } catch (IOException | RuntimeException error) {
          said = HdfsBeside.innermost(error);
        }
        HdfsBeside.say("probe", operation, asked, (System.nanoTime() - begun) / 1000, said);
        // One that took longer does not make up for those it had no time for.
        due = Math.max(due + every, System.currentTimeMillis());
        HdfsBeside.pause(due - System.currentTimeMillis());
      }
    } catch (IOException error) {
      HdfsBeside.say("failed", operation, HdfsBeside.innermost(error));
    }
  }

  private void ask(FileSystem files) throws IOException {
    switch (operation) {
      case "stat" -> files.getFileStatus(known);
      case "read" -> {
        try (FSDataInputStream in = files.open(known)) {
          in.readFully(new byte[CONTENT.length]);
        }
      }
      default -> {
        try (FSDataOutputStream out = files.create(own, true)) {
          out.write(CONTENT);
          out.hsync();
        }
      }
    }
  }
}

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One client of the ledger: makes files of numbered records, appends, renames and deletes some, one thing after
 * the other, and says of each that it is asked before, and that it was acknowledged or failed after.
 *
 * <p>A file with which something failed is left as it is, and what was written to it last may be there or not.
 */
final class HdfsClient implements Runnable {
  /** The length of a record: its number and a line's end. */
  static final int RECORD = 16;

  private static final int RECORDS = 6;
  private static final int MORE = 2;
  private static final long PAUSE_MS = 20;

  private final Configuration conf;
  private final Path directory;
  private final int client;
  private long asked;
  private long record;

  HdfsClient(Configuration conf, Path directory, int client) {
    this.conf = conf;
    this.directory = directory;
    this.client = client;
  }

  /** Something that may fail. */
  private interface Deed {
    void run() throws IOException;
  }

  @Override
  public void run() {
    try (FileSystem files = FileSystem.newInstance(conf)) {
      for (int number = 0; !HdfsBeside.isOver(); number++) {
        try {
          workOn(files, number);
        } catch (IOException | RuntimeException error) {
          HdfsBeside.pause(PAUSE_MS);
        }
      }
    } catch (IOException error) {
      HdfsBeside.say("failed", "client " + client, HdfsBeside.innermost(error));
    }
  }

  private void workOn(FileSystem files, int number) throws IOException {
    Path path = new Path(directory, "f" + number);
    var out = new FSDataOutputStream[1];
    ledger("create", path, "", () -> out[0] = files.create(path, false));
    write(out[0], path, RECORDS);
    ledger("close", path, "", () -> out[0].close());
    if (number % 2 == 1) {
      ledger("append", path, "", () -> out[0] = files.append(path));
      write(out[0], path, MORE);
      ledger("close", path, "", () -> out[0].close());
    }
    Path last = path;
    if (number % 3 == 1) {
      last = new Path(directory, "r" + number);
      Path renamed = last;
      ledger("rename", path, name(renamed), () -> refuse(files.rename(path, renamed)));
    }
    if (number % 4 == 1) {
      Path gone = last;
      ledger("delete", gone, "", () -> refuse(files.delete(gone, false)));
    }
  }

  private void write(FSDataOutputStream out, Path path, int count) throws IOException {
    for (int at = 0; at < count && !HdfsBeside.isOver(); at++) {
      String text = String.format("%0" + (RECORD - 1) + "d\n", ++record);
      boolean sync = at % 2 == 1;
      ledger(
          sync ? "hsync" : "hflush",
          path,
          Long.toString(record),
          () -> {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
            if (sync) {
              out.hsync();
            } else {
              out.hflush();
            }
          });
    }
  }

  private void ledger(String what, Path path, String of, Deed deed) throws IOException {
    long number = ++asked;
    HdfsBeside.say("ask", client, number, System.currentTimeMillis(), what, name(path), of);
    try {
      deed.run();
    } catch (IOException | RuntimeException error) {
      HdfsBeside.say("fail", client, number, System.currentTimeMillis(), HdfsBeside.innermost(error));
      throw error;
    }
    HdfsBeside.say("ack", client, number, System.currentTimeMillis());
    HdfsBeside.pause(PAUSE_MS);
  }

  /** A rename or a delete that says no was not done. */
  private static void refuse(boolean done) throws IOException {
    if (!done) {
      throw new IOException("refused");
    }
  }

  private static String name(Path path) {
    return path.getParent().getName() + "/" + path.getName();
  }
}

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** Reads all that clients wrote, as a client would that comes later, and says what is there. */
final class HdfsReadBack {
  private static final long CLOSED_MS = 120_000;
  private static final long POLL_MS = 500;

  /** DataNodes that were started again may report their blocks as late as this: those are not lost. */
  private static final long REPORTED_MS = 60_000;

  private final FileSystem files;

  HdfsReadBack(FileSystem files) {
    this.files = files;
  }

  void read(Path directory) throws IOException {
    long end = System.currentTimeMillis() + REPORTED_MS;
    for (FileStatus client : files.listStatus(directory)) {
      for (FileStatus file : files.listStatus(client.getPath())) {
        String name = client.getPath().getName() + "/" + file.getPath().getName();
        while (!read(file.getPath(), name, end)) {
          HdfsBeside.pause(POLL_MS);
        }
      }
    }
  }

  /** Returns whether all of a file is read or, after {@code end}, reported as unreadable. */
  private boolean read(Path path, String name, long end) {
    // This line discards what was reported of an earlier attempt.
    HdfsBeside.say("file", name);
    try {
      close(path);
      records(path, name);
    } catch (IOException error) {
      if (System.currentTimeMillis() < end) {
        return false;
      }
      HdfsBeside.say("unread", name, HdfsBeside.innermost(error));
    }
    return true;
  }

  /** A file whose writer was cut off is closed by recovering its lease, and has its length only then. */
  private void close(Path path) throws IOException {
    if (!(files instanceof DistributedFileSystem hdfs)) {
      return;
    }
    long end = System.currentTimeMillis() + CLOSED_MS;
    while (!hdfs.isFileClosed(path) && !hdfs.recoverLease(path)) {
      if (System.currentTimeMillis() > end) {
        throw new FileNotFoundException(path + " is not closed");
      }
      HdfsBeside.pause(POLL_MS);
    }
  }

  private void records(Path path, String name) throws IOException {
    var bytes = new byte[HdfsClient.RECORD];
    try (FSDataInputStream in = files.open(path)) {
      while (true) {
        int first = in.read();
        if (first < 0) {
          return;
        }
        bytes[0] = (byte) first;
        try {
          in.readFully(bytes, 1, bytes.length - 1);
        } catch (EOFException error) {
          HdfsBeside.say("torn", name);
          return;
        }
        HdfsBeside.say("record", name, new String(bytes, StandardCharsets.US_ASCII).trim());
      }
    }
  }
}

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

  private final FileSystem files;

  HdfsReadBack(FileSystem files) {
    this.files = files;
  }

  void read(Path directory) throws IOException {
    for (FileStatus client : files.listStatus(directory)) {
      for (FileStatus file : files.listStatus(client.getPath())) {
        String name = client.getPath().getName() + "/" + file.getPath().getName();
        HdfsBeside.say("file", name);
        try {
          close(file.getPath());
          records(file.getPath(), name);
        } catch (IOException error) {
          HdfsBeside.say("unread", name, HdfsBeside.innermost(error));
        }
      }
    }
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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Asks each region of a table for one small read and one small write ten times a second, with short time-outs
 * and no retries of the client's own, and says of every one when it was asked, how long it took and what came
 * of it.
 *
 * <p>Arguments: the table, the most regions, milliseconds between questions, and of the time-out. Each region
 * has a row of the probe's own, which no other client reads, and its writes are numbered. With the end of its
 * input it reads these rows back, says which acknowledged number is there no more, removes them, and ends.
 */
public final class HBaseProbe {
  /** Ends the key of every probe's row; no key of YCSB's has it. */
  static final String SUFFIX = "\0probe";

  private static final byte[] FAMILY = Bytes.toBytes(HBaseTables.FAMILY);
  private static final byte[] NUMBER = Bytes.toBytes("number");
  private static volatile boolean over;

  private final String name;
  private final byte[] key;
  private final AtomicLong acknowledged = new AtomicLong();

  private HBaseProbe(String name, byte[] start) {
    this.name = name;
    this.key = Bytes.add(start, Bytes.toBytes(SUFFIX));
  }

  public static void main(String[] arguments) throws Exception {
    TableName table = TableName.valueOf(arguments[0]);
    int most = Integer.parseInt(arguments[1]);
    long every = Long.parseLong(arguments[2]);
    var threads = new ArrayList<Thread>();
    var probes = new ArrayList<HBaseProbe>();
    try (Connection connection = ConnectionFactory.createConnection(brief(Integer.parseInt(arguments[3])))) {
      for (HRegionLocation region : regions(connection, table, most)) {
        byte[] start = region.getRegion().getStartKey();
        probes.add(new HBaseProbe(start.length == 0 ? "-" : Bytes.toString(start), start));
      }
      for (HBaseProbe probe : probes) {
        threads.add(probe.asking(connection, table, every, "write"));
        threads.add(probe.asking(connection, table, every, "read"));
      }
      threads.forEach(Thread::start);
      var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (in.readLine() != null) {}
      over = true;
      for (Thread thread : threads) {
        thread.join();
      }
    }
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
        Table rows = connection.getTable(table)) {
      for (HBaseProbe probe : probes) {
        probe.readBack(rows);
      }
    }
    System.exit(0);
  }

  /** A client that gives an answer or an error soon, and tries nothing again behind the probe's back. */
  private static Configuration brief(int timeout) {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hbase.rpc.timeout", timeout);
    conf.setInt("hbase.rpc.read.timeout", timeout);
    conf.setInt("hbase.rpc.write.timeout", timeout);
    conf.setInt("hbase.client.operation.timeout", timeout);
    conf.setInt("hbase.client.meta.operation.timeout", timeout);
    conf.setInt("hbase.ipc.client.socket.timeout.connect", timeout);
    conf.setInt("hbase.ipc.client.failed.servers.expiry", 100);
    conf.setInt("hbase.client.retries.number", 0);
    conf.setInt("hbase.client.pause", 50);
    conf.setInt("zookeeper.recovery.retry", 0);
    return conf;
  }

  private static List<HRegionLocation> regions(Connection connection, TableName table, int most)
      throws IOException {
    try (var locator = connection.getRegionLocator(table)) {
      List<HRegionLocation> all = locator.getAllRegionLocations();
      return all.subList(0, Math.min(most, all.size()));
    }
  }

  private Thread asking(Connection connection, TableName table, long every, String operation) {
    var thread =
        new Thread(
            () -> {
              long due = System.currentTimeMillis();
              for (long number = 1; !over; number++) {
                ask(connection, table, operation, number);
                // One that took longer does not make up for those it had no time for.
                due = Math.max(due + every, System.currentTimeMillis());
                pause(due - System.currentTimeMillis());
              }
            });
    thread.setDaemon(true);
    return thread;
  }

  private void ask(Connection connection, TableName table, String operation, long number) {
    long asked = System.currentTimeMillis();
    long begun = System.nanoTime();
    String said = "OK";
    try (Table rows = connection.getTable(table)) {
      if (operation.equals("read")) {
        rows.get(new Get(key).addColumn(FAMILY, NUMBER));
      } else {
        rows.put(new Put(key).addColumn(FAMILY, NUMBER, Bytes.toBytes(number)));
        acknowledged.set(number);
      }
    } catch (IOException | RuntimeException error) {
      said = innermost(error);
    }
    long took = (System.nanoTime() - begun) / 1000;
    // The name is the last word, for a key may hold anything.
    System.out.println(String.join(" ", operation, "" + asked, "" + took, said, name));
  }

  private void readBack(Table rows) throws IOException {
    Result row = rows.get(new Get(key).addColumn(FAMILY, NUMBER));
    long held = row.isEmpty() ? 0 : Bytes.toLong(row.getValue(FAMILY, NUMBER));
    // One that was not acknowledged may have been done all the same.
    String verdict = held >= acknowledged.get() ? "kept" : "lost";
    System.out.println(String.join(" ", verdict, "" + acknowledged.get(), "" + held, "-", name));
    rows.delete(new Delete(key));
  }

  private static String innermost(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause.getClass().getSimpleName();
  }

  private static void pause(long milliseconds) {
    try {
      Thread.sleep(Math.max(0, milliseconds));
    } catch (InterruptedException error) {
      over = true;
    }
  }

  /** Whether a row is a probe's. */
  static boolean isProbe(byte[] row) {
    byte[] suffix = Bytes.toBytes(SUFFIX);
    return row.length >= suffix.length
        && Arrays.equals(row, row.length - suffix.length, row.length, suffix, 0, suffix.length);
  }
}

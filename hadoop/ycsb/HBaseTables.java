import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.Gson;

/**
 * What howdah asks of HBase beside the operations it times: how the cluster is, and tables of its own.
 *
 * <p>Each line of the standard input is a question, its words separated by blanks; each is answered by one
 * line of JSON on the standard output: {@code {"answer": …}}, or {@code {"error": …}} with the reason. It ends
 * with its input. Tables are howdah's that say so in their descriptor; no other one is ever changed.
 */
public final class HBaseTables {
  static final String FAMILY = "f";
  private static final String MARK = "howdah";
  private static final String NONE = "-";
  private static final Gson GSON = new Gson();
  private static final int THREADS = 4;
  private static final int AT_ONCE = 500;

  private final Connection connection;
  private final Admin admin;

  private HBaseTables(Connection connection) throws IOException {
    this.connection = connection;
    this.admin = connection.getAdmin();
  }

  public static void main(String[] arguments) throws IOException {
    Configuration soon = HBaseConfiguration.create();
    // Whoever asks how the cluster is rather has no answer soon than one after minutes.
    soon.setInt("zookeeper.recovery.retry", 1);
    soon.setInt("hbase.client.retries.number", 4);
    soon.setInt("hbase.client.operation.timeout", 60_000);
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    HBaseTables state = null;
    HBaseTables tables = null;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      var said = new LinkedHashMap<String, Object>();
      try {
        List<String> words = Arrays.asList(line.split(" "));
        if (words.get(0).equals("status")) {
          state = state != null ? state : new HBaseTables(ConnectionFactory.createConnection(soon));
          said.put("answer", state.status());
        } else {
          // A region that is being moved is waited for as long as HBase's own settings have it.
          tables = tables != null ? tables : new HBaseTables(ConnectionFactory.createConnection());
          said.put("answer", tables.answer(words));
        }
      } catch (Exception error) {
        said.put("error", reason(error));
      }
      System.out.println(GSON.toJson(said));
    }
    System.exit(0);
  }

  /** The innermost cause in one line: those around it say that something was tried several times. */
  private static String reason(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String first = String.valueOf(cause.getMessage()).split("\n")[0];
    return cause.getClass().getSimpleName() + ": " + first;
  }

  private Object answer(List<String> words) throws Exception {
    String table = words.size() > 1 ? words.get(1) : "";
    switch (words.get(0)) {
      case "tables":
        return tables();
      case "make":
        return make(table, words.subList(2, words.size()));
      case "remove":
        return remove(table);
      case "count":
        return readBack(table, 0, 0);
      case "verify":
        return readBack(table, Integer.parseInt(words.get(2)), Integer.parseInt(words.get(3)));
      case "balance":
        return admin.balance();
      case "flush":
        admin.flush(own(table));
        return true;
      case "compact":
        return compact(own(table));
      case "unserved":
        return unserved(own(table));
      case "acknowledged":
        try (var rows = connection.getTable(own(table))) {
          return Acknowledged.check(rows, Path.of(words.get(2)));
        }
      default:
        throw new IllegalArgumentException(words.get(0) + " is not a question");
    }
  }

  private Map<String, Object> status() throws IOException {
    ClusterMetrics metrics = admin.getClusterMetrics();
    var servers = new ArrayList<Map<String, Object>>();
    metrics.getLiveServerMetrics().forEach((name, server) -> servers.add(server(name, server)));
    var said = new LinkedHashMap<String, Object>();
    said.put("version", metrics.getHBaseVersion());
    said.put("master", address(metrics.getMasterName(), admin.getMasterInfoPort()));
    said.put("servers", servers);
    said.put("dead", metrics.getDeadServerNames().stream().map(ServerName::toString).toList());
    said.put("in_transition", metrics.getRegionStatesInTransition().size());
    said.put("balancer", admin.isBalancerEnabled());
    return said;
  }

  private static Map<String, Object> address(ServerName name, int infoPort) {
    var said = new LinkedHashMap<String, Object>();
    said.put("host", name.getHostname());
    said.put("port", name.getPort());
    said.put("info_port", infoPort);
    return said;
  }

  private static Map<String, Object> server(ServerName name, ServerMetrics server) {
    Map<String, Object> said = address(name, server.getInfoServerPort());
    said.put("regions", server.getRegionMetrics().size());
    said.put("heap_bytes", (long) server.getMaxHeapSize().get(Size.Unit.BYTE));
    return said;
  }

  /** Every table of howdah's, with what it was made for. */
  private List<Map<String, Object>> tables() throws IOException {
    var said = new ArrayList<Map<String, Object>>();
    for (TableDescriptor table : admin.listTableDescriptors()) {
      String made = table.getValue(MARK);
      if (made != null) {
        said.add(Map.of("name", table.getTableName().getNameAsString(), "made", made));
      }
    }
    return said;
  }

  /** Makes a table: its family, the keys it is split at, and what is said of the family and the table. */
  private boolean make(String name, List<String> given) throws IOException {
    var family =
        ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(given.get(0)))
            .setMaxVersions(1)
            .setCompressionType(Compression.Algorithm.valueOf(given.get(2)))
            .setDataBlockEncoding(DataBlockEncoding.valueOf(given.get(3)))
            .setBloomFilterType(BloomType.valueOf(given.get(4)))
            .build();
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
            .setColumnFamily(family)
            .setValue(MARK, given.get(5))
            .build();
    String[] keys = given.get(1).equals(NONE) ? new String[0] : given.get(1).split(",");
    byte[][] splits = Arrays.stream(keys).map(Bytes::toBytes).toArray(byte[][]::new);
    admin.createTable(table, splits.length > 0 ? splits : null);
    return true;
  }

  private boolean remove(String name) throws IOException {
    TableName table = own(name);
    if (admin.isTableEnabled(table)) {
      admin.disableTable(table);
    }
    admin.deleteTable(table);
    return true;
  }

  /** A table that is howdah's; anything else is an error. */
  private TableName own(String name) throws IOException {
    TableName table = TableName.valueOf(name);
    if (admin.getDescriptor(table).getValue(MARK) == null) {
      throw new IOException("table " + name + " was not made by howdah");
    }
    return table;
  }

  private boolean compact(TableName table) throws Exception {
    admin.flush(table);
    admin.majorCompact(table);
    // It is asked for, and begins when the servers come to it.
    Thread.sleep(2_000);
    while (admin.getCompactionState(table) != CompactionState.NONE) {
      Thread.sleep(500);
    }
    return true;
  }

  /** How many regions there are of a table, and how many of them no live server has. */
  private Map<String, Object> unserved(TableName table) throws IOException {
    var served = new HashSet<String>();
    for (ServerName server : admin.getRegionServers(true)) {
      for (RegionMetrics region : admin.getRegionMetrics(server, table)) {
        served.add(region.getNameAsString());
      }
    }
    var all = admin.getRegions(table);
    long missing = all.stream().filter(region -> !served.contains(region.getRegionNameAsString())).count();
    int moving = admin.getClusterMetrics().getRegionStatesInTransition().size();
    return Map.of("regions", all.size(), "unserved", missing, "in_transition", moving);
  }

  /** What a table holds: its rows, and how many of them are not what was written. */
  private static final class Held {
    long rows;
    long wrong;
    String first;
  }

  /** Reads every row, region by region; without fields only counts them. */
  private Held readBack(String name, int fields, int fieldBytes) throws Exception {
    TableName table = own(name);
    List<HRegionLocation> regions;
    try (var locator = connection.getRegionLocator(table)) {
      regions = locator.getAllRegionLocations();
    }
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      var parts = new ArrayList<Future<Held>>();
      for (HRegionLocation region : regions) {
        Callable<Held> part = () -> readRegion(table, region, fields, fieldBytes);
        parts.add(pool.submit(part));
      }
      var all = new Held();
      for (Future<Held> part : parts) {
        Held held = part.get();
        all.rows += held.rows;
        all.wrong += held.wrong;
        all.first = all.first != null ? all.first : held.first;
      }
      return all;
    } finally {
      pool.shutdownNow();
    }
  }

  private Held readRegion(TableName table, HRegionLocation region, int fields, int fieldBytes)
      throws IOException {
    Scan scan =
        new Scan()
            .withStartRow(region.getRegion().getStartKey())
            .withStopRow(region.getRegion().getEndKey())
            .setCaching(AT_ONCE)
            .setCacheBlocks(false);
    if (fields == 0) {
      scan.setFilter(new FirstKeyOnlyFilter());
    }
    var held = new Held();
    try (var rows = connection.getTable(table);
        var scanner = rows.getScanner(scan)) {
      for (Result row : scanner) {
        if (HBaseProbe.isProbe(row.getRow())) {
          continue;
        }
        held.rows++;
        String fault = fields == 0 ? null : fault(row, fields, fieldBytes);
        if (fault != null) {
          held.wrong++;
          held.first = held.first != null ? held.first : fault;
        }
      }
    }
    return held;
  }

  /** Why a row is not what was written; null where it is. */
  private static String fault(Result row, int fields, int fieldBytes) {
    String key = Bytes.toString(row.getRow());
    if (row.size() != fields) {
      return key + " has " + row.size() + " fields of " + fields;
    }
    for (int number = 0; number < fields; number++) {
      String field = "field" + number;
      byte[] value = row.getValue(Bytes.toBytes(FAMILY), Bytes.toBytes(field));
      if (value == null) {
        return key + " has no " + field;
      }
      if (!Arrays.equals(value, Bytes.toBytes(RecordWorkload.value(key, field, fieldBytes)))) {
        return key + " has another value in " + field;
      }
    }
    return null;
  }
}

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * YCSB on HBase: every operation is one request that has been answered when it returns.
 *
 * <p>Properties have the names of YCSB's own binding, which is not published: {@code columnfamily}, which must
 * be there, and {@code durability}, a constant of HBase's Durability. Writes are never buffered by the client:
 * buffered ones take no time of their own, so that nothing could be said of it. {@code ledger} names a file for
 * what was acknowledged and when it was asked, where that is to be held against the table.
 */
public class HBaseBinding extends DB {
  private static final String FAMILY = "columnfamily";
  private static final String DURABILITY = "durability";
  private static final String LEDGER = "ledger";

  /** One connection for all threads, as HBase asks for; it is closed by the last one that uses it. */
  private static Connection connection;
  private static int users;
  private static Acknowledged acknowledged;

  private byte[] family;
  private Durability durability;
  private Table table;

  @Override
  public void init() throws DBException {
    String named = getProperties().getProperty(FAMILY);
    if (named == null) {
      throw new DBException(FAMILY + ": is missing; name the column family that records are in");
    }
    family = Bytes.toBytes(named);
    String asked = getProperties().getProperty(DURABILITY, Durability.USE_DEFAULT.name());
    try {
      durability = Durability.valueOf(asked);
    } catch (IllegalArgumentException error) {
      throw new DBException(DURABILITY + ": " + asked + " is not a durability of HBase", error);
    }
    String name = getProperties().getProperty("table", "usertable");
    try {
      Connection shared = connect();
      if (getProperties().getProperty(LEDGER) != null) {
        keepLedger();
      }
      try (var admin = shared.getAdmin()) {
        // Else the first operation would try for minutes.
        if (!admin.tableExists(TableName.valueOf(name))) {
          throw new IOException("there is no table " + name);
        }
      }
      table = shared.getTable(TableName.valueOf(name));
    } catch (IOException error) {
      throw new DBException(error);
    }
  }

  @Override
  public void cleanup() throws DBException {
    try {
      if (table != null) {
        table.close();
      }
      disconnect(getProperties().getProperty(LEDGER));
    } catch (IOException error) {
      throw new DBException(error);
    }
  }

  @Override
  public Status read(String name, String key, Set<String> fields, Map<String, ByteIterator> result) {
    try {
      Get get = new Get(Bytes.toBytes(key));
      for (byte[] column : columns(fields)) {
        get.addColumn(family, column);
      }
      if (fields == null) {
        get.addFamily(family);
      }
      Result row = table.get(get);
      if (row.isEmpty()) {
        return Status.NOT_FOUND;
      }
      put(row, result);
      return Status.OK;
    } catch (IOException error) {
      return failed(error);
    }
  }

  @Override
  public Status scan(
      String name, String first, int count, Set<String> fields, Vector<HashMap<String, ByteIterator>> result) {
    Scan scan = new Scan().withStartRow(Bytes.toBytes(first)).setLimit(count).setCaching(count);
    for (byte[] column : columns(fields)) {
      scan.addColumn(family, column);
    }
    if (fields == null) {
      scan.addFamily(family);
    }
    try (var scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        var values = new HashMap<String, ByteIterator>();
        put(row, values);
        result.add(values);
      }
      return Status.OK;
    } catch (IOException error) {
      return failed(error);
    }
  }

  @Override
  public Status update(String name, String key, Map<String, ByteIterator> values) {
    Put put = new Put(Bytes.toBytes(key)).setDurability(durability);
    values.forEach((field, value) -> put.addColumn(family, Bytes.toBytes(field), value.toArray()));
    long asked = System.currentTimeMillis();
    try {
      table.put(put);
      if (acknowledged != null) {
        acknowledged.note(key, values.keySet(), asked);
      }
      return Status.OK;
    } catch (IOException error) {
      return failed(error);
    }
  }

  /** HBase writes a row in the same way whether it was there or not. */
  @Override
  public Status insert(String name, String key, Map<String, ByteIterator> values) {
    return update(name, key, values);
  }

  @Override
  public Status delete(String name, String key) {
    try {
      table.delete(new Delete(Bytes.toBytes(key)).setDurability(durability));
      return Status.OK;
    } catch (IOException error) {
      return failed(error);
    }
  }

  private static byte[][] columns(Set<String> fields) {
    return fields == null ? new byte[0][] : fields.stream().map(Bytes::toBytes).toArray(byte[][]::new);
  }

  private static void put(Result row, Map<String, ByteIterator> values) {
    for (Cell cell : row.rawCells()) {
      String field = Bytes.toString(CellUtil.cloneQualifier(cell));
      values.put(field, new ByteArrayByteIterator(CellUtil.cloneValue(cell)));
    }
  }

  /** YCSB counts what failed and says no more of it, so the reason goes to the log. */
  private static Status failed(IOException error) {
    System.err.println("HBaseBinding: " + error);
    return Status.ERROR;
  }

  private static synchronized Connection connect() throws IOException {
    if (connection == null) {
      connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
    }
    users++;
    return connection;
  }

  private static synchronized void keepLedger() {
    if (acknowledged == null) {
      acknowledged = new Acknowledged();
    }
  }

  private static synchronized void disconnect(String ledger) throws IOException {
    if (--users == 0) {
      if (ledger != null) {
        acknowledged.write(Path.of(ledger));
      }
      connection.close();
      connection = null;
    }
  }
}

import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Writes a row of HBase and reads it, again and again; prints its number each time that it is as it was written. */
final class Row {
  private static final byte[] FAMILY = bytes("f");
  private static final int PAUSE_MS = 200;

  private Row() {}

  public static void main(String[] arguments) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    // A client that waits for a minute says nothing of how long HBase was away.
    configuration.setInt("hbase.rpc.timeout", 2000);
    configuration.setInt("hbase.client.operation.timeout", 2000);
    TableName name = TableName.valueOf("row");
    try (Connection connection = ConnectionFactory.createConnection(configuration)) {
      try (Admin admin = connection.getAdmin()) {
        if (!admin.tableExists(name)) {
          admin.createTable(TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
        }
      }
      for (long number = 0;; number++) {
        try (Table table = connection.getTable(name)) {
          byte[] value = bytes(Long.toString(number));
          table.put(new Put(bytes("row")).addColumn(FAMILY, bytes("q"), value));
          byte[] read = table.get(new Get(bytes("row"))).getValue(FAMILY, bytes("q"));
          if (java.util.Arrays.equals(value, read)) {
            System.out.println(number);
          }
        } catch (java.io.IOException error) {
          // Away for now.
        }
        Thread.sleep(PAUSE_MS);
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

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

/** Writes rows to a table of HBase as whoever has a ticket, reads each again, and prints how many were as written. */
final class Rows {
  private static final byte[] FAMILY = bytes("f");
  private static final int ROWS = 100;

  private Rows() {}

  public static void main(String[] arguments) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    // Whoever is refused learns so at once.
    configuration.setInt("hbase.client.retries.number", 2);
    TableName name = TableName.valueOf("exam");
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(name)) {
        admin.createTable(TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
      }
      int found = 0;
      try (Table table = connection.getTable(name)) {
        for (int row = 0; row < ROWS; row++) {
          table.put(new Put(bytes("row" + row)).addColumn(FAMILY, bytes("q"), bytes("value" + row)));
        }
        for (int row = 0; row < ROWS; row++) {
          byte[] value = table.get(new Get(bytes("row" + row))).getValue(FAMILY, bytes("q"));
          found += value != null && new String(value, StandardCharsets.UTF_8).equals("value" + row) ? 1 : 0;
        }
      }
      System.out.println(found + " of " + ROWS + " rows are as they were written");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Makes a table, puts rows, flushes them to a file in HDFS and reads them again; prints what it read. */
class PutGetScan {
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final byte[] COLUMN = Bytes.toBytes("c");

    public static void main(String[] arguments) throws Exception {
        int rows = Integer.parseInt(arguments[0]);
        var name = TableName.valueOf("rows");
        try (var connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
                var admin = connection.getAdmin();
                var table = connection.getTable(name)) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(name)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                            .build());
            for (int row = 0; row < rows; row++) {
                table.put(new Put(key(row)).addColumn(FAMILY, COLUMN, Bytes.toBytes("value " + row)));
            }
            admin.flush(name);
            System.out.println("got " + Bytes.toString(table.get(new Get(key(rows / 2))).getValue(FAMILY, COLUMN)));
            int scanned = 0;
            try (var scanner = table.getScanner(new Scan())) {
                for (var ignored : scanner) {
                    scanned++;
                }
            }
            System.out.println("scanned " + scanned);
        }
    }

    private static byte[] key(int row) {
        return Bytes.toBytes(String.format("row%06d", row));
    }
}

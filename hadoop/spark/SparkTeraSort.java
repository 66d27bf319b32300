package howdah.spark;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.terasort.TeraInputFormat;
import org.apache.hadoop.examples.terasort.TeraOutputFormat;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Tuple2;

/**
 * Sorts TeraGen's rows: {@code API INPUT OUTPUT PARTITIONS SAMPLES}.
 *
 * <p>{@code rdd} cuts the keys where MapReduce's TeraSort cuts them, by its own sampling; {@code
 * dataframe} and {@code sql} leave sampling and the number of files to Spark.
 */
public final class SparkTeraSort {
  private static final StructType ROW =
      new StructType().add("key", DataTypes.BinaryType).add("value", DataTypes.BinaryType);

  private SparkTeraSort() {}

  public static void main(String[] arguments) throws Exception {
    String api = arguments[0];
    SparkSession spark = SparkSession.builder().appName("TeraSort " + api).getOrCreate();
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    Job job = Job.getInstance(context.hadoopConfiguration());
    Path output = new Path(arguments[2]);
    FileInputFormat.setInputPaths(job, new Path(arguments[1]));
    FileOutputFormat.setOutputPath(job, output);
    job.setNumReduceTasks(Integer.parseInt(arguments[3]));
    job.getConfiguration().setLong("mapreduce.terasort.partitions.sample", Long.parseLong(arguments[4]));
    JavaPairRDD<byte[], byte[]> rows =
        context
            .newAPIHadoopRDD(job.getConfiguration(), TeraInputFormat.class, Text.class, Text.class)
            .mapToPair(row -> new Tuple2<>(row._1.copyBytes(), row._2.copyBytes()));
    JavaPairRDD<byte[], byte[]> sorted =
        switch (api) {
          case "rdd" -> rows.repartitionAndSortWithinPartitions(new Cuts(sampled(job, output)), new Unsigned());
          case "dataframe" -> pairs(table(spark, rows).orderBy("key"));
          case "sql" -> {
            table(spark, rows).createOrReplaceTempView("rows");
            yield pairs(spark.sql("SELECT key, value FROM rows ORDER BY key"));
          }
          default -> throw new IllegalArgumentException(api);
        };
    // TeraOutputFormat writes the files that TeraValidate reads: one for each partition, in their order.
    sorted
        .mapToPair(row -> new Tuple2<>(new Text(row._1), new Text(row._2)))
        .saveAsNewAPIHadoopFile(
            arguments[2], Text.class, Text.class, TeraOutputFormat.class, job.getConfiguration());
    spark.stop();
  }

  private static Dataset<Row> table(SparkSession spark, JavaPairRDD<byte[], byte[]> rows) {
    JavaRDD<Row> each = rows.map(row -> RowFactory.create(row._1, row._2));
    return spark.createDataFrame(each, ROW);
  }

  private static JavaPairRDD<byte[], byte[]> pairs(Dataset<Row> rows) {
    return rows.toJavaRDD().mapToPair(row -> new Tuple2<>(row.<byte[]>getAs(0), row.<byte[]>getAs(1)));
  }

  /** The keys at which partitions begin, without the first one's. */
  private static byte[][] sampled(Job job, Path output) throws Exception {
    Path file = new Path(output.getParent(), "_" + output.getName() + "-cuts");
    try {
      TeraInputFormat.writePartitionFile(job, file);
    } catch (Throwable error) {
      throw new IOException("cannot sample the keys of " + job.getConfiguration().get(FileInputFormat.INPUT_DIR), error);
    }
    Configuration conf = job.getConfiguration();
    byte[][] cuts = new byte[job.getNumReduceTasks() - 1][];
    try (DataInputStream from = file.getFileSystem(conf).open(file)) {
      Text key = new Text();
      for (int cut = 0; cut < cuts.length; cut++) {
        key.readFields(from);
        cuts[cut] = key.copyBytes();
      }
    }
    file.getFileSystem(conf).delete(file, false);
    return cuts;
  }

  private static final class Unsigned implements Comparator<byte[]>, Serializable {
    @Override
    public int compare(byte[] left, byte[] right) {
      return Arrays.compareUnsigned(left, right);
    }
  }

  private static final class Cuts extends Partitioner {
    private final byte[][] cuts;

    Cuts(byte[][] cuts) {
      this.cuts = cuts;
    }

    @Override
    public int numPartitions() {
      return cuts.length + 1;
    }

    @Override
    public int getPartition(Object key) {
      int place = Arrays.binarySearch(cuts, (byte[]) key, Arrays::compareUnsigned);
      return place < 0 ? -place - 1 : place + 1;
    }
  }
}

package howdah.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.clustering.KMeans;
import org.apache.spark.ml.clustering.KMeansModel;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Finds clusters of points: {@code OUTPUT POINTS CLUSTERS ITERATIONS PARTITIONS}.
 *
 * <p>The points lie around known centres that are far apart. The cost that Spark reports is compared with the sum of
 * squared distances from Spark's centres, computed here, and the known centres with the centres that were found.
 */
public final class SparkKMeans {
  private static final int DIMENSIONS = 16;
  private static final double NEAR = 1.0;

  private SparkKMeans() {}

  public static void main(String[] arguments) throws Exception {
    String folder = arguments[0];
    long points = Long.parseLong(arguments[1]);
    int clusters = Integer.parseInt(arguments[2]);
    int iterations = Integer.parseInt(arguments[3]);
    int partitions = Integer.parseInt(arguments[4]);
    SparkSession spark = SparkSession.builder().getOrCreate();
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());

    Outcome.part(spark, "generate");
    List<Integer> parts = new ArrayList<>();
    for (int part = 0; part < partitions; part++) parts.add(part);
    JavaRDD<Row> made =
        context
            .parallelize(parts, partitions)
            .flatMap(
                part ->
                    java.util.stream.LongStream.range(points * part / partitions, points * (part + 1) / partitions)
                        .mapToObj(number -> RowFactory.create((Object) point(number, clusters)))
                        .iterator());
    StructType schema = new StructType().add("features", DataTypes.createArrayType(DataTypes.DoubleType, false));
    spark.createDataFrame(made, schema).write().parquet(folder + "/points");

    Outcome.part(spark, "cluster");
    JavaRDD<Row> read =
        spark
            .read()
            .parquet(folder + "/points")
            .toJavaRDD()
            .map(row -> RowFactory.create(Vectors.dense(row.<Double>getList(0).stream().mapToDouble(d -> d).toArray())));
    Dataset<Row> data = spark.createDataFrame(read, new StructType().add("features", SQLDataTypes.VectorType()));
    data.cache();
    KMeansModel model =
        new KMeans().setK(clusters).setMaxIter(iterations).setInitSteps(5).setSeed(1).fit(data);

    Outcome.part(spark, "check");
    Vector[] centres = model.clusterCenters();
    double cost =
        data.toJavaRDD()
            .map(row -> Arrays.stream(centres).mapToDouble(c -> Vectors.sqdist(c, row.getAs(0))).min().getAsDouble())
            .reduce(Double::sum);
    long found = 0;
    for (int cluster = 0; cluster < clusters; cluster++) {
      Vector known = Vectors.dense(centre(cluster));
      if (Arrays.stream(centres).anyMatch(c -> Math.sqrt(Vectors.sqdist(c, known)) < NEAR)) found++;
    }
    new Outcome()
        .put("expected_count", points)
        .put("count", Arrays.stream(model.summary().clusterSizes()).sum())
        .put("expected_cost", cost)
        .put("cost", model.summary().trainingCost())
        .put("found centres", found)
        .put("iterations", model.summary().numIter())
        .write(spark, folder);
    spark.stop();
  }

  private static Double[] point(long number, int clusters) {
    SplittableRandom random = new SplittableRandom(number);
    double[] centre = centre((int) (number % clusters));
    Double[] point = new Double[DIMENSIONS];
    for (int axis = 0; axis < DIMENSIONS; axis++) {
      // The sum of twelve uniform numbers is close to normally distributed, with a deviation of 1.
      double noise = -6;
      for (int part = 0; part < 12; part++) noise += random.nextDouble();
      point[axis] = centre[axis] + noise;
    }
    return point;
  }

  private static double[] centre(int cluster) {
    return new SplittableRandom(1_000_003L * (cluster + 1)).doubles(DIMENSIONS, 0, 100).toArray();
  }
}

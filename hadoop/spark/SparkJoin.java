package howdah.spark;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Joins two tables of which one has a frequent key: {@code OUTPUT ROWS KEYS SHARE PARTITIONS}.
 *
 * <p>SHARE of the rows have the same key, so that one partition of the shuffle gets them all. Every row has one
 * partner, so that the joined rows and the sum over them are known without a join.
 */
public final class SparkJoin {
  private static final String WEIGHT = "pmod(xxhash64(%s, 3), 97)";

  private SparkJoin() {}

  public static void main(String[] arguments) throws Exception {
    String folder = arguments[0];
    long rows = Long.parseLong(arguments[1]);
    long keys = Long.parseLong(arguments[2]);
    double share = Double.parseDouble(arguments[3]);
    int partitions = Integer.parseInt(arguments[4]);
    SparkSession spark =
        SparkSession.builder()
            // Both sides go through a shuffle, whatever their sizes are.
            .config("spark.sql.autoBroadcastJoinThreshold", "-1")
            .getOrCreate();

    Outcome.part(spark, "generate");
    spark
        .range(0, rows, 1, partitions)
        .selectExpr(
            "id",
            String.format(
                "IF(pmod(xxhash64(id), 1000000) < %d, 0, pmod(xxhash64(id, 1), %d)) AS key",
                Math.round(share * 1_000_000), keys),
            "pmod(xxhash64(id, 2), 1000) AS amount",
            "repeat(hex(xxhash64(id, 4)), 3) AS note")
        .write()
        .parquet(folder + "/facts");
    spark
        .range(0, keys, 1, partitions)
        .selectExpr("id AS key", String.format(WEIGHT, "id") + " AS weight", "hex(xxhash64(id, 5)) AS name")
        .write()
        .parquet(folder + "/keys");

    Outcome.part(spark, "expect");
    Dataset<Row> facts = spark.read().parquet(folder + "/facts");
    Row expected = facts.selectExpr("count(*)", "sum(amount * " + String.format(WEIGHT, "key") + ")").first();

    Outcome.part(spark, "join");
    facts
        .join(spark.read().parquet(folder + "/keys"), "key")
        .selectExpr("id", "key", "name", "amount * weight AS value", "note")
        .write()
        .parquet(folder + "/joined");

    Outcome.part(spark, "check");
    Row joined = spark.read().parquet(folder + "/joined").selectExpr("count(*)", "sum(value)").first();
    new Outcome()
        .put("expected_count", expected.getLong(0))
        .put("count", joined.getLong(0))
        .put("expected_checksum", Long.toHexString(expected.getLong(1)))
        .put("checksum", Long.toHexString(joined.getLong(1)))
        .write(spark, folder);
    spark.stop();
  }
}

package howdah.spark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * Counts words: {@code OUTPUT WORDS PARTITIONS}.
 *
 * <p>Writes a text whose words are as unequally frequent as those of a language, counts them, and adds up the
 * counts. Every word counts with its CRC-32, so that no word can be lost, changed or counted twice.
 */
public final class SparkWordCount {
  private static final int VOCABULARY = 100_000;
  private static final int WORDS_PER_LINE = 12;

  private SparkWordCount() {}

  public static void main(String[] arguments) throws Exception {
    String folder = arguments[0];
    long lines = Math.max(1, Long.parseLong(arguments[1]) / WORDS_PER_LINE);
    int partitions = Integer.parseInt(arguments[2]);
    SparkSession spark = SparkSession.builder().getOrCreate();
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());

    Outcome.part(spark, "generate");
    List<Integer> parts = new ArrayList<>();
    for (int part = 0; part < partitions; part++) parts.add(part);
    JavaRDD<String> text =
        context
            .parallelize(parts, partitions)
            .flatMap(
                part -> {
                  long first = lines * part / partitions;
                  long end = lines * (part + 1) / partitions;
                  return java.util.stream.LongStream.range(first, end).mapToObj(SparkWordCount::line).iterator();
                });
    text.saveAsTextFile(folder + "/text");

    Outcome.part(spark, "expect");
    long[] expected =
        text.map(
                line -> {
                  long sum = 0;
                  for (String word : line.split(" ")) sum += crc(word);
                  return new long[] {WORDS_PER_LINE, sum};
                })
            .reduce((left, right) -> new long[] {left[0] + right[0], left[1] + right[1]});

    Outcome.part(spark, "count");
    JavaPairRDD<String, Long> counts =
        context
            .textFile(folder + "/text", partitions)
            .flatMap(line -> Arrays.asList(line.split(" ")).iterator())
            .mapToPair(word -> new Tuple2<>(word, 1L))
            .reduceByKey(Long::sum, partitions);
    counts.map(count -> count._1 + "\t" + count._2).saveAsTextFile(folder + "/counts");

    Outcome.part(spark, "check");
    long[] counted =
        context
            .textFile(folder + "/counts")
            .map(
                line -> {
                  String[] fields = line.split("\t");
                  long count = Long.parseLong(fields[1]);
                  return new long[] {count, count * crc(fields[0]), 1};
                })
            .reduce((left, right) -> new long[] {left[0] + right[0], left[1] + right[1], left[2] + right[2]});
    new Outcome()
        .put("expected_count", expected[0])
        .put("count", counted[0])
        .put("expected_checksum", Long.toHexString(expected[1]))
        .put("checksum", Long.toHexString(counted[1]))
        .put("distinct words", counted[2])
        .write(spark, folder);
    spark.stop();
  }

  private static String line(long number) {
    SplittableRandom random = new SplittableRandom(number);
    StringBuilder line = new StringBuilder();
    for (int word = 0; word < WORDS_PER_LINE; word++) {
      // A few words are frequent and most are rare: the rank is exponentially distributed over the vocabulary.
      long rank = (long) Math.pow(VOCABULARY, random.nextDouble());
      line.append(word > 0 ? " " : "").append(Long.toString(rank * 2_654_435_761L & 0xFFFFFFFFL, 36));
    }
    return line.toString();
  }

  private static long crc(String word) {
    CRC32 crc = new CRC32();
    crc.update(word.getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }
}

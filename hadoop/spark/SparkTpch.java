package howdah.spark;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs TPC-H's queries: {@code DATA OUTPUT SCALE [QUERY...]}, all without a QUERY.
 *
 * <p>DATA has a folder or file of Parquet for each table. Each query's rows are written to OUTPUT/QUERY.tsv, and its
 * seconds are part of the outcome.
 */
public final class SparkTpch {
  private static final Pattern QUERY = Pattern.compile("^-- (q\\d\\d)$\\n(.*?)(?=^-- q|\\z)", Pattern.MULTILINE | Pattern.DOTALL);
  private static final String[] TABLES = {
    "customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"
  };

  private SparkTpch() {}

  public static void main(String[] arguments) throws Exception {
    String data = arguments[0];
    String folder = arguments[1];
    double scale = Double.parseDouble(arguments[2]);
    List<String> wanted = Arrays.asList(arguments).subList(3, arguments.length);
    SparkSession spark = SparkSession.builder().getOrCreate();
    Outcome.part(spark, "open");
    for (String table : TABLES) {
      spark.read().parquet(data + "/" + table + ".parquet").createOrReplaceTempView(table);
    }
    String text;
    try (InputStream queries = SparkTpch.class.getResourceAsStream("/tpch.sql")) {
      text = new String(queries.readAllBytes(), StandardCharsets.UTF_8);
    }
    text = text.replace("{fraction}", String.format(java.util.Locale.ROOT, "%.10f", 0.0001 / scale));
    Outcome outcome = new Outcome();
    Matcher query = QUERY.matcher(text);
    while (query.find()) {
      String name = query.group(1);
      if (!wanted.isEmpty() && !wanted.contains(name)) continue;
      Outcome.part(spark, name);
      long start = System.nanoTime();
      List<Row> rows = spark.sql(query.group(2)).collectAsList();
      outcome.put(name, (System.nanoTime() - start) / 1e9);
      StringBuilder lines = new StringBuilder();
      for (Row row : rows) lines.append(row.mkString("\t")).append('\n');
      Outcome.write(spark, folder + "/" + name + ".tsv", lines);
    }
    outcome.write(spark, folder);
    spark.stop();
  }
}

package howdah.spark;

import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;

/** What a program found out, written as lines KEY TAB VALUE to a file in HDFS: drivers may have no output. */
final class Outcome {
  private final Map<String, Object> values = new LinkedHashMap<>();

  Outcome put(String key, Object value) {
    values.put(key, value);
    return this;
  }

  void write(SparkSession spark, String folder) throws Exception {
    StringBuilder lines = new StringBuilder();
    values.forEach((key, value) -> lines.append(key).append('\t').append(value).append('\n'));
    write(spark, folder + "/_outcome", lines);
  }

  static void write(SparkSession spark, String file, CharSequence text) throws Exception {
    Path path = new Path(file);
    FileSystem files = path.getFileSystem(spark.sparkContext().hadoopConfiguration());
    try (Writer to = new OutputStreamWriter(files.create(path, true), StandardCharsets.UTF_8)) {
      to.append(text);
    }
  }

  /** Names the stages of the jobs that follow. */
  static void part(SparkSession spark, String name) {
    spark.sparkContext().setJobDescription(name);
  }
}

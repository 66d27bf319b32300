import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;

/** The names that a release still takes but has replaced. */
final class Deprecations {
  private Deprecations() {}

  /** Old names with the new ones that each sets, after every class that registers some was loaded. */
  static Map<String, List<String>> read(Set<String> classes) throws ClassNotFoundException {
    for (String name : classes) {
      Class.forName(name);
    }
    // MapReduce's own are registered by a method that this class calls when it is loaded.
    Class.forName("org.apache.hadoop.mapred.JobConf");
    Map<String, List<String>> replacements = new TreeMap<>();
    dump().lines().forEach(line -> {
      String[] names = line.split("\\s+");
      replacements.put(names[0], List.of(names).subList(1, names.length));
    });
    return replacements;
  }

  private static String dump() {
    PrintStream terminal = System.out;
    ByteArrayOutputStream dump = new ByteArrayOutputStream();
    System.setOut(new PrintStream(dump, true, StandardCharsets.UTF_8));
    try {
      Configuration.dumpDeprecatedKeys();
    } finally {
      System.setOut(terminal);
    }
    return dump.toString(StandardCharsets.UTF_8);
  }
}

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;

/** The names that a release still takes but has replaced. */
final class Deprecations {
  private Deprecations() {}

  /** Old names with the new ones, after every class that registers some has done so. */
  static Map<String, List<String>> read(Set<String> classes) {
    for (String name : classes) {
      try {
        Class.forName(name);
      } catch (ClassNotFoundException error) {
        throw new IllegalStateException(error);
      }
    }
    register(classes);
    PrintStream terminal = System.out;
    ByteArrayOutputStream dump = new ByteArrayOutputStream();
    System.setOut(new PrintStream(dump, true, StandardCharsets.UTF_8));
    try {
      Configuration.dumpDeprecatedKeys();
    } finally {
      System.setOut(terminal);
    }
    Map<String, List<String>> replacements = new TreeMap<>();
    dump.toString(StandardCharsets.UTF_8).lines().forEach(line -> {
      String[] parts = line.split("\t", 2);
      replacements.put(parts[0].strip(), Arrays.asList(parts[1].strip().split("[,\\s]+")));
    });
    return replacements;
  }

  // Some classes register in a method rather than when they are loaded.
  private static void register(Set<String> classes) {
    for (String name : classes) {
      System.err.println(name);
    }
  }
}

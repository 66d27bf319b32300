import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Prints what a release knows as JSON, one property a line, for python/howdah/releases/data.
 * Usage: Catalogue LIB hadoop|hbase VERSION, where LIB is the folder of the release's jars, also on the class path.
 */
final class Catalogue {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LONGEST_DESCRIPTION = 200;

  private Catalogue() {}

  public static void main(String[] arguments) throws IOException, ClassNotFoundException {
    String product = arguments[1];
    List<Path> jars = jars(Path.of(arguments[0]), product);
    Code code = new Code(jars);
    Map<String, List<String>> deprecated = Deprecations.read(code.deprecating);
    Map<String, String> properties = properties(product, jars, code, deprecated);
    if (product.equals("hbase")) {
      // Hadoop's own registered themselves too.
      deprecated.values().removeIf(names -> names.stream().noneMatch(name -> name.startsWith("hbase.")));
    }
    List<String> lines = new ArrayList<>();
    lines.add("\"product\":" + json(product) + ",\n\"version\":" + json(arguments[2]));
    lines.add("\"properties\":[\n" + String.join(",\n", properties.values()) + "\n]");
    lines.add("\"deprecated\":{\n" + entries(deprecated) + "\n}");
    lines.add("\"readers\":{\n" + entries(readers(Path.of(arguments[0]), product, properties.keySet())) + "\n}");
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println("{" + String.join(",\n", lines) + "}");
  }

  /** The keys, and the beginnings of keys, that each set of daemons names; the empty set's are for clients and jobs. */
  private static Map<String, List<String>> readers(Path folder, String product, Set<String> names) throws IOException {
    List<Path> jars = new ArrayList<>(jars(folder, "hadoop"));
    if (product.equals("hbase")) {
      jars.addAll(jars(folder, product));
    }
    Calls calls = new Calls(jars);
    Set<String> named = calls.texts();
    Map<String, SortedSet<String>> daemons = new TreeMap<>();
    names.stream().filter(named::contains).forEach(name -> daemons.put(name, new TreeSet<>()));
    Daemons.of(product).forEach((daemon, starts) -> calls.texts(starts).stream()
        .filter(text -> names.contains(text) || Names.isKey(text) || text.endsWith(".") && Names.isKey(text + "x"))
        .forEach(text -> daemons.computeIfAbsent(text, key -> new TreeSet<>()).add(daemon)));
    Map<String, List<String>> readers = new TreeMap<>();
    daemons.forEach((text, by) -> readers.computeIfAbsent(String.join(" ", by), key -> new ArrayList<>()).add(text));
    return readers;
  }

  private static List<Path> jars(Path folder, String product) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> {
        String name = file.getFileName().toString();
        // Shaded jars hold other projects' classes, and tests read keys that no daemon does.
        return name.startsWith(product + "-") && name.endsWith(".jar") && !name.contains("-shaded-") && !name.contains("-thirdparty")
            && !name.endsWith("-tests.jar");
      }).sorted().toList();
    }
  }

  private static Map<String, String> properties(
      String product, List<Path> jars, Code code, Map<String, List<String>> deprecated) throws IOException {
    Map<String, Defaults.Default> defaults = Defaults.read(jars);
    Kinds kinds = new Kinds(code.constants);
    SortedSet<String> names = new TreeSet<>(defaults.keySet());
    code.readings.keySet().stream().filter(Names::isKey).forEach(names::add);
    code.constants.stream().filter(Names::isKeyConstant).map(constant -> (String) constant.value())
        .filter(code.used::contains).forEach(names::add);
    names.removeAll(deprecated.keySet());
    Map<String, List<String>> owners = product.equals("hadoop") ? owners() : Map.of();
    Map<String, String> lines = new TreeMap<>();
    for (String name : names) {
      Reading reading = code.readings.get(name);
      Defaults.Default listed = defaults.get(name);
      String value = listed != null ? listed.value() : reading != null ? reading.fallback() : null;
      String file = Names.file(product, name, listed != null ? listed.file() : null);
      String kind = kinds.of(name, reading, value);
      String description = listed != null ? shortened(listed.description()) : "";
      lines.put(name, line(name, file, value, kind, description));
      for (String owner : owners.getOrDefault(name, List.of())) {
        lines.put(name + owner, line(name + owner, file, null, kind, description));
      }
    }
    for (String prefix : prefixes(code, names)) {
      String name = prefix + "<name...>";
      lines.put(name, line(name, Names.file(product, name, null), null, "text", ""));
    }
    return lines;
  }

  private static String line(String name, String file, String value, String kind, String description) {
    return "[" + String.join(",", json(name), json(file), json(value), json(kind), json(description)) + "]";
  }

  /** Keys that may be given for each nameservice, NameNode or ResourceManager, with what is then appended. */
  private static Map<String, List<String>> owners() {
    Map<String, List<String>> owners = new TreeMap<>();
    for (String key : NameNode.NAMENODE_SPECIFIC_KEYS) {
      owners.put(key, List.of(".<nameservice>", ".<nameservice>.<namenode>"));
    }
    for (String key : NameNode.NAMESERVICE_SPECIFIC_KEYS) {
      owners.put(key, List.of(".<nameservice>"));
    }
    for (String key : YarnConfiguration.getServiceAddressConfKeys(new YarnConfiguration())) {
      owners.put(key, List.of(".<resourcemanager>"));
    }
    return owners;
  }

  /** Beginnings that the code completes as it runs: no key is known that begins so. */
  private static SortedSet<String> prefixes(Code code, SortedSet<String> names) {
    SortedSet<String> prefixes = new TreeSet<>();
    for (Code.Constant constant : code.constants) {
      if (constant.value() instanceof String text && text.endsWith(".") && Names.isKey(text + "x")
          && names.stream().noneMatch(name -> name.startsWith(text))) {
        prefixes.add(text);
      }
    }
    return prefixes;
  }

  /** The whole sentences of a description that fit into its length, else as many words. */
  private static String shortened(String description) {
    String line = description.strip().replaceAll("\\s+", " ");
    if (line.length() <= LONGEST_DESCRIPTION) {
      return line;
    }
    String start = line.substring(0, LONGEST_DESCRIPTION + 1);
    int sentence = start.lastIndexOf(". ");
    if (sentence > 0) {
      return start.substring(0, sentence + 1);
    }
    return start.substring(0, start.lastIndexOf(' ', LONGEST_DESCRIPTION - " …".length())) + " …";
  }

  private static String entries(Map<String, List<String>> lists) {
    return String.join(",\n", lists.entrySet().stream().map(e -> json(e.getKey()) + ":" + json(e.getValue())).toList());
  }

  private static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException error) {
      throw new IllegalStateException(error);
    }
  }
}

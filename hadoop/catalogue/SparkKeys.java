import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Prints the keys of a Spark release as JSON, each with its default, its kind and the words that it takes.
 * Usage: SparkKeys, with the release's jars on the class path. Spark's own converters are given nonsense:
 * their messages name the kind, the unit that a bare number counts in, and the words.
 */
final class SparkKeys {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> HOLDERS = List.of(
      "internal.config.package$", "internal.config.Deploy$", "internal.config.History$", "internal.config.Kryo$",
      "internal.config.Network$", "internal.config.Python$", "internal.config.R$", "internal.config.Status$",
      "internal.config.Streaming$", "internal.config.UI$", "internal.config.Worker$", "deploy.yarn.config.package$",
      "sql.internal.SQLConf$", "sql.internal.StaticSQLConf$", "sql.hive.HiveUtils$");
  private static final String NONSENSE = "No Such Word";
  private static final Pattern REFUSED = Pattern.compile("The value '(.*?)' in the config .* It should be (.+?) '(.+?)'");

  private static final Pattern CONSTANT = Pattern.compile("\u0001(..)(spark\\.[\\w.-]+)", Pattern.DOTALL);

  private SparkKeys() {}

  public static void main(String[] arguments) throws ReflectiveOperationException, IOException {
    for (String holder : HOLDERS) {
      Class.forName("org.apache.spark." + holder);
    }
    Object entries = call(module("org.apache.spark.internal.config.ConfigEntry$"), "knownConfigs");
    SortedMap<String, String> rows = new TreeMap<>();
    for (Object entry : ((Map<?, ?>) entries).values()) {
      String key = (String) call(entry, "key");
      String first = (String) call(entry, "defaultValueString");
      rows.put(key, row(first.startsWith("<") ? "" : first, entry));
    }
    Object conf = module("org.apache.spark.SparkConf$");
    for (String former : List.of("deprecatedConfigs", "allAlternatives")) {
      for (String key : keys(call(conf, former))) {
        rows.putIfAbsent(key, "[\"\",\"\"]");
      }
    }
    for (String key : constants(System.getProperty("java.class.path"))) {
      rows.putIfAbsent(key, "[\"\",\"\"]");
    }
    List<String> lines = new ArrayList<>();
    for (Map.Entry<String, String> row : rows.entrySet()) {
      lines.add(JSON.writeValueAsString(row.getKey()) + ":" + row.getValue());
    }
    new PrintStream(System.out, true, StandardCharsets.UTF_8)
        .println("{\n" + String.join(",\n", lines) + "\n}");
  }

  /** The keys that code names without a converter: constants of classes, each after its tag and its length. */
  private static Set<String> constants(String classPath) throws IOException {
    Set<String> keys = new TreeSet<>();
    for (String path : classPath.split(":")) {
      if (!path.matches(".*/spark-[^/]*\\.jar")) {
        continue;
      }
      try (ZipFile jar = new ZipFile(path)) {
        for (ZipEntry entry : jar.stream().filter(one -> one.getName().endsWith(".class")).toList()) {
          Matcher match = CONSTANT.matcher(new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.ISO_8859_1));
          while (match.find()) {
            int length = match.group(1).charAt(0) * 256 + match.group(1).charAt(1);
            if (match.group(2).length() >= length && length > 7) {
              keys.add(match.group(2).substring(0, length));
            }
          }
        }
      }
    }
    keys.removeIf(key -> !key.matches("spark(\\.[A-Za-z][\\w-]*){2,}"));
    return keys;
  }

  /** The default, and what Spark's own message about nonsense says that a value must be. */
  private static String row(String first, Object entry) throws ReflectiveOperationException, IOException {
    Object refused = convert(entry, NONSENSE);
    String message = refused instanceof Throwable failure ? String.valueOf(failure.getMessage()) : "";
    Matcher match = REFUSED.matcher(message);
    if (!match.find()) {
      // Other defaults may be paths and names of the machine that this runs on.
      return JSON.writeValueAsString(List.of(first.startsWith("org.apache.") ? first : "", ""));
    }
    if (!match.group(2).equals("one of")) {
      return JSON.writeValueAsString(List.of(first, match.group(3)));
    }
    // What the key's reader makes of letters' case shows in how it repeats the value.
    String kind = match.group(1).equals(NONSENSE) ? "words" : "words of either case";
    List<String> words = Stream.of(match.group(3).split(",\\s*")).sorted().toList();
    return JSON.writeValueAsString(List.of(first, kind, words));
  }

  private static Object convert(Object entry, String text) throws ReflectiveOperationException {
    // An entry without a default wraps what its own converter makes.
    boolean wrapped = entry.getClass().getSimpleName().equals("OptionalConfigEntry");
    Object converter = call(entry, wrapped ? "rawValueConverter" : "valueConverter");
    try {
      Method apply = converter.getClass().getMethod("apply", Object.class);
      apply.setAccessible(true);
      return apply.invoke(converter, text);
    } catch (InvocationTargetException failure) {
      return failure.getCause();
    }
  }

  private static List<String> keys(Object scalaMap) throws ReflectiveOperationException {
    List<String> keys = new ArrayList<>();
    Object iterator = call(scalaMap, "keysIterator");
    while ((Boolean) call(iterator, "hasNext")) {
      keys.add((String) call(iterator, "next"));
    }
    return keys;
  }

  private static Object module(String name) throws ReflectiveOperationException {
    return Class.forName(name).getField("MODULE$").get(null);
  }

  private static Object call(Object target, String name) throws ReflectiveOperationException {
    for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        if (method.getParameterCount() == 0 && (method.getName().equals(name) || method.getName().endsWith("$$" + name))) {
          method.setAccessible(true);
          return method.invoke(target);
        }
      }
    }
    for (Method method : target.getClass().getMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == 0) {
        method.setAccessible(true);
        return method.invoke(target);
      }
    }
    throw new NoSuchMethodException(target.getClass() + "." + name);
  }
}

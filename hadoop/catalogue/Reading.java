import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.tree.MethodInsnNode;

/** How one key is read: the kinds of its readers, and what they take when it is not set. */
final class Reading {
  private static final Map<String, String> KINDS = Map.ofEntries(
      Map.entry("getInt", "int"), Map.entry("getInts", "ints"), Map.entry("getLong", "long"),
      Map.entry("getLongBytes", "size"), Map.entry("getStorageSize", "storage"),
      Map.entry("getTimeDuration", "duration"), Map.entry("getFloat", "float"),
      Map.entry("getDouble", "float"), Map.entry("getBoolean", "bool"), Map.entry("getEnum", "enum"),
      Map.entry("getClass", "class"), Map.entry("getClasses", "classes"), Map.entry("getInstances", "classes"),
      Map.entry("get", "text"), Map.entry("getRaw", "text"), Map.entry("getTrimmed", "text"),
      Map.entry("getPassword", "text"), Map.entry("getPattern", "text"), Map.entry("getRange", "text"),
      Map.entry("getSocketAddr", "text"), Map.entry("getStrings", "text"),
      Map.entry("getTrimmedStrings", "text"), Map.entry("getStringCollection", "text"),
      Map.entry("getTrimmedStringCollection", "text"), Map.entry("getTimeDurations", "text"));

  final Set<String> kinds = new TreeSet<>();
  private final Set<String> fallbacks = new TreeSet<>();
  private boolean isFallbackKnown = true;

  /** The kind of value that a method of Configuration reads; null if it reads none. */
  static String kind(MethodInsnNode call) {
    return call.desc.startsWith("(Ljava/lang/String;") ? KINDS.get(call.name) : null;
  }

  /** Whether a reader's second argument is what it takes when the key is not set. */
  static boolean hasFallback(MethodInsnNode call) {
    // The form with four arguments reads two keys: a host of its own before the address.
    return !call.desc.equals("(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;I)Ljava/net/InetSocketAddress;")
        && !call.desc.startsWith("(Ljava/lang/String;)");
  }

  /** Notes a reader without a fallback of its own. */
  void add(String kind) {
    kinds.add(kind);
  }

  /** Notes a reader with what its fallback may be, which is nothing if that is not a constant. */
  void add(String kind, Set<String> values) {
    kinds.add(kind);
    fallbacks.addAll(values);
    isFallbackKnown &= !values.isEmpty();
  }

  /** The value that every reader takes when the key is not set; null if they differ or it is not a constant. */
  String fallback() {
    return isFallbackKnown && fallbacks.size() == 1 ? fallbacks.iterator().next() : null;
  }
}

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides what kind of value a key takes: from how it is read, else from the constant declared as its default,
 * else from the form of its default.
 */
final class Kinds {
  // From the pickiest to the most tolerant: what the first reader takes that is picky, all the others take too.
  private static final List<String> PICKY =
      List.of("int", "long", "bool", "float", "ints", "size", "duration", "storage", "enum", "class", "classes");

  private static final Map<String, Pattern> FORMS = Map.of(
      "int", Pattern.compile("[-+]?\\d{1,10}|0[xX][0-9a-fA-F]{1,8}"),
      "long", Pattern.compile("[-+]?\\d{1,19}|0[xX][0-9a-fA-F]{1,16}"),
      "bool", Pattern.compile("(?i)true|false"),
      "float", Pattern.compile("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?[fFdD]?"),
      "ints", Pattern.compile("\\d+(\\s*,\\s*\\d+)*"),
      "size", Pattern.compile("-?\\d+[kKmMgGtTpPeE]?"),
      "duration", Pattern.compile("(?i)-?\\d+\\s*(ns|us|ms|s|m|h|d)?"),
      "storage", Pattern.compile("(?i)[\\d.]+\\s*([kmgtpe]?b|[kmgtpe])"));

  private static final Map<String, String> OF_TYPE =
      Map.of("I", "int", "J", "long", "Z", "bool", "F", "float", "D", "float");

  private final Map<String, String> declared = new HashMap<>();

  /** Takes note of every constant that is declared as the default of a key. */
  Kinds(List<Code.Constant> constants) {
    Map<String, String> types = new HashMap<>();
    for (Code.Constant constant : constants) {
      types.put(constant.owner() + "." + constant.field(), constant.type());
    }
    for (Code.Constant constant : constants) {
      if (constant.value() instanceof String key) {
        String stem = constant.field().replaceFirst("_KEY$", "");
        for (String field : List.of(stem + "_DEFAULT", "DEFAULT_" + stem)) {
          String kind = OF_TYPE.get(types.getOrDefault(constant.owner() + "." + field, ""));
          if (kind != null) {
            declared.put(key, kind);
          }
        }
      }
    }
  }

  String of(String key, Reading reading, String value) {
    Set<String> read = reading == null ? Set.of() : reading.kinds;
    for (String kind : PICKY) {
      if (read.contains(kind) && fits(kind, value)) {
        return kind;
      }
    }
    String kind = declared.get(key);
    if (kind != null && fits(kind, value)) {
      return kind;
    }
    return read.isEmpty() ? form(value) : "text";
  }

  private static boolean fits(String kind, String value) {
    Pattern form = FORMS.get(kind);
    return form == null || value == null || value.isEmpty() || value.contains("${") || form.matcher(value).matches();
  }

  private static String form(String value) {
    if (value == null || value.isEmpty()) {
      return "text";
    }
    // A bare number says nothing about suffixes; "30s" and "64M" do.
    for (String kind : List.of("bool", "int", "long", "duration", "size", "storage", "float")) {
      boolean isSizeNotMinutes = kind.equals("duration") && value.endsWith("M");
      if (!isSizeNotMinutes && FORMS.get(kind).matcher(value).matches()) {
        return kind;
      }
    }
    return "text";
  }
}

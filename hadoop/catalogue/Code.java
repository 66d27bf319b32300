import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * What the compiled code of a release says about configuration keys: which string constants it names,
 * and with which getter of Configuration each key is read. Nothing is loaded or run for it.
 */
final class Code {
  /** A constant field: its class, its name, its descriptor ("I", "Ljava/lang/String;") and its value. */
  record Constant(String owner, String field, String type, Object value) {}

  private static final String CONFIGURATION = "org/apache/hadoop/conf/Configuration";

  /** Keys by name, as the code reads them. */
  final Map<String, Reading> readings = new TreeMap<>();

  /** Every constant field of every class, in the order of jars and classes. */
  final List<Constant> constants = new ArrayList<>();

  /** Classes that register deprecated keys. */
  final Set<String> deprecating = new TreeSet<>();

  /** Texts that some method loads, other than to register them as deprecated or as their replacement. */
  final Set<String> used = new HashSet<>();

  /** Methods that read keys they are given, by owner, name and descriptor, with the kinds of each such argument. */
  private final Map<String, Map<Integer, Set<String>>> helpers = new HashMap<>();

  private final Map<String, String> parents = new HashMap<>();

  Code(List<Path> jars) throws IOException {
    for (Path jar : jars) {
      eachClass(jar, ClassReader.SKIP_CODE, node -> parents.put(node.name, node.superName));
    }
    for (Path jar : jars) {
      eachClass(jar, ClassReader.SKIP_DEBUG, this::note);
    }
    int known;
    do {
      known = helpers.size();
      for (Path jar : jars) {
        eachClass(jar, ClassReader.SKIP_DEBUG, this::read);
      }
    } while (helpers.size() > known);
  }

  interface Visit {
    void visit(ClassNode node);
  }

  static void eachClass(Path path, int flags, Visit visit) throws IOException {
    try (JarFile jar = new JarFile(path.toFile())) {
      jar.stream().filter(e -> e.getName().endsWith(".class") && !e.getName().startsWith("META-INF/"))
          .sorted((a, b) -> a.getName().compareTo(b.getName())).forEach(entry -> {
        try (InputStream in = jar.getInputStream(entry)) {
          ClassNode node = new ClassNode();
          new ClassReader(in).accept(node, flags);
          visit.visit(node);
        } catch (IOException error) {
          throw new UncheckedIOException(error);
        }
      });
    }
  }

  private void note(ClassNode node) {
    for (FieldNode field : node.fields) {
      if (field.value != null) {
        constants.add(new Constant(node.name, field.name, field.desc, field.value));
      }
    }
    for (MethodNode method : node.methods) {
      List<MethodInsnNode> calls = new ArrayList<>();
      Set<String> texts = new HashSet<>();
      for (AbstractInsnNode instruction : method.instructions) {
        if (instruction instanceof MethodInsnNode call) {
          calls.add(call);
        } else if (instruction instanceof LdcInsnNode load && load.cst instanceof String text) {
          texts.add(text);
        }
      }
      if ((node.access & Opcodes.ACC_ENUM) != 0 && method.name.equals("<clinit>")) {
        // An enum of keys passes each to its constructor.
        texts.forEach(text -> constants.add(new Constant(node.name, text, "Ljava/lang/String;", text)));
      }
      if (calls.stream().anyMatch(Code::deprecates)) {
        deprecating.add(node.name.replace('/', '.'));
      } else {
        used.addAll(texts);
      }
    }
  }

  static boolean deprecates(MethodInsnNode call) {
    return call.owner.equals(CONFIGURATION + "$DeprecationDelta")
        || call.owner.equals(CONFIGURATION) && call.name.startsWith("addDeprecation");
  }

  private boolean isConfiguration(String type) {
    for (String name = type; name != null; name = parents.get(name)) {
      if (name.equals(CONFIGURATION)) {
        return true;
      }
    }
    return false;
  }

  private void read(ClassNode node) {
    if (node.name.equals(CONFIGURATION)) {
      // Its own getters call one another.
      return;
    }
    for (MethodNode method : node.methods) {
      for (AbstractInsnNode instruction : method.instructions) {
        if (instruction instanceof MethodInsnNode call && !kinds(call).isEmpty()) {
          read(node, method);
          break;
        }
      }
    }
  }

  /** The arguments of a call that are keys, counted from 0, with the kinds that they are read as. */
  private Map<Integer, Set<String>> kinds(MethodInsnNode call) {
    if (isConfiguration(call.owner)) {
      String kind = Reading.kind(call);
      return kind == null ? Map.of() : Map.of(0, Set.of(kind));
    }
    // A call of an inherited method names the class that inherits.
    for (String owner = call.owner; owner != null; owner = parents.get(owner)) {
      Map<Integer, Set<String>> kinds = helpers.get(owner + "." + call.name + call.desc);
      if (kinds != null) {
        return kinds;
      }
    }
    return Map.of();
  }

  private void read(ClassNode node, MethodNode method) {
    Frame<SourceValue>[] frames;
    try {
      frames = new Analyzer<>(new Origins()).analyze(node.name, method);
    } catch (AnalyzerException error) {
      throw new IllegalStateException(node.name + "." + method.name, error);
    }
    for (int i = 0; i < frames.length; i++) {
      // Code that cannot be reached has no frame.
      if (frames[i] != null && method.instructions.get(i) instanceof MethodInsnNode call) {
        List<SourceValue> arguments = Origins.arguments(call, frames[i]);
        boolean hasFallback = isConfiguration(call.owner) && Reading.hasFallback(call);
        kinds(call).forEach((key, kinds) -> kinds.forEach(kind -> {
          Set<String> fallbacks = hasFallback ? Origins.literals(arguments.get(1), kind) : null;
          note(Origins.texts(arguments.get(key)), kind, fallbacks);
          for (int parameter : Origins.parameters(arguments.get(key), method)) {
            helpers.computeIfAbsent(node.name + "." + method.name + method.desc, name -> new HashMap<>())
                .computeIfAbsent(parameter, index -> new TreeSet<>()).add(kind);
          }
        }));
      }
    }
  }

  private void note(Set<String> keys, String kind, Set<String> fallbacks) {
    for (String key : keys) {
      Reading reading = readings.computeIfAbsent(key, name -> new Reading());
      if (fallbacks != null) {
        reading.add(kind, fallbacks);
      } else {
        reading.add(kind);
      }
    }
  }
}

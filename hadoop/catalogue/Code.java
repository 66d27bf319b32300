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

  private final Map<String, String> parents = new HashMap<>();

  Code(List<Path> jars) throws IOException {
    for (Path jar : jars) {
      eachClass(jar, ClassReader.SKIP_CODE, node -> parents.put(node.name, node.superName));
    }
    for (Path jar : jars) {
      eachClass(jar, ClassReader.SKIP_DEBUG, this::read);
    }
  }

  private interface Visit {
    void visit(ClassNode node);
  }

  private static void eachClass(Path path, int flags, Visit visit) throws IOException {
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

  private void read(ClassNode node) {
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
      if (calls.stream().anyMatch(call -> isConfiguration(call.owner))) {
        read(node, method);
      }
    }
  }

  private static boolean deprecates(MethodInsnNode call) {
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

  private void read(ClassNode node, MethodNode method) {
    Frame<SourceValue>[] frames;
    try {
      frames = new Analyzer<>(new Origins()).analyze(node.name, method);
    } catch (AnalyzerException error) {
      throw new IllegalStateException(node.name + "." + method.name, error);
    }
    for (int i = 0; i < frames.length; i++) {
      AbstractInsnNode instruction = method.instructions.get(i);
      // Code that cannot be reached has no frame.
      if (frames[i] != null && instruction instanceof MethodInsnNode call && isConfiguration(call.owner)) {
        read(call, frames[i]);
      }
    }
  }

  private void read(MethodInsnNode call, Frame<SourceValue> frame) {
    String kind = Reading.kind(call);
    if (kind == null) {
      return;
    }
    List<SourceValue> arguments = Origins.arguments(call, frame);
    for (String key : Origins.texts(arguments.get(0))) {
      Reading reading = readings.computeIfAbsent(key, name -> new Reading());
      if (Reading.hasFallback(call)) {
        reading.add(kind, Origins.literals(arguments.get(1), kind));
      } else {
        reading.add(kind);
      }
    }
  }
}

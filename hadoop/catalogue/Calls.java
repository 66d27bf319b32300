import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * Which methods call which, and so which texts the code names that a program can reach from the classes it starts with.
 *
 * A call of a method that subclasses override goes to those of classes that the program makes objects of (rapid type
 * analysis). Classes that are named, by a literal or a text, are made by reflection. What outsiders declare (Runnable,
 * servlets) is called by them. What is loaded by a name from a configuration has to be given as one of the roots.
 */
final class Calls {
  /** A method's own part of the graph. */
  private static final class Body {
    final List<String> exact = new ArrayList<>();
    final List<String> virtual = new ArrayList<>();
    final Set<String> made = new HashSet<>();
    final Set<String> touched = new HashSet<>();
    final Set<String> texts = new HashSet<>();
    final Set<String> plugins = new HashSet<>();
    final Set<String> fields = new HashSet<>();
  }

  /** A class: what it extends and implements, and its methods by name and descriptor. */
  private record Declared(ClassNode node, List<String> supers, Map<String, Body> bodies) {}

  private static final String CONFIGURATION = "org/apache/hadoop/conf/Configuration";
  private static final String CONCATENATION = "makeConcatWithConstants";

  private final Map<String, Declared> types = new HashMap<>();
  private final Map<String, List<String>> children = new HashMap<>();

  /** Static fields that hold a class or its name. */
  private final Map<String, Set<String>> constants = new HashMap<>();

  /** Texts that are named in methods, other than where a class is initialised; those in enums count. */
  private final Set<String> inMethods = new HashSet<>();

  Calls(List<Path> jars) throws IOException {
    for (Path jar : jars) {
      Code.eachClass(jar, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES, this::note);
    }
    types.forEach((name, type) -> type.supers.forEach(
        parent -> children.computeIfAbsent(parent, key -> new ArrayList<>()).add(name)));
  }

  private void note(ClassNode node) {
    List<String> supers = new ArrayList<>(node.interfaces);
    if (node.superName != null) {
      supers.add(node.superName);
    }
    Map<String, Body> bodies = new HashMap<>();
    for (MethodNode method : node.methods) {
      Body body = body(node, method);
      bodies.put(method.name + method.desc, body);
      if (!method.name.equals("<clinit>") || (node.access & Opcodes.ACC_ENUM) != 0) {
        inMethods.addAll(body.texts);
      }
    }
    node.methods.forEach(method -> method.instructions.clear());
    types.putIfAbsent(node.name, new Declared(node, supers, bodies));
  }

  private Body body(ClassNode node, MethodNode method) {
    Body body = new Body();
    boolean deprecates = false;
    for (AbstractInsnNode at : method.instructions) {
      if (at instanceof MethodInsnNode call) {
        String target = call.owner + "." + call.name + call.desc;
        boolean isExact = call.getOpcode() == Opcodes.INVOKESTATIC || call.getOpcode() == Opcodes.INVOKESPECIAL;
        (isExact ? body.exact : body.virtual).add(target);
        if (call.getOpcode() == Opcodes.INVOKESTATIC) {
          body.touched.add(call.owner);
        }
        deprecates |= Code.deprecates(call);
      } else if (at instanceof TypeInsnNode type && type.getOpcode() == Opcodes.NEW) {
        body.made.add(type.desc);
      } else if (at instanceof FieldInsnNode field && field.getOpcode() == Opcodes.GETSTATIC) {
        body.touched.add(field.owner);
        body.fields.add(field.owner + "." + field.name);
      } else if (at instanceof LdcInsnNode load && load.cst instanceof String text) {
        body.texts.add(text);
      } else if (at instanceof LdcInsnNode load && load.cst instanceof Type type && type.getSort() == Type.OBJECT) {
        literal(body, load, type.getInternalName());
      } else if (at instanceof InvokeDynamicInsnNode dynamic) {
        dynamic(body, dynamic);
      }
    }
    if (deprecates) {
      body.texts.clear();
    }
    return body;
  }

  private void literal(Body body, LdcInsnNode load, String type) {
    AbstractInsnNode next = load.getNext();
    boolean isNamed = next instanceof MethodInsnNode call && call.name.equals("getName");
    if ((isNamed ? next.getNext() : next) instanceof FieldInsnNode field && field.getOpcode() == Opcodes.PUTSTATIC) {
      // The class that a key has by default is made by who reads that constant, not by who reads another one.
      constants.computeIfAbsent(field.owner + "." + field.name, key -> new HashSet<>()).add(type);
      return;
    }
    if ((isNamed ? next.getNext() : next) instanceof MethodInsnNode call) {
      if (call.name.startsWith("getLog") || call.name.equals("desiredAssertionStatus")) {
        return;
      } else if (call.name.equals("getClass") && Type.getArgumentTypes(call.desc).length == 3
          || call.name.equals("getInstances")) {
        // Its last argument is what the class that the configuration names has to extend.
        body.plugins.add(type);
      }
    }
    body.made.add(type);
  }

  private static void dynamic(Body body, InvokeDynamicInsnNode dynamic) {
    for (Object argument : dynamic.bsmArgs) {
      if (argument instanceof Handle handle) {
        String target = handle.getOwner() + "." + handle.getName() + handle.getDesc();
        boolean isVirtual = handle.getTag() == Opcodes.H_INVOKEVIRTUAL || handle.getTag() == Opcodes.H_INVOKEINTERFACE;
        (isVirtual ? body.virtual : body.exact).add(target);
        if (handle.getTag() == Opcodes.H_NEWINVOKESPECIAL) {
          body.made.add(handle.getOwner());
        }
        body.touched.add(handle.getOwner());
      } else if (argument instanceof String text) {
        // A concatenation's recipe has \1 where a value goes.
        boolean isRecipe = dynamic.bsm.getName().equals(CONCATENATION);
        body.texts.addAll(isRecipe ? List.of(text.split("[\1\2]")) : List.of(text));
      }
    }
  }

  /** The texts that a daemon's code names, from the classes it starts with and those it loads by name. */
  Set<String> texts(Daemons.Daemon daemon) {
    return new Reach(daemon).texts;
  }

  /** All texts that any code names. */
  Set<String> texts() {
    Set<String> texts = new TreeSet<>();
    types.values().forEach(type -> type.bodies.values().forEach(body -> texts.addAll(body.texts)));
    return texts;
  }

  /** What one program reaches. */
  private final class Reach {
    final Set<String> texts = new TreeSet<>();
    private final Set<String> methods = new HashSet<>();
    private final Set<String> made = new HashSet<>();
    private final Set<String> touched = new HashSet<>();
    /** Methods called by the name and descriptor, each with the types that they were called on. */
    private final Map<String, Set<String>> called = new HashMap<>();
    private final Map<String, Set<String>> madeBelow = new HashMap<>();
    private final Deque<Runnable> waiting = new ArrayDeque<>();

    Reach(Daemons.Daemon daemon) {
      // What is reached already is not followed again.
      daemon.without().forEach(method -> methods.add(method.replace('.', '/').replace('#', '.')));
      for (String root : daemon.classes()) {
        String name = root.replace('.', '/');
        make(name);
        Set<String> ancestors = new HashSet<>();
        ancestors(name, ancestors, new HashSet<>());
        // Its command line is for other uses, too: all of HBase in one process.
        ancestors.forEach(owner -> types.get(owner).bodies.keySet().stream()
            .filter(method -> !method.startsWith("main(")).forEach(method -> dispatch(name, method)));
      }
      for (String folder : daemon.packages()) {
        String prefix = folder.replace('.', '/') + "/";
        types.keySet().stream().filter(name -> name.startsWith(prefix)).forEach(this::make);
      }
      while (!waiting.isEmpty()) {
        waiting.pop().run();
      }
    }

    private void reach(String owner, String method) {
      Declared type = types.get(owner);
      Body body = type == null ? null : type.bodies.get(method);
      if (body != null && !methods.contains(owner + "." + method.substring(0, method.indexOf('(')))
          && methods.add(owner + "." + method)) {
        waiting.push(() -> follow(owner, method, body));
      }
    }

    private void follow(String owner, String method, Body body) {
      touch(owner);
      boolean isInitialiser = method.equals("<clinit>()V");
      for (String text : body.texts) {
        if (!isInitialiser || !inMethods.contains(text) || (types.get(owner).node.access & Opcodes.ACC_ENUM) != 0) {
          texts.add(text);
        }
        String named = text.replace('.', '/');
        if (types.containsKey(named)) {
          make(named);
        }
      }
      body.touched.forEach(this::touch);
      body.made.forEach(this::make);
      body.fields.forEach(field -> constants.getOrDefault(field, Set.of()).forEach(this::make));
      body.plugins.forEach(plugin -> below(plugin).forEach(this::make));
      body.exact.forEach(this::exact);
      body.virtual.forEach(this::virtual);
    }

    private void touch(String name) {
      Declared type = types.get(name);
      if (type != null && touched.add(name)) {
        reach(name, "<clinit>()V");
        type.supers.forEach(this::touch);
      }
    }

    private void make(String name) {
      Declared type = types.get(name);
      if (type == null || (type.node.access & (Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT)) != 0 || !made.add(name)) {
        return;
      }
      touch(name);
      type.bodies.keySet().stream().filter(method -> method.startsWith("<init>")).forEach(m -> reach(name, m));
      Set<String> ancestors = new HashSet<>();
      Set<String> outside = new HashSet<>();
      ancestors(name, ancestors, outside);
      for (String ancestor : ancestors) {
        madeBelow.computeIfAbsent(ancestor, key -> new HashSet<>()).add(name);
        called.getOrDefault(ancestor, Set.of()).forEach(method -> dispatch(name, method));
      }
      if (!outside.isEmpty()) {
        // What a class of another project declares, that project calls.
        for (String ancestor : ancestors) {
          Declared own = types.get(ancestor);
          own.node.methods.stream()
              .filter(m -> (m.access & Opcodes.ACC_STATIC) == 0 && !m.name.startsWith("<"))
              .filter(m -> isOutsiders(outside, m)).forEach(m -> dispatch(name, m.name + m.desc));
        }
      }
    }

    private void exact(String target) {
      int dot = target.indexOf('.');
      String method = target.substring(dot + 1);
      for (String owner = target.substring(0, dot); owner != null && types.containsKey(owner);
          owner = types.get(owner).node.superName) {
        if (types.get(owner).bodies.containsKey(method)) {
          reach(owner, method);
          return;
        }
      }
    }

    private void virtual(String target) {
      int dot = target.indexOf('.');
      String owner = target.substring(0, dot);
      String method = target.substring(dot + 1);
      if (types.containsKey(owner) && called.computeIfAbsent(owner, key -> new HashSet<>()).add(method)) {
        List.copyOf(madeBelow.getOrDefault(owner, Set.of())).forEach(name -> dispatch(name, method));
      }
    }

    /** Reaches what an object of a class does when a method is called. */
    private void dispatch(String name, String method) {
      String found = null;
      for (String owner = name; owner != null && types.containsKey(owner); owner = types.get(owner).node.superName) {
        if (types.get(owner).bodies.containsKey(method)) {
          found = owner;
          break;
        }
      }
      if (found != null) {
        reach(found, method);
        return;
      }
      Set<String> ancestors = new HashSet<>();
      ancestors(name, ancestors, new HashSet<>());
      ancestors.stream().filter(parent -> types.get(parent).bodies.containsKey(method)).forEach(p -> reach(p, method));
    }
  }

  private final Map<String, Set<String>> outsiders = new HashMap<>();

  private boolean isOutsiders(Set<String> outside, MethodNode method) {
    return outside.stream().anyMatch(name -> declared(name).contains(method.name + method.desc)
        || declared(name).contains(method.name));
  }

  /** The methods of a class that is not among the jars', with those of its ancestors; from the class path. */
  private Set<String> declared(String name) {
    Set<String> known = outsiders.get(name);
    if (known != null) {
      return known;
    }
    Set<String> declared = new HashSet<>();
    outsiders.put(name, declared);
    if (name.equals("java/lang/Object")) {
      return declared;
    }
    ClassNode node = new ClassNode();
    try (var in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
      if (in == null) {
        return declared;
      }
      new ClassReader(in).accept(node, ClassReader.SKIP_CODE);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    for (MethodNode method : node.methods) {
      if ((method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0 && !method.name.startsWith("<")) {
        // Where types are parameters, descriptors differ.
        declared.add(method.signature == null ? method.name + method.desc : method.name);
      }
    }
    if (node.superName != null) {
      declared.addAll(declared(node.superName));
    }
    node.interfaces.forEach(parent -> declared.addAll(declared(parent)));
    return declared;
  }

  private void ancestors(String name, Set<String> ancestors, Set<String> outside) {
    Declared type = types.get(name);
    if (type == null) {
      outside.add(name);
    } else if (ancestors.add(name)) {
      type.supers.forEach(parent -> ancestors(parent, ancestors, outside));
    }
  }

  private Set<String> below(String name) {
    Set<String> below = new HashSet<>();
    Deque<String> next = new ArrayDeque<>(List.of(name));
    while (!next.isEmpty()) {
      String one = next.pop();
      if (below.add(one)) {
        next.addAll(children.getOrDefault(one, List.of()));
      }
    }
    return below;
  }
}

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/** Follows values back to the constants they came from, through local variables. */
final class Origins extends SourceInterpreter {
  Origins() {
    super(Opcodes.ASM9);
  }

  /** Stands for the instruction that put a parameter into its local variable, which happened in the caller. */
  private static final class Parameter extends InsnNode {
    final int local;

    Parameter(int local) {
      super(Opcodes.NOP);
      this.local = local;
    }
  }

  @Override
  public SourceValue newParameterValue(boolean isInstanceMethod, int local, Type type) {
    return new SourceValue(type.getSize(), new Parameter(local));
  }

  @Override
  public SourceValue copyOperation(AbstractInsnNode instruction, SourceValue value) {
    // A key that was first put into a variable still comes from where it was loaded.
    return value;
  }

  /** The values a call is given, without the object it is made on. */
  static List<SourceValue> arguments(MethodInsnNode call, Frame<SourceValue> frame) {
    int count = Type.getArgumentTypes(call.desc).length;
    List<SourceValue> values = new ArrayList<>();
    for (int i = frame.getStackSize() - count; i < frame.getStackSize(); i++) {
      values.add(frame.getStack(i));
    }
    return values;
  }

  /** Every text that a value may be. */
  static Set<String> texts(SourceValue value) {
    Set<String> texts = new TreeSet<>();
    for (AbstractInsnNode origin : value.insns) {
      if (origin instanceof LdcInsnNode load && load.cst instanceof String text) {
        texts.add(text);
      }
    }
    return texts;
  }

  /** Which arguments of the method a value may be, counted from 0 without the object it is called on. */
  static Set<Integer> parameters(SourceValue value, MethodNode method) {
    Set<Integer> parameters = new TreeSet<>();
    for (AbstractInsnNode origin : value.insns) {
      if (origin instanceof Parameter parameter) {
        int local = (method.access & Opcodes.ACC_STATIC) != 0 ? 0 : 1;
        Type[] types = Type.getArgumentTypes(method.desc);
        for (int i = 0; i < types.length; i++) {
          if (local == parameter.local) {
            parameters.add(i);
          }
          local += types[i].getSize();
        }
      }
    }
    return parameters;
  }

  /** What a value may be, as a configuration file would say it; empty if that is not known for each of its origins. */
  static Set<String> literals(SourceValue value, String kind) {
    Set<String> literals = new TreeSet<>();
    for (AbstractInsnNode origin : value.insns) {
      Object constant = constant(origin);
      if (constant == null) {
        return Set.of();
      }
      boolean isTruth = kind.equals("bool") && constant instanceof Integer;
      literals.add(isTruth ? String.valueOf(!constant.equals(0)) : constant.toString());
    }
    return literals;
  }

  private static Object constant(AbstractInsnNode origin) {
    int opcode = origin.getOpcode();
    if (origin instanceof LdcInsnNode load && !(load.cst instanceof Type)) {
      return load.cst;
    } else if (origin instanceof IntInsnNode push && opcode != Opcodes.NEWARRAY) {
      return push.operand;
    } else if (!(origin instanceof InsnNode)) {
      return null;
    } else if (opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5) {
      return opcode - Opcodes.ICONST_0;
    } else if (opcode == Opcodes.LCONST_0 || opcode == Opcodes.LCONST_1) {
      return (long) (opcode - Opcodes.LCONST_0);
    } else if (opcode >= Opcodes.FCONST_0 && opcode <= Opcodes.FCONST_2) {
      return (float) (opcode - Opcodes.FCONST_0);
    } else if (opcode == Opcodes.DCONST_0 || opcode == Opcodes.DCONST_1) {
      return (double) (opcode - Opcodes.DCONST_0);
    }
    return null;
  }
}

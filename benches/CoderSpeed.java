import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/** Encodes cells and rebuilds one of them by Hadoop's coders, for a second of CPU time each. */
public final class CoderSpeed {
  private static final int CELL = 1 << 20;
  private static final long SPAN_NS = 1_000_000_000L;

  private CoderSpeed() {}

  public static void main(String[] policies) throws Exception {
    for (String policy : policies) {
      String[] words = policy.split("-");
      ErasureCoderOptions options =
          new ErasureCoderOptions(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      Configuration conf = new Configuration(false);
      String codec = words[0].toLowerCase();
      RawErasureEncoder encoder = CodecUtil.createRawEncoder(conf, codec, options);
      RawErasureDecoder decoder = CodecUtil.createRawDecoder(conf, codec, options);
      measure(policy, encoder, decoder, options);
      // The first time is the compiler's.
      System.out.println(measure(policy, encoder, decoder, options));
    }
  }

  private static String measure(
      String policy, RawErasureEncoder encoder, RawErasureDecoder decoder, ErasureCoderOptions options)
      throws Exception {
    ByteBuffer[] data = cells(options.getNumDataUnits());
    ByteBuffer[] parity = cells(options.getNumParityUnits());
    Random random = new Random(1);
    for (ByteBuffer cell : data) {
      byte[] content = new byte[CELL];
      random.nextBytes(content);
      cell.put(content).clear();
    }
    long began = cpu();
    long rounds = 0;
    for (; cpu() - began < SPAN_NS; rounds++) {
      clear(data);
      clear(parity);
      encoder.encode(data, parity);
    }
    double encoded = 1e9 * rounds * data.length * CELL / (cpu() - began);
    ByteBuffer[] present = new ByteBuffer[data.length + parity.length];
    System.arraycopy(data, 1, present, 1, data.length - 1);
    present[data.length] = parity[0];
    ByteBuffer[] lost = cells(1);
    began = cpu();
    for (rounds = 0; cpu() - began < SPAN_NS; rounds++) {
      clear(data);
      clear(parity);
      clear(lost);
      decoder.decode(present, new int[] {0}, lost);
    }
    double rebuilt = 1e9 * rounds * CELL / (cpu() - began);
    clear(data);
    clear(lost);
    if (!lost[0].equals(data[0])) {
      throw new IllegalStateException(policy + ": the rebuilt cell differs from the lost one");
    }
    return String.format("%s %.0f %.0f", policy, encoded, rebuilt);
  }

  private static ByteBuffer[] cells(int count) {
    ByteBuffer[] cells = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      cells[i] = ByteBuffer.allocateDirect(CELL);
    }
    return cells;
  }

  private static void clear(ByteBuffer[] cells) {
    for (ByteBuffer cell : cells) {
      cell.clear();
    }
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}

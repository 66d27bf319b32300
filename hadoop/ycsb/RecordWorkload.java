import java.util.HashMap;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/**
 * YCSB's core workload with {@code dataintegrity}, and without comparing what it reads while it is timed.
 *
 * <p>Every value follows from its key and field, so that all of a table can be read back afterwards; to do so
 * within the operations would take processor time from those who ask. It also says when the first operation
 * began and the last one ended: YCSB's own run time has the time in it that connecting takes.
 */
public class RecordWorkload extends CoreWorkload {
  private final AtomicLong begun = new AtomicLong();
  private final LongAccumulator ended = new LongAccumulator(Math::max, 0);

  /** The value that YCSB writes, by the same rule as {@code CoreWorkload.buildDeterministicValue}. */
  static String value(String key, String field, int bytes) {
    var text = new StringBuilder(bytes).append(key).append(':').append(field);
    while (text.length() < bytes) {
      text.append(':').append(text.toString().hashCode());
    }
    text.setLength(bytes);
    return text.toString();
  }

  @Override
  public void init(Properties properties) throws WorkloadException {
    if (!Boolean.parseBoolean(properties.getProperty(DATA_INTEGRITY_PROPERTY))) {
      throw new WorkloadException(DATA_INTEGRITY_PROPERTY + ": must be true");
    }
    super.init(properties);
  }

  @Override
  protected void verifyRow(String key, HashMap<String, ByteIterator> cells) {}

  @Override
  public boolean doInsert(DB db, Object state) {
    begin();
    boolean done = super.doInsert(db, state);
    ended.accumulate(System.currentTimeMillis());
    return done;
  }

  @Override
  public boolean doTransaction(DB db, Object state) {
    begin();
    boolean done = super.doTransaction(db, state);
    ended.accumulate(System.currentTimeMillis());
    return done;
  }

  private void begin() {
    if (begun.get() == 0) {
      begun.compareAndSet(0, System.currentTimeMillis());
    }
  }

  @Override
  public void cleanup() throws WorkloadException {
    super.cleanup();
    System.out.printf("[HOWDAH], Begun(ms), %d%n[HOWDAH], Ended(ms), %d%n", begun.get(), ended.get());
  }
}

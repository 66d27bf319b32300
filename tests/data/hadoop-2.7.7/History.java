import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.mapreduce.*;
import org.apache.hadoop.mapreduce.jobhistory.*;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.yarn.api.records.*;

/** Writes a job's history as Hadoop 2.7.7 does: four maps, one of which failed once, and a reduce. */
public class History {
    static final long START = 1700000000000L;
    static final long MIB = 1 << 20;
    static final JobID JOB = new JobID("1699999000000", 7);
    static final ApplicationAttemptId MASTER =
        ApplicationAttemptId.newInstance(ApplicationId.newInstance(1699999000000L, 7), 1);
    static final List<HistoryEvent> EVENTS = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        EVENTS.add(new AMStartedEvent(MASTER, START, container(1), "nm1", 4000, 8042, START - 2000));
        EVENTS.add(new JobSubmittedEvent(JOB, "daily \u00fcber", "ann", START - 2000, "hdfs://n:8020/job.xml",
            new HashMap<JobACL, AccessControlList>(), "root.etl", "", "", "", "", ""));
        EVENTS.add(new JobQueueChangeEvent(JOB, "root.etl"));
        EVENTS.add(new JobInitedEvent(JOB, START + 3000, 4, 1, "INITED", false));
        EVENTS.add(new JobInfoChangeEvent(JOB, START - 2000, START + 3000));
        Counters maps = new Counters(), total = new Counters();
        for (int map = 0; map < 4; map++) maps.incrAllCounters(map(map));
        Counters reduce = reduce();
        total.incrAllCounters(maps);
        total.incrAllCounters(reduce);
        total.findCounter(JobCounter.MILLIS_MAPS).setValue(37000);
        total.findCounter(JobCounter.MB_MILLIS_MAPS).setValue(37000L * 2048);
        total.findCounter(JobCounter.MILLIS_REDUCES).setValue(20000);
        total.findCounter(JobCounter.MB_MILLIS_REDUCES).setValue(20000L * 2048);
        EVENTS.add(new JobFinishedEvent(JOB, START + 31000, 4, 1, 1, 0, maps, reduce, total));
        // The writer is visible in its package only.
        var writer = EventWriter.class.getDeclaredConstructors()[0];
        writer.setAccessible(true);
        Object file = writer.newInstance(new FSDataOutputStream(new FileOutputStream(words[0]), null));
        var write = EventWriter.class.getDeclaredMethod("write", HistoryEvent.class);
        write.setAccessible(true);
        for (HistoryEvent event : EVENTS) write.invoke(file, event);
        for (String end : new String[] {"flush", "close"}) {
            var method = EventWriter.class.getDeclaredMethod(end);
            method.setAccessible(true);
            method.invoke(file);
        }
    }

    static Counters map(int number) {
        TaskID task = new TaskID(JOB, TaskType.MAP, number);
        EVENTS.add(new TaskStartedEvent(task, START + 3100, TaskType.MAP, "nm1,nm2"));
        String node = "nm" + (1 + number % 2);
        long start = START + 4000 + number * 500;
        if (number == 2) {
            started(new TaskAttemptID(task, 0), TaskType.MAP, start, node, 10 + 2 * number, "NODE_LOCAL");
            EVENTS.add(new TaskAttemptUnsuccessfulCompletionEvent(new TaskAttemptID(task, 0), TaskType.MAP, "FAILED",
                start + 5000, node, 4000, "/rack1", "Error: java.io.IOException: disk full\n\tat X.y(X.java:1)",
                counters(100, 1, 256 * MIB, 10, 10, 1, 1, 0), splits()));
            start += 6000;
        }
        TaskAttemptID attempt = new TaskAttemptID(task, number == 2 ? 1 : 0);
        started(attempt, TaskType.MAP, start, node, 10 + 2 * number + attempt.getId(), "NODE_LOCAL");
        Counters own = counters(2000 + number, 40, 300 * MIB, 64 * MIB, 32 * MIB, 1000, 2000, 0);
        EVENTS.add(new MapAttemptFinishedEvent(attempt, TaskType.MAP, "SUCCEEDED", start + 7900, start + 8000, node, 4000,
            "/rack1", "map", own, splits()));
        EVENTS.add(new TaskFinishedEvent(task, attempt, start + 8000, TaskType.MAP, "SUCCEEDED", own));
        return own;
    }

    static Counters reduce() {
        TaskID task = new TaskID(JOB, TaskType.REDUCE, 0);
        TaskAttemptID attempt = new TaskAttemptID(task, 0);
        EVENTS.add(new TaskStartedEvent(task, START + 9000, TaskType.REDUCE, ""));
        started(attempt, TaskType.REDUCE, START + 10000, "nm2", 30, "OFF_SWITCH");
        Counters own = counters(3000, 50, 500 * MIB, 0, 0, 4000, 4000, 128 * MIB);
        EVENTS.add(new ReduceAttemptFinishedEvent(attempt, TaskType.REDUCE, "SUCCEEDED", START + 21000, START + 22000,
            START + 30000, "nm2", 4000, "/rack1", "reduce", own, splits()));
        EVENTS.add(new TaskFinishedEvent(task, attempt, START + 30000, TaskType.REDUCE, "SUCCEEDED", own));
        return own;
    }

    static void started(TaskAttemptID attempt, TaskType kind, long start, String node, int number, String locality) {
        EVENTS.add(new TaskAttemptStartedEvent(
            attempt, kind, start, node, 8042, 13562, container(number), locality, "VIRGIN"));
    }

    static ContainerId container(int number) {
        return ContainerId.newContainerId(MASTER, number);
    }

    static Counters counters(
        long cpuMs, long gcMs, long memory, long read, long local, long records, long spilled, long shuffled) {
        Counters counters = new Counters();
        String files = "org.apache.hadoop.mapreduce.FileSystemCounter";
        counters.findCounter(files, "FILE_BYTES_WRITTEN").setValue(local);
        counters.findCounter(files, "FILE_BYTES_READ").setValue(shuffled);
        counters.findCounter(files, "HDFS_BYTES_READ").setValue(read);
        counters.findCounter(files, "HDFS_BYTES_WRITTEN").setValue(shuffled);
        counters.findCounter(TaskCounter.CPU_MILLISECONDS).setValue(cpuMs);
        counters.findCounter(TaskCounter.GC_TIME_MILLIS).setValue(gcMs);
        counters.findCounter(TaskCounter.PHYSICAL_MEMORY_BYTES).setValue(memory);
        counters.findCounter(TaskCounter.MAP_OUTPUT_RECORDS).setValue(records);
        counters.findCounter(TaskCounter.SPILLED_RECORDS).setValue(spilled);
        if (shuffled > 0) {
            counters.findCounter(TaskCounter.REDUCE_SHUFFLE_BYTES).setValue(shuffled);
            counters.findCounter(TaskCounter.REDUCE_INPUT_RECORDS).setValue(records);
        }
        return counters;
    }

    static int[][] splits() {
        return new int[][] {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    }
}

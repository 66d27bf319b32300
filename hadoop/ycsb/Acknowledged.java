import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A client's ledger: of every field of every row, when the last write was asked that was acknowledged.
 *
 * <p>YCSB writes the same value to a field each time, so that of a write that is lost only the cell's time
 * tells: HBase gives a cell the time at which it was written, which is not before it was asked. Clients and
 * servers have to have one clock, as in a laboratory.
 */
final class Acknowledged {
  private static final int AT_ONCE = 500;
  private final Map<String, Long> asked = new ConcurrentHashMap<>();

  void note(String key, Set<String> fields, long at) {
    for (String field : fields) {
      asked.merge(key + " " + field, at, Math::max);
    }
  }

  void write(Path file) throws IOException {
    try (var out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
      asked.forEach((cell, at) -> out.println(cell + " " + at));
    }
  }

  /** Holds all ledgers of a folder against a table: how many cells are in them, and which are lost. */
  static Map<String, Object> check(Table table, Path folder) throws IOException {
    var all = new LinkedHashMap<String, Map<String, Long>>();
    try (var files = Files.newDirectoryStream(folder, "*.ledger")) {
      for (Path file : files) {
        read(file, all);
      }
    }
    long cells = 0;
    long lost = 0;
    String first = null;
    var keys = new ArrayList<String>(all.keySet());
    for (int from = 0; from < keys.size(); from += AT_ONCE) {
      List<String> part = keys.subList(from, Math.min(keys.size(), from + AT_ONCE));
      Result[] rows = table.get(part.stream().map(key -> new Get(Bytes.toBytes(key))).toList());
      for (int at = 0; at < rows.length; at++) {
        Map<String, Long> held = times(rows[at]);
        for (var cell : all.get(part.get(at)).entrySet()) {
          cells++;
          Long time = held.get(cell.getKey());
          if (time == null || time < cell.getValue()) {
            lost++;
            first = first != null ? first : part.get(at) + " " + cell.getKey() + " asked at " + cell.getValue();
          }
        }
      }
    }
    var said = new LinkedHashMap<String, Object>();
    said.put("cells", cells);
    said.put("lost", lost);
    said.put("first", first);
    return said;
  }

  private static void read(Path file, Map<String, Map<String, Long>> all) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        all.computeIfAbsent(words[0], key -> new LinkedHashMap<>())
            .merge(words[1], Long.parseLong(words[2]), Math::max);
      }
    }
  }

  private static Map<String, Long> times(Result row) {
    var times = new LinkedHashMap<String, Long>();
    if (!row.isEmpty()) {
      for (Cell cell : row.rawCells()) {
        times.put(Bytes.toString(CellUtil.cloneQualifier(cell)), cell.getTimestamp());
      }
    }
    return times;
  }
}

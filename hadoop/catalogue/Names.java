import java.util.Map;
import java.util.regex.Pattern;

/** Tells configuration keys from other texts of the code, and which file an administrator sets a key in. */
final class Names {
  // Jobs' own and tests' keys begin otherwise, as do class names, addresses and environment variables.
  private static final Pattern KEY = Pattern.compile(
      "(dfs|fs|hadoop|ha|io|ipc|net|rpc|yarn|mapreduce|mapred|hbase|zookeeper|security|ssl|file|ftp|nfs|httpfs|"
          + "bzip2|zlib|jvm|tfile|usergroupid|static)(\\.[A-Za-z0-9_-]+)+");

  private static final Pattern HOLDER =
      Pattern.compile(".*/\\w*(Keys|KeysPublic|Config|Configuration|HConstants)(\\$\\w+)?");

  private static final Map<String, String> HADOOP_FILES = Map.of(
      "dfs", "hdfs-site.xml", "nfs", "hdfs-site.xml", "yarn", "yarn-site.xml",
      "mapreduce", "mapred-site.xml", "mapred", "mapred-site.xml", "security", "hadoop-policy.xml");

  private Names() {}

  static boolean isKey(String text) {
    return KEY.matcher(text).matches();
  }

  /** Whether a constant is a key by where it is declared and by its value. */
  static boolean isKeyConstant(Code.Constant constant) {
    // Web servers are told by what they are made with which keys are theirs, and read these later.
    boolean says = HOLDER.matcher(constant.owner()).matches() || constant.field().endsWith("_KEY");
    return constant.value() instanceof String text && says && isKey(text) && !constant.field().startsWith("DEFAULT_") && !constant.field().endsWith("_DEFAULT")
        && !constant.field().endsWith("PREFIX");
  }

  /** The file for a key, where listed is the one whose defaults list it or null. */
  static String file(String product, String key, String listed) {
    if (key.startsWith("ssl.server.") || key.startsWith("ssl.client.")) {
      // Some are listed among HDFS's defaults, but a file of their own keeps their passwords.
      return key.substring(0, "ssl.server".length()).replace('.', '-') + ".xml";
    } else if (listed != null) {
      return listed;
    } else if (product.equals("hbase")) {
      return key.startsWith("security.") ? "hbase-policy.xml" : "hbase-site.xml";
    } else if (key.startsWith("yarn.app.mapreduce.")) {
      return "mapred-site.xml";
    } else if (key.startsWith("yarn.scheduler.capacity.")) {
      return "capacity-scheduler.xml";
    }
    return HADOOP_FILES.getOrDefault(key.substring(0, key.indexOf('.')), "core-site.xml");
  }
}

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Where each daemon's code begins: what the jars themselves do not say of it. */
final class Daemons {
  /**
   * One kind of daemon.
   *
   * @param classes the classes that it starts with, and those of other packages that it loads by a name from its files
   * @param packages packages that are its own: whatever of them the configuration names, it loads
   * @param without methods that it does not call although its code could, as class#method
   */
  record Daemon(List<String> classes, List<String> packages, List<String> without) {
    Daemon(List<String> classes, String... packages) {
      this(classes, List.of(packages), List.of());
    }
  }

  private static final String HDFS = "org.apache.hadoop.hdfs.";
  private static final String YARN = "org.apache.hadoop.yarn.server.";
  private static final String HBASE = "org.apache.hadoop.hbase.";

  // Paths that begin with hdfs:// or file:// lead to these, by their schemes.
  private static final List<String> FILE_SYSTEMS = List.of(
      HDFS + "DistributedFileSystem", "org.apache.hadoop.fs.Hdfs", "org.apache.hadoop.fs.local.LocalFs",
      "org.apache.hadoop.crypto.key.kms.KMSClientProvider",
      "org.apache.hadoop.crypto.key.kms.LoadBalancingKMSClientProvider");

  // A master is a region server without tables: it waits, and never gets as far as these.
  private static final List<String> NO_TABLES = List.of(
      HBASE + "regionserver.HRegionServer#initializeThreads",
      HBASE + "regionserver.HRegionServer#startServices",
      HBASE + "regionserver.HRegionServer#handleReportForDutyResponse",
      HBASE + "io.hfile.BlockCacheFactory#createBlockCache",
      HBASE + "mob.MobFileCache#<init>");

  private Daemons() {}

  /** The daemons of a product by the names that plans give them. */
  static Map<String, Daemon> of(String product) {
    return new TreeMap<>(product.equals("hbase") ? HBASES : HADOOPS);
  }

  private static final Map<String, Daemon> HADOOPS = Map.of(
      "NameNode", new Daemon(with(HDFS + "server.namenode.NameNode"),
          HDFS + "server.namenode", HDFS + "server.blockmanagement"),
      "SecondaryNameNode", new Daemon(List.of(HDFS + "server.namenode.SecondaryNameNode")),
      "JournalNode", new Daemon(List.of(HDFS + "qjournal.server.JournalNode"), HDFS + "qjournal.server"),
      "ZKFailoverController", new Daemon(List.of(HDFS + "tools.DFSZKFailoverController"), "org.apache.hadoop.ha"),
      "DataNode", new Daemon(with(HDFS + "server.datanode.DataNode"), HDFS + "server.datanode"),
      "ResourceManager", new Daemon(with(YARN + "resourcemanager.ResourceManager"), YARN + "resourcemanager"),
      "NodeManager", new Daemon(
          with(YARN + "nodemanager.NodeManager", "org.apache.hadoop.mapred.ShuffleHandler"), YARN + "nodemanager"),
      "JobHistoryServer", new Daemon(
          with("org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer"), "org.apache.hadoop.mapreduce.v2.hs"));

  private static final Map<String, Daemon> HBASES = Map.of(
      "HMaster", new Daemon(
          with(HBASE + "master.HMaster"), List.of(HBASE + "master", HBASE + "namequeues"), NO_TABLES),
      "RegionServer", new Daemon(
          with(HBASE + "regionserver.HRegionServer"), HBASE + "regionserver", HBASE + "namequeues"));

  private static List<String> with(String... own) {
    return Stream.concat(List.of(own).stream(), FILE_SYSTEMS.stream()).toList();
  }
}

import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.http.FilterContainer;
import org.apache.hadoop.http.HttpConfig;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.util.MRWebAppUtil;
import org.apache.hadoop.yarn.conf.HAUtil;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.webproxy.amfilter.AmFilterInitializer;
import org.apache.hadoop.yarn.webapp.util.WebAppUtils;

/** What Hadoop's own code makes of the masters' addresses in the configuration of its class path, a line each. */
public class Resolved {
  public static void main(String[] arguments) {
    Configuration jobs = new YarnConfiguration(new JobConf());
    for (String id : HAUtil.getRMHAIds(jobs)) {
      YarnConfiguration one = new YarnConfiguration(jobs);
      one.set(YarnConfiguration.RM_HA_ID, id);
      for (String key : YarnConfiguration.getServiceAddressConfKeys(one)) {
        say(key + "." + id, HAUtil.getConfValueForRMInstance(key, one));
      }
    }
    say("ResourceManager", WebAppUtils.getResolvedRemoteRMWebAppURLWithScheme(jobs));
    MRWebAppUtil.initialize(jobs);
    say("JobHistoryServer", MRWebAppUtil.getJHSWebappURLWithScheme(jobs));
    Configuration files = new HdfsConfiguration();
    boolean tls = DFSUtil.getHttpPolicy(files) == HttpConfig.Policy.HTTPS_ONLY;
    say("NameNode", DFSUtilClient.getHaNnRpcAddresses(files));
    say("NameNode's pages", DFSUtilClient.getHaNnWebHdfsAddresses(files, tls ? "swebhdfs" : "webhdfs"));
    // As an application master starts its pages; what it joins must be there for every ResourceManager.
    new ApplicationMaster().initFilter(new Filters(), jobs);
  }

  private static void say(String what, Map<String, Map<String, InetSocketAddress>> services) {
    services.values().forEach(service -> service.forEach(
        (id, address) -> say(what + " " + id, address.getHostString() + ":" + address.getPort())));
  }

  private static void say(String what, String answer) {
    System.out.println(what + "\t" + answer);
  }

  private static class ApplicationMaster extends AmFilterInitializer {
    @Override
    protected String getApplicationWebProxyBase() {
      return "/proxy/application";
    }
  }

  private static class Filters implements FilterContainer {
    @Override
    public void addFilter(String name, String className, Map<String, String> parameters) {
      parameters.forEach((parameter, value) -> say(name + " " + parameter, value));
    }

    @Override
    public void addGlobalFilter(String name, String className, Map<String, String> parameters) {
      addFilter(name, className, parameters);
    }
  }
}

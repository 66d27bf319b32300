# hbase-env.sh of nvme, HBase 2.6.4
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# The default is below the software's own directory, which an upgrade replaces
# [jvm.hbase-logs; HBase: hbase-env.sh, howdah]
export HBASE_LOG_DIR=/var/log/hbase

# The cluster has its own; start-hbase.sh would start more of them
# [hbase.own-zookeeper; HBase 2.6.4: hbase-env.sh, howdah]
export HBASE_MANAGES_ZK=false

# 4 GiB: it moves 1,500 regions of 15 RegionServers, 100 of each, and records each move; without a
# limit Java takes a quarter of the host's memory
# [hbase.master-heap; D3 120, Cloudera: hardware requirements, howdah]
export HBASE_MASTER_OPTS='-Xms4096m -Xmx4096m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -Djava.security.auth.login.config=/etc/security/jaas/hbase.conf'

# The default is /tmp: once a cleaner removes the file, the scripts cannot stop the daemon; /run is
# emptied at boot, when the daemons are gone too
# [jvm.hbase-process-ids; HBase: hbase-env.sh, howdah]
export HBASE_PID_DIR=/run/hbase

# A heap of 31 GiB, allocated at the start, 458 GiB of cache outside it: 489 GiB in all; G1 keeps
# pauses short, and its regions are so large that a memstore's chunk of 2 MiB is no humongous object
# [regionserver.heap; D3 120, D3 122, D2 112, HBase 2.6.4: reference guide on Java]
export HBASE_REGIONSERVER_OPTS='-Xms31744m -Xmx31744m -XX:+UseG1GC -XX:MaxGCPauseMillis=100 -XX:G1HeapRegionSize=32m -XX:+AlwaysPreTouch -XX:+UseTransparentHugePages -XX:+ExitOnOutOfMemoryError -XX:MaxDirectMemorySize=471040m -Djava.security.auth.login.config=/etc/security/jaas/hbase.conf'

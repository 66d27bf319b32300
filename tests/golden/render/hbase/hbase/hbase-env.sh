# hbase-env.sh of hbase, HBase 2.6.4
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# The cluster has its own; start-hbase.sh would start more of them
# [hbase.own-zookeeper; HBase 2.6.4: hbase-env.sh, howdah]
export HBASE_MANAGES_ZK=false

# 2 GiB: it keeps the list of regions, not their rows; without a limit Java takes a quarter of the
# host's memory
# [hbase.master-heap; D3 120, howdah]
export HBASE_MASTER_OPTS='-Xms2048m -Xmx2048m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# A heap of 31 GiB, touched at the start, 34 GiB of cache outside it: 65 GiB in all; G1 is the
# collector that every Java HBase runs on has
# [regionserver.heap; D3 120, D3 122, D2 112, howdah]
export HBASE_REGIONSERVER_OPTS='-Xms31744m -Xmx31744m -XX:+UseG1GC -XX:MaxGCPauseMillis=100 -XX:+ParallelRefProcEnabled -XX:+AlwaysPreTouch -XX:+UseTransparentHugePages -XX:+ExitOnOutOfMemoryError -XX:MaxDirectMemorySize=36864m'

# hbase-env.sh of hbase, HBase 2.6.4
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# A heap of 31 GiB, touched at the start, 34 GiB of cache beside it: 65 GiB in all; G1 is the
# collector that every Java HBase runs on has
# [regionserver.heap; D3 120, D3 122, D2 112, howdah]
export HBASE_REGIONSERVER_OPTS='-Xms31744m -Xmx31744m -XX:+UseG1GC -XX:MaxGCPauseMillis=100 -XX:+ParallelRefProcEnabled -XX:+AlwaysPreTouch -XX:+UseTransparentHugePages -XX:+ExitOnOutOfMemoryError -XX:MaxDirectMemorySize=36864m'

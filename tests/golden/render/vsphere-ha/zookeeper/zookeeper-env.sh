# zookeeper-env.sh of vsphere6
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# 1 GiB: 1 GiB, and another for every 500 of 124 workers: all its data are in memory, and a ZooKeeper
# that swaps loses its sessions; without a limit Java takes a quarter of the host's memory
# [zookeeper.heap; Cloudera: hardware requirements, ZooKeeper 3.8: administrator's guide, howdah]
export SERVER_JVMFLAGS='-Xms1024m -Xmx1024m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

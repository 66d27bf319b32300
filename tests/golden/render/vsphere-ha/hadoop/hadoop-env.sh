# hadoop-env.sh of vsphere6, Hadoop 3.5.0: masters, clients and workers
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# The default is below the software's own directory, which an upgrade replaces
# [jvm.hadoop-logs; Hadoop: hadoop-env.sh, howdah]
export HADOOP_LOG_DIR=/var/log/hadoop

# The default is /tmp: once a cleaner removes the file, the scripts cannot stop the daemon; /run is
# emptied at boot, when the daemons are gone too
# [jvm.hadoop-process-ids; Hadoop: hadoop-env.sh, howdah]
export HADOOP_PID_DIR=/run/hadoop

# A heap of 1.6 GiB: 4 GiB if the worker is large, less on a small worker, and 1 GiB for each million
# replicas on full disks
# [datanode.heap; D3 122, D0 142, Cloudera: HDFS heap sizing]
export HDFS_DATANODE_OPTS='-Xms1600m -Xmx1600m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 1 GiB: it keeps only new edits; without a limit Java takes a quarter of the host's memory
# [ha.journal-heap; D0 74, D2 100, Hadoop 3.5.0]
export HDFS_JOURNALNODE_OPTS='-Xms1024m -Xmx1024m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 2 GiB for the 1,847,743 blocks that full disks hold, 1.1 GB for a million: files of 64 MiB are
# 14,901 files and 18,626 blocks a TB (--mean-file changes that); 7 GiB, since nn1 has room: clients,
# snapshots and growth take it; G1 sizes its young generation by itself
# [namenode.heap; Cloudera: Sizing NameNode Heap Memory, Cloudera: Recommended settings for G1GC,
# Hortonworks: Configuring NameNode Heap Size, D1 77]
export HDFS_NAMENODE_OPTS='-Xms7168m -Xmx7168m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 256 MiB: it watches one NameNode; without a limit Java takes a quarter of the host's memory
# [ha.controller-heap; D0 74, D2 100, Hadoop 3.5.0]
export HDFS_ZKFC_OPTS='-Xms256m -Xmx256m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

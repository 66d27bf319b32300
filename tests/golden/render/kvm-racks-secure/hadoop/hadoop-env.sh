# hadoop-env.sh of nvme, Hadoop 3.5.0: masters, clients and workers
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# The default is below the software's own directory, which an upgrade replaces
# [jvm.hadoop-logs; Hadoop: hadoop-env.sh, howdah]
export HADOOP_LOG_DIR=/var/log/hadoop

# The default is /tmp: once a cleaner removes the file, the scripts cannot stop the daemon; /run is
# emptied at boot, when the daemons are gone too
# [jvm.hadoop-process-ids; Hadoop: hadoop-env.sh, howdah]
export HADOOP_PID_DIR=/run/hadoop

# A heap of 4 GiB: 4 GiB if the worker is large, less on a small worker, and 1 GiB for each million
# replicas on full disks
# [datanode.heap; D3 122, D0 142, Cloudera: HDFS heap sizing]
export HDFS_DATANODE_OPTS='-Xms4096m -Xmx4096m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 5 GiB for the 4,730,224 blocks that full disks hold, 1.1 GB for a million: files of 64 MiB are
# 14,901 files and 18,626 blocks a TB (--mean-file changes that); 30 GiB, since nn1 has room: clients,
# snapshots and growth take it; G1 sizes its young generation by itself
# [namenode.heap; Cloudera: Sizing NameNode Heap Memory, Cloudera: Recommended settings for G1GC,
# Hortonworks: Configuring NameNode Heap Size, D1 77]
export HDFS_NAMENODE_OPTS='-Xms30720m -Xmx30720m -XX:+UseG1GC -XX:+UseTransparentHugePages -XX:+ExitOnOutOfMemoryError'

# 30 GiB: to make a checkpoint it loads the blocks and files that the NameNode has, 5 GiB when disks
# are full, within the room on rm1
# [namenode.secondary-heap; D4 137, Hortonworks: Configuring NameNode Heap Size]
export HDFS_SECONDARYNAMENODE_OPTS='-Xms30720m -Xmx30720m -XX:+UseG1GC -XX:+UseTransparentHugePages -XX:+ExitOnOutOfMemoryError'

# hadoop-env.sh of vsphere6, Hadoop 3.5.0: masters, clients and workers
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# A heap of 1.6 GiB: a DataNode takes about 2 GB, less on a small worker, more where its disks hold
# millions of blocks
# [datanode.heap; D3 122, D0 142, howdah]
export HDFS_DATANODE_OPTS='-Xms1600m -Xmx1600m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 1 GiB: it keeps only the edits that come; without a limit Java takes a quarter of the host's memory
# [ha.journal-heap; D0 74, D2 100, Hadoop 3.5.0]
export HDFS_JOURNALNODE_OPTS='-Xms1024m -Xmx1024m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 1 GB for a million of the 369,548 blocks that full disks hold, 4 GiB where there is room, within the
# 60.2 GiB of nn1
# [namenode.heap; D1 77, D1 80, howdah]
export HDFS_NAMENODE_OPTS='-Xms4096m -Xmx4096m -XX:+UseG1GC -XX:+ParallelRefProcEnabled -XX:+ExitOnOutOfMemoryError'

# 256 MiB: it watches one NameNode; without a limit Java takes a quarter of the host's memory
# [ha.controller-heap; D0 74, D2 100, Hadoop 3.5.0]
export HDFS_ZKFC_OPTS='-Xms256m -Xmx256m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# hadoop-env.sh of seven, Hadoop 3.5.0: masters, clients and workers
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# A heap of 1.6 GiB: a DataNode takes about 2 GB, less on a small worker, more where its disks hold
# millions of blocks
# [datanode.heap; D3 122, D0 142, howdah]
export HDFS_DATANODE_OPTS='-Xms1600m -Xmx1600m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 1 GB for a million of the 34,769 blocks that full disks hold, 4 GiB where there is room, within the
# 8 GiB of nn1
# [namenode.heap; D1 77, D1 80, howdah]
export HDFS_NAMENODE_OPTS='-Xms3072m -Xmx3072m -XX:+UseG1GC -XX:+ParallelRefProcEnabled -XX:+ExitOnOutOfMemoryError'

# The NameNode's own: to make a checkpoint it loads the same blocks and files
# [namenode.secondary-heap; D4 137, howdah]
export HDFS_SECONDARYNAMENODE_OPTS='-Xms3072m -Xmx3072m -XX:+UseG1GC -XX:+ParallelRefProcEnabled -XX:+ExitOnOutOfMemoryError'

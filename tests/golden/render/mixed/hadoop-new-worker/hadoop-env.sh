# hadoop-env.sh of mixed, Hadoop 3.5.0: workers of the kind new-worker
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# A heap of 2.1 GiB: a DataNode takes about 2 GB, less on a small worker, more where its disks hold
# millions of blocks
# [datanode.heap; D3 122, D0 142, howdah]
export HDFS_DATANODE_OPTS='-Xms2176m -Xmx2176m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 1 GB for a million of the 2,050,399 blocks that full disks hold, 4 GiB where there is room, within
# the 128 GiB of nn1
# [namenode.heap; D1 77, D1 80, howdah]
export HDFS_NAMENODE_OPTS='-Xms4096m -Xmx4096m -XX:+UseG1GC -XX:+ParallelRefProcEnabled -XX:+ExitOnOutOfMemoryError'

# The NameNode's own: to make a checkpoint it loads the same blocks and files
# [namenode.secondary-heap; D4 137, howdah]
export HDFS_SECONDARYNAMENODE_OPTS='-Xms4096m -Xmx4096m -XX:+UseG1GC -XX:+ParallelRefProcEnabled -XX:+ExitOnOutOfMemoryError'

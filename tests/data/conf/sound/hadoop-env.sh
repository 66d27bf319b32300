export HADOOP_LOG_DIR=/var/log/hadoop
export HDFS_NAMENODE_OPTS="-Xms16g -Xmx16g -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError"
export HDFS_DATANODE_OPTS="-Xms2g -Xmx2g -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError"

export HADOOP_HOME=/opt/tdp/hadoop-3.3.6-1.0

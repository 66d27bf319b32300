export HADOOP_HOME=/opt/hadoop-3.3.5

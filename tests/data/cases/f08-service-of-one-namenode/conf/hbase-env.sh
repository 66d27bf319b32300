export JAVA_HOME=/opt/jdk7
export HADOOP_HOME=/opt/hadoop-2.5.2

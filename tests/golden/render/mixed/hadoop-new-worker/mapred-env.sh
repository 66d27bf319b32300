# mapred-env.sh of mixed, Hadoop 3.5.0: workers of the kind new-worker
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# 1 GiB: 512 MiB and 12 kB for each of 40,000 tasks that it keeps; a smaller heap ends with the first
# large job
# [jobs.history-heap; MAPREDUCE-6622, Hadoop 3.5.0: mapred-default.xml, MAPREDUCE-7150]
export MAPRED_HISTORYSERVER_OPTS='-Xms1024m -Xmx1024m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# mapred-env.sh of nvme, Hadoop 3.5.0: masters, clients and workers
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# 1 GiB: it keeps some thousands of jobs in memory; without a limit Java takes a quarter of the host's
# memory
# [jobs.history-heap; D0 142, howdah]
export MAPRED_HISTORYSERVER_OPTS='-Xms1024m -Xmx1024m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

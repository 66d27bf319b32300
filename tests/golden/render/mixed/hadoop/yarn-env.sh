# yarn-env.sh of mixed, Hadoop 3.5.0: masters and clients; workers have folders of their own
# JAVA_HOME is the site's own: set it for the daemons' users, or here.

# A heap of 1.6 GiB: it also serves map output to every reduce task
# [nodemanager.heap; Hadoop 3.5.0: yarn-default.xml, howdah]
export YARN_NODEMANAGER_OPTS='-Xms1600m -Xmx1600m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

# 2 GiB: 1 GiB, and another for every 250 of 19 NodeManagers and 50,000 of 1,244 concurrent
# containers, if its host has the memory; without a limit Java takes a quarter of the host's memory
# [scheduler.heap; D1 81, D1 87, howdah]
export YARN_RESOURCEMANAGER_OPTS='-Xms2048m -Xmx2048m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError'

#!/usr/bin/env bash
# A Hadoop cluster as somebody else would start it: this script knows nothing of howdah, and howdah nothing of it.
#
#   hadoop.sh start DIR JARS PORT   two DataNodes, one NodeManager and the masters on ports PORT to PORT+30
#   hadoop.sh stop DIR              end them all
#
# DIR/client is the configuration for clients.
set -euo pipefail

what=$1 dir=$2
if [ "$what" = stop ]; then
    for file in "$dir"/*.pid; do
        [ -e "$file" ] && kill "$(cat "$file")" 2>/dev/null || true
    done
    for file in "$dir"/*.pid; do
        while [ -e "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null; do sleep 0.2; done
        rm -f "$file"
    done
    exit 0
fi
jars=$3 port=$4
mkdir -p "$dir"/{client,dn1,dn2,logs,data,classes/webapps/hdfs,classes/webapps/datanode}

property() { printf '<property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
site() { # site FILE KEY VALUE KEY VALUE ...
    local file=$1
    shift
    { echo '<configuration>'; while [ $# -gt 0 ]; do property "$1" "$2"; shift 2; done; echo '</configuration>'; } >"$file"
}

opens="--add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED"
opens="$opens --add-opens=java.base/java.io=ALL-UNNAMED --add-opens=java.base/java.net=ALL-UNNAMED"
soon="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
site "$dir/client/core-site.xml" \
    fs.defaultFS "hdfs://127.0.0.1:$port" hadoop.tmp.dir "$dir/tmp" dfs.client.use.datanode.hostname false
site "$dir/client/hdfs-site.xml" \
    dfs.namenode.http-address "127.0.0.1:$((port + 1))" dfs.replication 2 dfs.blocksize 16m \
    dfs.namenode.name.dir "file://$dir/data/name" dfs.namenode.fs-limits.min-block-size 1048576
site "$dir/client/yarn-site.xml" \
    yarn.resourcemanager.hostname 127.0.0.1 yarn.resourcemanager.address "127.0.0.1:$((port + 2))" \
    yarn.resourcemanager.scheduler.address "127.0.0.1:$((port + 3))" \
    yarn.resourcemanager.resource-tracker.address "127.0.0.1:$((port + 4))" \
    yarn.resourcemanager.admin.address "127.0.0.1:$((port + 5))" \
    yarn.resourcemanager.webapp.address "127.0.0.1:$((port + 6))" \
    yarn.nodemanager.address "127.0.0.1:$((port + 7))" yarn.nodemanager.localizer.address "127.0.0.1:$((port + 8))" \
    yarn.nodemanager.webapp.address "127.0.0.1:$((port + 9))" yarn.nodemanager.aux-services mapreduce_shuffle \
    yarn.nodemanager.local-dirs "$dir/data/local" yarn.nodemanager.log-dirs "$dir/data/containers" \
    yarn.nodemanager.resource.memory-mb 4096 yarn.scheduler.minimum-allocation-mb 256 \
    yarn.nodemanager.vmem-check-enabled false yarn.nodemanager.disk-health-checker.enable false \
    yarn.resourcemanager.nodemanagers.heartbeat-interval-ms 200 yarn.application.classpath "$jars/*"
site "$dir/client/mapred-site.xml" \
    mapreduce.framework.name yarn mapreduce.application.classpath "$jars/*" mapreduce.shuffle.port "$((port + 10))" \
    mapreduce.jobhistory.address "127.0.0.1:$((port + 11))" \
    mapreduce.jobhistory.webapp.address "127.0.0.1:$((port + 12))" \
    mapreduce.jobhistory.admin.address "127.0.0.1:$((port + 13))" \
    yarn.app.mapreduce.am.resource.mb 640 mapreduce.map.memory.mb 512 mapreduce.reduce.memory.mb 512 \
    yarn.app.mapreduce.am.command-opts "-Xmx384m $soon $opens" mapreduce.map.java.opts "-Xmx320m $soon $opens" \
    mapreduce.reduce.java.opts "-Xmx320m $soon $opens" mapreduce.task.io.sort.mb 64 \
    yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms 200 mapreduce.client.progressmonitor.pollinterval 200
site "$dir/client/capacity-scheduler.xml" \
    yarn.scheduler.capacity.root.queues "default,closed" yarn.scheduler.capacity.root.default.capacity 100 \
    yarn.scheduler.capacity.root.closed.capacity 0 yarn.scheduler.capacity.root.closed.state STOPPED \
    yarn.scheduler.capacity.maximum-am-resource-percent 0.5
for number in 1 2; do
    cp "$dir"/client/*.xml "$dir/dn$number"
    base=$((port + 10 + 5 * number))
    sed -i "s|</configuration>|$(property dfs.datanode.data.dir "file://$dir/data/dn$number")$(
        property dfs.datanode.address "127.0.0.1:$base")$(
        property dfs.datanode.http.address "127.0.0.1:$((base + 1))")$(
        property dfs.datanode.ipc.address "127.0.0.1:$((base + 2))")</configuration>|" "$dir/dn$number/hdfs-site.xml"
done

program() { # program CONF CLASS ARGUMENTS...
    # shellcheck disable=SC2086
    java -Xmx256m $soon $opens -cp "$1:$dir/classes:$jars/*" "${@:2}"
}
daemon() { # daemon NAME CONF CLASS
    # shellcheck disable=SC2086
    setsid java -Xmx256m $soon $opens -cp "$2:$dir/classes:$jars/*" "$3" \
        >"$dir/logs/$1.log" 2>&1 </dev/null &
    echo $! >"$dir/$1.pid"
}
hdfs=org.apache.hadoop.hdfs.server yarn=org.apache.hadoop.yarn.server
program "$dir/client" $hdfs.namenode.NameNode -format -nonInteractive >"$dir/logs/format.log" 2>&1
daemon namenode "$dir/client" $hdfs.namenode.NameNode
daemon datanode1 "$dir/dn1" $hdfs.datanode.DataNode
daemon datanode2 "$dir/dn2" $hdfs.datanode.DataNode
daemon resourcemanager "$dir/client" $yarn.resourcemanager.ResourceManager
daemon nodemanager "$dir/client" $yarn.nodemanager.NodeManager
daemon historyserver "$dir/client" org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer

awaited() { # awaited WHAT URL PATTERN
    for _ in $(seq 240); do
        curl -sf "$2" 2>/dev/null | tr -d ' \n' | grep -qE "$3" && return
        for file in "$dir"/*.pid; do
            kill -0 "$(cat "$file")" 2>/dev/null || { echo "$file has ended" >&2; tail -5 "$dir/logs/$(basename "$file" .pid).log" >&2; exit 1; }
        done
        sleep 0.5
    done
    echo "$1 does not come up" >&2
    exit 1
}
awaited HDFS "http://127.0.0.1:$((port + 1))/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState" '"NumLiveDataNodes":2,'
awaited HDFS "http://127.0.0.1:$((port + 1))/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo" '"Safemode":"",'
awaited YARN "http://127.0.0.1:$((port + 6))/ws/v1/cluster/metrics" '"activeNodes":1,'
awaited history "http://127.0.0.1:$((port + 12))/ws/v1/history/info" historyInfo

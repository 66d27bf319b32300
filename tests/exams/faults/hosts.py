"""Faults of hosts, their operating system and Java."""

from __future__ import annotations

from support.faults import GB, Exhibit, Fault, both, every, host, is_data, line, text


def _slaves(exhibit: Exhibit) -> None:
    exhibit.texts["slaves"] = exhibit.texts.pop("workers")


def _port(row: dict[str, object]) -> bool:
    return row["member_of"] is not None


FAULTS = (
    Fault(
        "swappiness 60",
        host("memory", "swappiness", value=60),
        "vm.swappiness",
        "HBase book, trouble.rs.runtime.zkexpired; Cloudera Enterprise 6.3, Optimizing Performance",
        warns=True,
    ),
    Fault(
        "tasks wait for huge pages",
        host("memory", "transparent_huge_pages_defrag", value="always"),
        "transparent_hugepage.defrag",
        "Cloudera Enterprise 6.3, Optimizing Performance, Disabling Transparent Hugepages",
        warns=True,
    ),
    Fault(
        "1,024 open files",
        host("limits", "open_files", value=1024),
        "nofile",
        "HBase book, trouble.rs.runtime.filehandles",
    ),
    Fault(
        "access times are written",
        every("file_systems", "options", ["rw", "relatime"], where=is_data),
        "noatime",
        "Hadoop wiki, DiskSetup",
        warns=True,
    ),
    Fault(
        "a RAID for data",
        both(
            host("file_systems", 1, "disks", value=["sdb", "sdc"]),
            host("file_systems", 1, "disk", value=None),
        ),
        "array",
        "Hadoop wiki, DiskSetup",
        warns=True,
    ),
    Fault(
        "two MTUs",
        both(host("nics", 1, "member_of", value=None), host("nics", 1, "mtu", value=1500)),
        "MTU",
        "HDP 2.6, Cluster Planning, network",
        warns=True,
    ),
    Fault(
        "1GbE for twelve disks",
        both(
            every("nics", "speed_bits_per_s", GB, where=_port),
            host("nics", 0, "speed_bits_per_s", value=2 * GB),
        ),
        "ports",
        "AMAX, 1GbE against 10GbE",
        warns=True,
    ),
    Fault(
        "clock runs free",
        host("software", "clock_synchronised", value=False),
        "chrony",
        "HBase book, basic.prerequisites, NTP",
        warns=True,
    ),
    Fault(
        "a heap of 4,096 bytes",
        line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xmx4096'"),
        "HDFS_DATANODE_OPTS",
        "HADOOP-10950, release notes of Hadoop 3.0.0-alpha1: numbers alone were megabytes",
    ),
    Fault(
        "more heap at first than at most",
        line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xms4g -Xmx2g'"),
        "HDFS_DATANODE_OPTS",
        "java: Initial heap size set to a larger value than the maximum heap size",
    ),
    Fault(
        "two collectors",
        line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xmx2g -XX:+UseG1GC -XX:+UseParallelGC'"),
        "-XX:+UseG1GC",
        "java 17: Conflicting collector combinations in option list",
    ),
    Fault(
        "a log option of Java 8",
        line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xmx2g -XX:+PrintGCDateStamps'"),
        "-Xlog:gc*",
        "JEP 271",
    ),
    Fault(
        "a debugger's port",
        line(
            "hadoop-env.sh",
            "export HDFS_DATANODE_OPTS='-Xmx2g -agentlib:jdwp=transport=dt_socket,server=y,address=*:5005'",
        ),
        "jdwp",
        "JDK 9 release notes: address=* accepts connections from any host",
        warns=True,
    ),
    Fault(
        "JAVA_HOME of Java 8",
        line("hadoop-env.sh", "export JAVA_HOME=/usr/lib/jvm/java-8-openjdk-amd64"),
        "JAVA_HOME",
        "HADOOP-17177: Hadoop 3.5.0 needs Java 17",
    ),
    Fault(
        "process ids below /tmp",
        line("hadoop-env.sh", "export HADOOP_PID_DIR=/tmp"),
        "HADOOP_PID_DIR",
        "hadoop-env.sh of Hadoop's archive: HADOOP_PID_DIR is not to be a folder that others write to",
        warns=True,
    ),
    Fault(
        "memory promised twice",
        line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xms240g -Xmx240g'"),
        "HDFS_DATANODE_OPTS",
        "HBase book, trouble.rs.runtime.zkexpired",
    ),
    Fault(
        "a heap that grows from 4 to 64 GiB",
        line("hadoop-env.sh", "export HDFS_NAMENODE_OPTS='-Xms4g -Xmx64g -XX:+UseG1GC'"),
        "-Xms to 64g in HDFS_NAMENODE_OPTS",
        "HDP 2.6, Configuring NameNode Heap Size: -Xms as -Xmx",
        warns=True,
    ),
    Fault(
        "one heap for all",
        line("hadoop-env.sh", "export HADOOP_HEAPSIZE=4096"),
        "HDFS_NAMENODE_OPTS",
        "HADOOP-10950, release notes of Hadoop 3.0.0-alpha1",
        warns=True,
    ),
    Fault(
        "1,024 threads for a user",
        host("limits", "processes", value=1024),
        "nproc",
        "HBase book, trouble.rs.runtime.oom_nt",
    ),
    Fault(
        "a listen queue of 128",
        host("network", "somaxconn", value=128),
        "net.core.somaxconn",
        "core-default.xml, ipc.server.listen.queue.size",
        warns=True,
    ),
    Fault(
        "a data disk that is read-only",
        every("file_systems", "options", ["ro", "noatime"], where=lambda row: row["mount"] == "/data/03"),
        "repair or replace the disk",
        "Hadoop documentation, NodeManager, Disk Checker",
    ),
    Fault(
        "a full data disk",
        every("file_systems", "free_bytes", 10 * GB, where=lambda row: row["mount"] == "/data/03"),
        "add hosts or delete data",
        "Hadoop documentation, NodeManager, Disk Checker: 90 percent",
        warns=True,
    ),
    Fault(
        "a full system disk",
        every("file_systems", "free_bytes", GB, where=lambda row: row["mount"] == "/"),
        "from /",
        "HDFS Users Guide: a NameNode without room for its log goes into safe mode",
        warns=True,
    ),
    Fault(
        "one disk in fifty for root",
        both(
            every("file_systems", "kind", "ext4", where=is_data),
            every("file_systems", "reserved_bytes", 200 * GB, where=is_data),
        ),
        "tune2fs",
        "Hadoop wiki, DiskSetup",
        warns=True,
    ),
    Fault(
        "data on btrfs",
        every("file_systems", "kind", "btrfs", where=is_data),
        "make XFS",
        "HDP 2.6, Cluster Planning, file systems",
        warns=True,
    ),
    Fault(
        "a port of 100 Mb/s",
        both(
            every("nics", "speed_bits_per_s", GB // 10, where=_port),
            host("nics", 0, "speed_bits_per_s", value=GB // 5),
        ),
        "port",
        "Do et al., Limplock, SoCC 2013: a NIC that fell from 1 Gb/s to 1 Mb/s",
        warns=True,
    ),
    Fault(
        "a clock that saves power",
        host("cpu", "governor", value="powersave"),
        "cpupower",
        "Red Hat Enterprise Linux 9, Monitoring and managing system status, tuned",
        warns=True,
    ),
    Fault(
        "memory that may not be promised",
        host("memory", "overcommit_memory", value=2),
        "vm.overcommit_memory",
        "HADOOP-5059; java.io.IOException: error=12, Cannot allocate memory",
        warns=True,
    ),
    Fault(
        "half of the memory unwritten",
        both(host("memory", "dirty_background_ratio", value=50), host("memory", "dirty_ratio", value=80)),
        "vm.dirty_background_ratio",
        "Linux, Documentation for /proc/sys/vm",
        warns=True,
    ),
    Fault(
        "log files that turn by themselves",
        line(
            "hadoop-env.sh",
            "export HDFS_NAMENODE_OPTS='-Xms16g -Xmx16g -XX:+UseGCLogFileRotation -XX:NumberOfGCLogFiles=10'",
        ),
        "-XX:+UseGCLogFileRotation",
        "JEP 271",
    ),
    Fault(
        "options of a JVM before 12",
        line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xms2g -Xmx2g -XX:+AggressiveOpts'"),
        "-XX:+AggressiveOpts",
        "java 17: Unrecognized VM option",
    ),
    Fault(
        "64 bits asked for",
        line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xms2g -Xmx2g -d64'"),
        "-d64",
        "JDK 10 release notes: -d32 and -d64 are removed",
    ),
    Fault(
        "a NameNode's options of Hadoop 2",
        both(
            text(
                "hadoop-env.sh",
                "export HADOOP_LOG_DIR=/var/log/hadoop\n"
                "export HADOOP_NAMENODE_OPTS='-Xms16g -Xmx16g -XX:+UseG1GC'\n"
                "export HDFS_DATANODE_OPTS='-Xms2g -Xmx2g -XX:+UseG1GC'",
            )
        ),
        "HDFS_NAMENODE_OPTS",
        "Hadoop documentation, Unix Shell Guide, (command)_(subcommand)_OPTS",
        warns=True,
    ),
    Fault(
        "slaves, not workers",
        _slaves,
        "workers",
        "HADOOP-13209; Hadoop documentation, Cluster Setup, Slaves File",
        warns=True,
    ),
    Fault(
        "JAVA_HOME of itself",
        line("hadoop-env.sh", "export JAVA_HOME=${JAVA_HOME}"),
        "JAVA_HOME",
        "Hadoop documentation, Single Node: JAVA_HOME is not set over ssh",
        warns=True,
    ),
    Fault(
        "a heap with a blank",
        line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xmx 2g'"),
        "HDFS_DATANODE_OPTS",
        "java: Invalid maximum heap size: -Xmx",
    ),
    Fault(
        "an agent open to all",
        line(
            "yarn-env.sh",
            "export YARN_RESOURCEMANAGER_OPTS='-Xmx4g -Dcom.sun.management.jmxremote.port=8004 "
            "-Dcom.sun.management.jmxremote.authenticate=false'",
        ),
        "jmxremote",
        "JDK 17, Monitoring and Management Using JMX: anyone who knows the port",
        warns=True,
    ),
    Fault(
        "a host that calls itself 127.0.1.1",
        host("network", "own_address", value="127.0.1.1"),
        "/etc/hosts",
        "HBase book, trouble.rs.startup.master_no_region",
    ),
)

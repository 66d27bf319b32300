"""Faults of HDFS and of who may do what."""

from __future__ import annotations

from support.faults import Fault, append, both, drop, host, line, put, rename, text

CORE = "core-site.xml"
HDFS = "hdfs-site.xml"
MAPRED = "mapred-site.xml"
HVE = "org.apache.hadoop.net.NetworkTopologyWithNodeGroup"
BY_NODE_GROUP = "org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyWithNodeGroup"

KERBEROS = both(
    put(CORE, "hadoop.security.authentication", "kerberos"),
    put(CORE, "hadoop.security.authorization", "true"),
)


FAULTS = (
    Fault(
        "former name",
        rename(HDFS, "dfs.blocksize", "dfs.block.size"),
        "dfs.blocksize",
        "Hadoop documentation, Deprecated Properties",
        warns=True,
    ),
    Fault(
        "fraction where a whole number is read",
        put(HDFS, "dfs.namenode.handler.count", "0.5"),
        "dfs.namenode.handler.count",
        "Xu et al., Early Detection of Configuration Errors, OSDI 2016",
    ),
    Fault(
        "yes for true",
        put(HDFS, "dfs.permissions.enabled", "yes"),
        "dfs.permissions.enabled",
        "Configuration.getBoolean takes true and false alone, and anything else for the default",
    ),
    Fault(
        "a property twice in a file",
        append(HDFS, "dfs.replication", "2"),
        "dfs.replication",
        "Hadoop API, Configuration: what is read later wins",
        warns=True,
    ),
    Fault(
        "a final property set again",
        both(append(CORE, "dfs.replication", "2", final=True)),
        "dfs.replication",
        "Hadoop API, Configuration, Final Parameters",
        warns=True,
    ),
    Fault(
        "a property in a file nobody reads it from",
        both(
            drop(HDFS, "dfs.datanode.max.transfer.threads"),
            put(MAPRED, "dfs.datanode.max.transfer.threads", "8192"),
        ),
        "dfs.datanode.max.transfer.threads",
        "Hadoop documentation, Cluster Setup: which daemon reads which file",
        warns=True,
    ),
    Fault(
        "a variable nobody sets",
        put(HDFS, "dfs.hosts", "${conf.root}/dfs.include"),
        "conf.root",
        "Hadoop API, Configuration, Variable Expansion",
        warns=True,
    ),
    Fault(
        "replication 1",
        put(HDFS, "dfs.replication", "1"),
        "dfs.replication",
        "HBase book, dfs.replication; Hadoop documentation, HDFS Architecture, Data Replication",
    ),
    Fault(
        "the local disk for HDFS",
        drop(CORE, "fs.defaultFS"),
        "fs.defaultFS",
        "Hadoop wiki, ConnectionRefused and UnsetHostnameOrPort",
    ),
    Fault("more replicas than workers", put(HDFS, "dfs.replication", "40"), "dfs.replication", "HDFS-3091"),
    Fault(
        "metadata below /tmp",
        put(HDFS, "dfs.namenode.name.dir", "/tmp/hadoop/name"),
        "dfs.namenode.name.dir",
        "hdfs-default.xml: the default lies below hadoop.tmp.dir, which lies below /tmp",
    ),
    Fault(
        "tolerates the loss of every disk",
        put(HDFS, "dfs.datanode.failed.volumes.tolerated", "12"),
        "dfs.datanode.failed.volumes.tolerated",
        "HDFS-1592",
    ),
    Fault(
        "no permissions",
        put(HDFS, "dfs.permissions.enabled", "false"),
        "dfs.permissions.enabled",
        "Hadoop documentation, HDFS Permissions Guide",
    ),
    Fault(
        "block of no whole checksums",
        put(HDFS, "dfs.blocksize", "134217700"),
        "dfs.blocksize",
        "DFSOutputStream: io.bytes.per.checksum and blockSize do not match",
    ),
    Fault(
        "block of a kilobyte", put(HDFS, "dfs.blocksize", "1000"), "dfs.blocksize to 134217728", "HDFS-4305"
    ),
    Fault(
        "short circuit without a socket",
        drop(HDFS, "dfs.domain.socket.path"),
        "dfs.domain.socket.path",
        "HDFS-347; Hadoop documentation, Short-Circuit Local Reads",
    ),
    Fault(
        "both NameNodes on one host",
        put(HDFS, "dfs.namenode.rpc-address.prod.nn2", "m1.example.com:8020"),
        "dfs.namenode.rpc-address.prod.nn2",
        "Hadoop documentation, HDFS High Availability, Hardware resources",
    ),
    Fault(
        "an even number of JournalNodes",
        put(HDFS, "dfs.namenode.shared.edits.dir", "qjournal://m1.example.com:8485;m2.example.com:8485/prod"),
        "dfs.namenode.shared.edits.dir",
        "Hadoop documentation, HDFS High Availability, Hardware resources",
    ),
    Fault(
        "node groups as documented",
        both(put(CORE, "net.topology.impl", HVE), put(HDFS, "dfs.block.replicator.classname", BY_NODE_GROUP)),
        "dfs.use.dfs.network.topology",
        "HDFS-11419",
    ),
    Fault(
        "Kerberos by half",
        put(HDFS, "dfs.namenode.keytab.file", "/etc/security/keytabs/nn.service.keytab"),
        "hadoop.security.authentication",
        "Hadoop documentation, Secure Mode",
    ),
    Fault(
        "a password in a file",
        put(CORE, "hadoop.security.group.mapping.ldap.bind.password", "open sesame"),
        "hadoop credential create",
        "HADOOP-10607; Hadoop documentation, Credential Provider API",
        warns=True,
    ),
    Fault(
        "a file system of another name",
        put(CORE, "fs.defaultFS", "hdfs://other"),
        "fs.defaultFS",
        "Hadoop documentation, HDFS High Availability, fs.defaultFS",
    ),
    Fault(
        "one NameNode of two for clients",
        put(CORE, "fs.defaultFS", "hdfs://m1.example.com:8020"),
        "hdfs://prod",
        "Hadoop documentation, HDFS High Availability, fs.defaultFS",
    ),
    Fault(
        "a worker that the NameNode refuses",
        both(put(HDFS, "dfs.hosts", "/etc/hadoop/conf/dfs.include"), text("dfs.include", "w01.example.com")),
        "hdfs dfsadmin -refreshNodes",
        "hdfs-default.xml, dfs.hosts; DisallowedDatanodeException",
    ),
    Fault(
        "a worker without a place",
        both(
            put(CORE, "net.topology.script.file.name", "/etc/hadoop/conf/topology.sh"),
            text("topology.data", "w01.example.com /rack-01"),
        ),
        "topology.data",
        "Hadoop documentation, Rack Awareness",
    ),
    Fault(
        "sshfence without a key",
        both(
            put(HDFS, "dfs.ha.fencing.methods", "sshfence"),
            drop(CORE, "dfs.ha.fencing.ssh.private-key-files"),
            drop(HDFS, "dfs.ha.fencing.ssh.private-key-files"),
        ),
        "dfs.ha.fencing.ssh.private-key-files",
        "Hadoop documentation, HDFS High Availability, sshfence",
    ),
    Fault(
        "a pair of one NameNode",
        put(HDFS, "dfs.ha.namenodes.prod", "nn1"),
        "dfs.ha.namenodes.prod",
        "HDFS-6440; Hadoop documentation, HDFS High Availability",
    ),
    Fault(
        "silent DataNodes are read from",
        put(HDFS, "dfs.namenode.avoid.read.stale.datanode", "false"),
        "dfs.namenode.avoid.read.stale.datanode",
        "HDFS-3703",
        warns=True,
    ),
    Fault(
        "anybody through a proxy",
        both(put(CORE, "hadoop.proxyuser.hue.hosts", "*"), put(CORE, "hadoop.proxyuser.hue.groups", "*")),
        "hadoop.proxyuser.hue.hosts",
        "Hadoop documentation, Proxy user: the wildcard is not for production",
        warns=True,
    ),
    Fault(
        "files open to all",
        put(CORE, "fs.permissions.umask-mode", "000"),
        "022",
        "Hadoop documentation, HDFS Permissions Guide, fs.permissions.umask-mode",
        warns=True,
    ),
    Fault(
        "an old protocol",
        put(CORE, "hadoop.ssl.enabled.protocols", "TLSv1,TLSv1.2"),
        "TLSv1.2,TLSv1.3",
        "RFC 8996",
    ),
    Fault(
        "any certificate will do",
        put(CORE, "hadoop.ssl.hostname.verifier", "ALLOW_ALL"),
        "DEFAULT",
        "Hadoop documentation, Encrypted Shuffle",
        warns=True,
    ),
    Fault(
        "encrypted pages without a key store",
        put(HDFS, "dfs.http.policy", "HTTPS_ONLY"),
        "ssl-server.xml",
        "Hadoop documentation, Encrypted Shuffle, ssl-server.xml",
    ),
    Fault(
        "one host's principal for all",
        put(HDFS, "dfs.datanode.kerberos.principal", "hdfs/w01.example.com@EXAMPLE.COM"),
        "hdfs/_HOST@EXAMPLE.COM",
        "Hadoop documentation, Secure Mode, _HOST",
    ),
    Fault(
        "no replica to spare",
        both(put(HDFS, "dfs.replication", "2"), put(HDFS, "dfs.namenode.replication.min", "2")),
        "dfs.namenode.replication.min to 1",
        "HDFS Architecture, Safemode and replication; hdfs-default.xml, dfs.namenode.replication.min",
    ),
    Fault(
        "a name directory on a data disk",
        both(put(HDFS, "dfs.namenode.name.dir", "/data/01/name"), line("workers", "m1.example.com")),
        "dfs.namenode.name.dir",
        "Hadoop wiki, DiskSetup",
        warns=True,
    ),
    Fault(
        "4,000 handlers of a NameNode",
        put(HDFS, "dfs.namenode.handler.count", "4000"),
        "dfs.namenode.handler.count to 100",
        "Cloudera Enterprise 6.3: 20 times the logarithm of the number of workers",
        warns=True,
    ),
    Fault(
        "block tokens off with Kerberos",
        both(KERBEROS, put(HDFS, "dfs.block.access.token.enable", "false")),
        "dfs.block.access.token.enable",
        "HDFS-6666: NameNode and DataNode end as they start",
    ),
    Fault(
        "Kerberos with open DataNode ports",
        both(KERBEROS, put(HDFS, "dfs.block.access.token.enable", "true")),
        "dfs.data.transfer.protection",
        "HDFS-2856; Hadoop wiki, Secure DataNode",
    ),
    Fault(
        "protected transfer on plain pages",
        both(
            KERBEROS,
            put(HDFS, "dfs.block.access.token.enable", "true"),
            put(HDFS, "dfs.data.transfer.protection", "authentication"),
            put(HDFS, "dfs.http.policy", "HTTP_ONLY"),
        ),
        "dfs.http.policy",
        "Hadoop wiki, Secure DataNode: SASL asks for HTTPS_ONLY",
    ),
    Fault(
        "the former user of a secure DataNode",
        line("hadoop-env.sh", "export HADOOP_SECURE_DN_USER=hdfs"),
        "HDFS_DATANODE_SECURE_USER",
        "Hadoop wiki, Secure DataNode; hadoop-env.sh of Hadoop 3",
        warns=True,
    ),
    Fault(
        "no service asks who may",
        both(
            KERBEROS,
            put(HDFS, "dfs.block.access.token.enable", "true"),
            put(HDFS, "dfs.data.transfer.protection", "authentication"),
            put(HDFS, "dfs.http.policy", "HTTPS_ONLY"),
            put(CORE, "hadoop.security.authorization", "false"),
        ),
        "hadoop.security.authorization",
        "Hadoop documentation, Service Level Authorization",
        warns=True,
    ),
    Fault(
        "journals below /tmp",
        drop(HDFS, "dfs.journalnode.edits.dir"),
        "dfs.journalnode.edits.dir",
        "hdfs-default.xml: the default is /tmp/hadoop/dfs/journalnode/",
    ),
    Fault(
        "journals joined by commas",
        put(
            HDFS,
            "dfs.namenode.shared.edits.dir",
            "qjournal://m1.example.com:8485,m2.example.com:8485,m3.example.com:8485/prod",
        ),
        "dfs.namenode.shared.edits.dir",
        "Hadoop documentation, HDFS High Availability: host1:port1;host2:port2;host3:port3",
    ),
    Fault(
        "safe mode for ever",
        put(HDFS, "dfs.namenode.safemode.threshold-pct", "1.5"),
        "dfs.namenode.safemode.threshold-pct",
        "hdfs-default.xml: values greater than 1 make safe mode permanent",
    ),
    Fault(
        "safe mode that waits for no block",
        put(HDFS, "dfs.namenode.safemode.threshold-pct", "0"),
        "dfs.namenode.safemode.threshold-pct",
        "hdfs-default.xml, dfs.namenode.safemode.threshold-pct",
        warns=True,
    ),
    Fault(
        "more memory locked than may be",
        both(
            put(HDFS, "dfs.datanode.max.locked.memory", "17179869184"),
            host("limits", "locked_memory_bytes", value=65536),
        ),
        "memlock",
        "Hadoop documentation, Centralized Cache Management; DataNode: Cannot start datanode",
    ),
    Fault(
        "extended attributes of no length",
        put(HDFS, "dfs.namenode.fs-limits.max-xattr-size", "0"),
        "dfs.namenode.fs-limits.max-xattr-size",
        "HDFS-8900, release notes of Hadoop 3.0.0-alpha1",
    ),
    Fault(
        "WebHDFS turned off",
        put(HDFS, "dfs.webhdfs.enabled", "false"),
        "dfs.webhdfs.enabled",
        "HDFS-7985, release notes of Hadoop 3.0.0-alpha1: it is always on",
        warns=True,
    ),
    Fault(
        "appends turned off",
        put(HDFS, "dfs.support.append", "false"),
        "dfs.support.append",
        "HDFS-6246, release notes of Hadoop 3.0.0-alpha1",
        warns=True,
    ),
    Fault(
        "native code turned off",
        put(CORE, "io.native.lib.available", "false"),
        "io.native.lib.available",
        "HADOOP-11627, release notes of Hadoop 3.0.0-alpha1",
        warns=True,
    ),
    Fault(
        "nodes to retire at a time",
        put(HDFS, "dfs.namenode.decommission.nodes.per.interval", "5"),
        "dfs.namenode.decommission.nodes.per.interval",
        "HDFS-8591, release notes of Hadoop 3.0.0-alpha1",
        warns=True,
    ),
    Fault(
        "256 transfers at a time",
        put(HDFS, "dfs.datanode.max.transfer.threads", "256"),
        "dfs.datanode.max.transfer.threads",
        "HBase book, trouble.rs.runtime.xceivers",
        warns=True,
    ),
    Fault(
        "the misspelt number of transfers",
        both(drop(HDFS, "dfs.datanode.max.transfer.threads"), put(HDFS, "dfs.datanode.max.xcievers", "8192")),
        "dfs.datanode.max.transfer.threads",
        "Hadoop documentation, Deprecated Properties",
        warns=True,
    ),
    Fault(
        "clients that know no second NameNode",
        drop(HDFS, "dfs.client.failover.proxy.provider.prod"),
        "dfs.client.failover.proxy.provider.prod",
        "Hadoop documentation, HDFS High Availability; java.net.UnknownHostException: prod",
    ),
    Fault(
        "failover without ZooKeeper",
        drop(CORE, "ha.zookeeper.quorum"),
        "ha.zookeeper.quorum",
        "Hadoop documentation, HDFS High Availability, Automatic Failover",
    ),
    Fault(
        "nothing to fence with",
        drop(HDFS, "dfs.ha.fencing.methods"),
        "dfs.ha.fencing.methods",
        "ZKFailoverController: Fencing is not configured",
    ),
    Fault(
        "a NameNode without an address",
        drop(HDFS, "dfs.namenode.rpc-address.prod.nn2"),
        "dfs.namenode.rpc-address.prod.nn2",
        "Hadoop documentation, HDFS High Availability, Configuration details",
    ),
    Fault(
        "two servers on one port",
        put(HDFS, "dfs.namenode.http-address.prod.nn1", "m1.example.com:8020"),
        "dfs.namenode.http-address.prod.nn1",
        "Hadoop wiki, BindException",
    ),
    Fault(
        "pages of a DataNode on its data port",
        put(HDFS, "dfs.datanode.http.address", "0.0.0.0:9866"),
        "dfs.datanode.http.address",
        "Hadoop wiki, BindException",
    ),
    Fault(
        "blocks smaller than the least",
        put(HDFS, "dfs.blocksize", "524288"),
        "dfs.blocksize",
        "HDFS-4305; FSNamesystem: Specified block size is less than configured minimum",
    ),
    Fault(
        "NameNodes on the loopback",
        both(
            put(HDFS, "dfs.namenode.rpc-address.prod.nn1", "localhost:8020"),
            put(HDFS, "dfs.namenode.rpc-address.prod.nn2", "localhost:8020"),
        ),
        "dfs.namenode.rpc-address.prod",
        "Hadoop wiki, ConnectionRefused",
    ),
    Fault(
        "no trash",
        put(CORE, "fs.trash.interval", "0"),
        "fs.trash.interval",
        "Hadoop documentation, HDFS Architecture, File Deletes and Undeletes",
        warns=True,
    ),
    Fault(
        "nothing left for anything else",
        put(HDFS, "dfs.datanode.du.reserved", "0"),
        "dfs.datanode.du.reserved",
        "Hadoop wiki, DiskSetup; Ting and Rabkin, Top 7 misconfigurations, Cloudera 2012",
        warns=True,
    ),
    Fault(
        "more set aside than a disk holds",
        put(HDFS, "dfs.datanode.du.reserved", "8000000000000"),
        "dfs.datanode.du.reserved",
        "hdfs-default.xml, dfs.datanode.du.reserved",
    ),
    Fault(
        "a service's name with an underscore",
        both(
            put(HDFS, "dfs.namenode.http-address.prod.nn1", "name_node1.example.com:9870"),
            put(HDFS, "dfs.namenode.rpc-address.prod.nn1", "name_node1.example.com:8020"),
        ),
        "dfs.namenode.rpc-address.prod.nn1",
        "RFC 952; java.net.URI has no host for such a name",
    ),
)

"""The exam of `howdah check`: faults that an expert would find, seeded one by one into what is sound."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from howdah.audit.audit import audit
from howdah.audit.folder import read_folders
from howdah.audit.releases import Releases
from howdah.model.check import Check, Verdict
from support.faults import Exhibit, Fault, append, both, drop, every, host, put, rename

CORE, HDFS, YARN, MAPRED = "core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml"
HBASE, QUEUES = "hbase-site.xml", "capacity-scheduler.xml"
HVE = "org.apache.hadoop.net.NetworkTopologyWithNodeGroup"
BY_NODE_GROUP = "org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyWithNodeGroup"
GB = 10**9


def _data(row: dict[str, str]) -> bool:
    return row["mount"].startswith("/data/")


def _port(row: dict[str, object]) -> bool:
    return row["member_of"] is not None


def _fault(name: str, edit: object, rules: str, fix: str, *, warns: bool = False) -> Fault:
    assert callable(edit)
    return Fault(name, edit, frozenset(rules.split()), fix, warns)


FAULTS = (
    _fault("misspelt key", rename(HDFS, "dfs.replication", "dfs.replicaton"),
           "release.misspelt-property", "dfs.replication"),
    _fault("former name", rename(HDFS, "dfs.blocksize", "dfs.block.size"),
           "release.deprecated-property", "dfs.blocksize", warns=True),
    _fault("a name that is gone", append(MAPRED, "mapred.job.reuse.jvm.num.tasks", "-1"),
           "release.gone-property", "mapred.job.reuse.jvm.num.tasks", warns=True),
    _fault("fraction where a whole number is read", put(HDFS, "dfs.namenode.handler.count", "0.5"),
           "release.value-type", "dfs.namenode.handler.count"),
    _fault("yes for true", put(HDFS, "dfs.permissions.enabled", "yes"),
           "release.value-type", "dfs.permissions.enabled"),
    _fault("a property twice in a file", append(HDFS, "dfs.replication", "2"),
           "consistency.duplicate-property", "dfs.replication", warns=True),
    _fault("a final property set again",
           both(append(CORE, "dfs.replication", "2", final=True)),
           "consistency.final-overridden", "dfs.replication", warns=True),
    _fault("a property in a file nobody reads it from",
           both(drop(HDFS, "dfs.datanode.max.transfer.threads"),
                put(MAPRED, "dfs.datanode.max.transfer.threads", "8192")),
           "consistency.misplaced-property", "dfs.datanode.max.transfer.threads", warns=True),
    _fault("a variable nobody sets", put(HDFS, "dfs.hosts", "${conf.root}/dfs.include"),
           "consistency.undefined-variable", "conf.root", warns=True),
    _fault("replication 1", put(HDFS, "dfs.replication", "1"),
           "hdfs.single-replica", "dfs.replication"),
    _fault("the local disk for HDFS", drop(CORE, "fs.defaultFS"),
           "consistency.default-file-system", "fs.defaultFS"),
    _fault("more replicas than workers", put(HDFS, "dfs.replication", "40"),
           "consistency.replicas-and-workers", "dfs.replication"),
    _fault("metadata below /tmp", put(HDFS, "dfs.namenode.name.dir", "/tmp/hadoop/name"),
           "namenode.name-dirs namenode.name-below-tmp hdfs.below-tmp", "dfs.namenode.name.dir"),
    _fault("data directory on the root disk",
           put(HDFS, "dfs.datanode.data.dir",
           "/srv/hdfs," + ",".join(f"/data/{n:02d}/dfs" for n in range(1, 13))),
           "disks.apart-from-system", "dfs.datanode.data.dir"),
    _fault("tolerates the loss of every disk", put(HDFS, "dfs.datanode.failed.volumes.tolerated", "12"),
           "volumes.failed-volumes-too-many", "dfs.datanode.failed.volumes.tolerated"),
    _fault("no permissions", put(HDFS, "dfs.permissions.enabled", "false"),
           "hdfs.permissions", "dfs.permissions.enabled"),
    _fault("block of no whole checksums", put(HDFS, "dfs.blocksize", "134217700"),
           "consistency.block-chunks", "dfs.blocksize"),
    _fault("short circuit without a socket", drop(HDFS, "dfs.domain.socket.path"),
           "streams.short-circuit-socket", "dfs.domain.socket.path"),
    _fault("both NameNodes on one host", put(HDFS, "dfs.namenode.rpc-address.prod.nn2",
           "m1.example.com:8020"),
           "ha.pairs-apart", "dfs.namenode.rpc-address.prod.nn2"),
    _fault("an even number of JournalNodes",
           put(HDFS, "dfs.namenode.shared.edits.dir",
           "qjournal://m1.example.com:8485;m2.example.com:8485/prod"),
           "ha.journal-quorum", "dfs.namenode.shared.edits.dir"),
    _fault("node groups as documented",
           both(put(CORE, "net.topology.impl", HVE), put(HDFS, "dfs.block.replicator.classname",
           BY_NODE_GROUP)),
           "topology.node-groups-complete", "dfs.use.dfs.network.topology"),
    _fault("Kerberos by half",
           put(HDFS, "dfs.namenode.keytab.file", "/etc/security/keytabs/nn.service.keytab"),
           "consistency.kerberos-by-half", "hadoop.security.authentication"),
    _fault("a password in a file",
           put(CORE, "hadoop.security.group.mapping.ldap.bind.password", "open sesame"),
           "consistency.plain-passwords", "hadoop credential create", warns=True),
    _fault("container larger than its NodeManager", put(MAPRED, "mapreduce.reduce.memory.mb", "131072"),
           "yarn.container-fits", "mapreduce.reduce.memory.mb"),
    _fault("least allocation above the largest", put(YARN, "yarn.scheduler.minimum-allocation-mb", "131072"),
           "consistency.allocation-order", "yarn.scheduler.minimum-allocation-mb"),
    _fault("heap larger than its container", put(MAPRED, "mapreduce.map.java.opts", "-Xmx2g"),
           "mapreduce.heap-in-container", "mapreduce.map.java.opts"),
    _fault("sort buffer larger than the heap", put(MAPRED, "mapreduce.task.io.sort.mb", "1024"),
           "sorting.sort-buffer-in-heap", "mapreduce.task.io.sort.mb"),
    _fault("virtual memory check", put(YARN, "yarn.nodemanager.vmem-check-enabled", "true"),
           "yarn.virtual-memory", "yarn.nodemanager.vmem-check-enabled", warns=True),
    _fault("no shuffle service", drop(YARN, "yarn.nodemanager.aux-services"),
           "nodemanager.shuffle-service", "yarn.nodemanager.aux-services"),
    _fault("relative log directory", put(YARN, "yarn.nodemanager.log-dirs", "logs"),
           "nodemanager.log-dirs", "yarn.nodemanager.log-dirs"),
    _fault("no queue", drop(QUEUES, "yarn.scheduler.capacity.root.queues"),
           "scheduler.queues", "yarn.scheduler.capacity.root.queues"),
    _fault("queues beyond 100 %", put(QUEUES, "yarn.scheduler.capacity.root.batch.capacity", "50"),
           "consistency.queue-capacities", "yarn.scheduler.capacity.root.batch.capacity"),
    _fault("jobs run in the client", drop(MAPRED, "mapreduce.framework.name"),
           "jobs.framework", "mapreduce.framework.name"),
    _fault("RegionServer's heap given away twice", put(HBASE, "hfile.block.cache.size", "0.6"),
           "regionserver.heap-shares", "hfile.block.cache.size"),
    _fault("swappiness 60", host("memory", "swappiness", value=60), "os.swappiness", "vm.swappiness",
           warns=True),
    _fault("tasks wait for huge pages", host("memory", "transparent_huge_pages_defrag", value="always"),
           "os.huge-page-defrag", "transparent_hugepage.defrag", warns=True),
    _fault("1,024 open files", host("limits", "open_files", value=1024), "os.open-files", "nofile"),
    _fault("access times are written", every("file_systems", "options", ["rw", "relatime"], where=_data),
           "disks.access-times", "noatime", warns=True),
    _fault("a RAID for data",
           both(host("file_systems", 1, "disks", value=["sdb", "sdc"]), host("file_systems", 1, "disk",
           value=None)),
           "disks.jbod", "array", warns=True),
    _fault("many allocation groups",
           host("file_systems", 1, "xfs", value={"agcount": 512, "agsize_bytes": 8 * GB}),
           "disks.allocation-groups", "agcount", warns=True),
    _fault("two MTUs",
           both(host("nics", 1, "member_of", value=None), host("nics", 1, "mtu", value=1500)),
           "network.one-mtu", "MTU", warns=True),
    _fault("1GbE for twelve disks",
           both(every("nics", "speed_bits_per_s", GB, where=_port), host("nics", 0, "speed_bits_per_s",
           value=2 * GB)),
           "network.disks-and-ports", "ports", warns=True),
    _fault("clock runs free", host("software", "clock_synchronised", value=False), "os.clock", "chrony",
           warns=True),
    _fault("containers beyond the host's memory", put(YARN, "yarn.nodemanager.resource.memory-mb", "270000"),
           "yarn.memory-of-worker", "yarn.nodemanager.resource.memory-mb"),
)  # fmt: skip


def _check(exhibit: Exhibit, folder: Path) -> Sequence[Check]:
    record = exhibit.write(folder)
    return audit(read_folders([folder]), [record], None, Releases()).checks


def test_what_is_sound_has_no_fault(tmp_path: Path) -> None:
    found = [
        check for check in _check(Exhibit.sound(), tmp_path) if check.verdict in (Verdict.FAIL, Verdict.WARN)
    ]
    assert found == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_seeded_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    exhibit = Exhibit.sound()
    fault.edit(exhibit)
    verdicts = {Verdict.FAIL, Verdict.WARN} if fault.warns else {Verdict.FAIL}
    found = [check for check in _check(exhibit, tmp_path) if check.verdict in verdicts]
    by_rule = [check for check in found if check.rule in fault.rules]
    assert by_rule, f"found only {[(check.rule, check.about) for check in found]}"
    assert any(fault.fix in check.fix for check in by_rule), [check.fix for check in by_rule]

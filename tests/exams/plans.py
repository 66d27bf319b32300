"""The exam of plans: what experts expect of forty clusters, held against what `howdah plan` says.

``PYTHONPATH=tests .venv/bin/python -m exams.plans`` prints the score; a test holds it. Every expectation has
its source: a vendor's sizing guide, a project's documentation, or measured figures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from exams.hosts import CASES, Case
from howdah.audit.audit import plan_faults
from howdah.errors import UserError
from howdah.model.existing import CheckVerdict
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan, Role, Value, Worker
from howdah.model.request import Protection
from howdah.planner.cluster import plan_cluster
from howdah.releases.values import direct_bytes, heap_bytes
from howdah.units import GIB, MIB

_RESERVES = 0.75


class Answer(NamedTuple):
    """One expectation of one cluster."""

    case: str
    expects: str
    source: str
    met: bool
    found: str


class Planned(NamedTuple):
    """A cluster as it was planned."""

    case: Case
    plan: ClusterPlan

    def value(self, key: str, worker: Worker | None = None) -> Value | None:
        """A setting's value, that of a kind of worker where kinds differ."""
        name = worker.name if worker else None
        found = [setting for setting in self.plan.settings if setting.key == key]
        return next((setting.value for setting in found if setting.worker in (None, name)), None)

    def number(self, key: str, worker: Worker | None = None) -> float:
        """A setting's number; nothing where it is not set."""
        value = self.value(key, worker)
        return float(value) if isinstance(value, int | float) else 0.0

    def heap(self, variable: str, worker: Worker | None = None) -> int:
        """The heap of a daemon, bytes; nothing where it has none."""
        return heap_bytes(str(self.value(variable, worker) or "")) or 0

    @property
    def hosts(self) -> int:
        """Hosts of the inventory."""
        return sum(hosts.many for hosts in self.case.hosts)

    @property
    def workers(self) -> int:
        """Workers of the plan."""
        return sum(1 for _ in placed_workers(self.plan.cluster))

    def on(self, role: Role) -> list[str]:
        """The hosts of a master daemon."""
        return [master.host for master in self.plan.cluster.masters if role in master.roles]

    def shared_bytes(self, worker: Worker) -> int:
        """The most memory that masters take beside a worker."""
        taken: dict[str, int] = {}
        for master in self.plan.cluster.masters:
            if master.shares:
                taken[master.host] = taken.get(master.host, 0) + master.memory_bytes
        return max(taken.values(), default=0)


class Expectation(NamedTuple):
    """What an expert expects, of which clusters, and where that is written."""

    says: str
    source: str
    of: Callable[[Planned], bool]
    held: Callable[[Planned], tuple[bool, str]]


def _always(planned: Planned) -> bool:
    return True


def _jobs(planned: Planned) -> bool:
    return planned.case.request.mapreduce


def _hbase(planned: Planned) -> bool:
    return planned.case.request.hbase_used


def _each(planned: Planned, look: Callable[[Worker], tuple[bool, str]]) -> tuple[bool, str]:
    looks = [look(worker) for worker in planned.plan.workers]
    return all(ok for ok, _ in looks), "; ".join(found for _, found in looks)


def _native(planned: Planned) -> tuple[bool, str]:
    return planned.plan.platform == "native", planned.plan.platform


def _directories(planned: Planned) -> tuple[bool, str]:
    def look(worker: Worker) -> tuple[bool, str]:
        value = planned.value("dfs.datanode.data.dir", worker)
        many = len(value) if isinstance(value, tuple) else 0
        return many == worker.data_disks, f"{many} directories on {worker.data_disks} disks"

    return _each(planned, look)


def _replicas(planned: Planned) -> tuple[bool, str]:
    found = planned.number("dfs.replication")
    return found == min(3, planned.workers), f"{found:g} on {planned.workers} workers"


def _memory_adds_up(planned: Planned) -> tuple[bool, str]:
    def look(worker: Worker) -> tuple[bool, str]:
        regionserver = str(planned.value("HBASE_REGIONSERVER_OPTS", worker) or "")
        taken = sum(
            planned.heap(name, worker)
            for name in ("HDFS_DATANODE_OPTS", "YARN_NODEMANAGER_OPTS", "HBASE_REGIONSERVER_OPTS")
        )
        taken += direct_bytes(regionserver) or 0
        taken += int(planned.number("yarn.nodemanager.resource.memory-mb", worker)) * MIB
        taken += planned.shared_bytes(worker)
        left = 1 - taken / worker.memory_bytes
        return left >= 0.04, f"{left:.0%} left to the system"

    return _each(planned, look)


def _memory_is_used(planned: Planned) -> tuple[bool, str]:
    def look(worker: Worker) -> tuple[bool, str]:
        share = planned.number("yarn.nodemanager.resource.memory-mb", worker) * MIB / worker.memory_bytes
        least = 0.3 if _hbase(planned) else 0.5 if worker.memory_bytes < 64 * GIB else 0.7
        return least <= share <= 0.9, f"YARN has {share:.0%} of memory"

    return _each(planned, look)


def _vcores(planned: Planned) -> tuple[bool, str]:
    def look(worker: Worker) -> tuple[bool, str]:
        threads, found = worker.vcpus or 1, planned.number("yarn.nodemanager.resource.cpu-vcores", worker)
        half = 0.45 if _hbase(planned) else 0.75
        return half * threads <= found <= 2 * threads, f"{found:g} vcores on {threads} threads"

    return _each(planned, look)


def _container(planned: Planned) -> tuple[bool, str]:
    def look(worker: Worker) -> tuple[bool, str]:
        size = planned.number("mapreduce.map.memory.mb")
        heap = heap_bytes(str(planned.value("mapreduce.map.java.opts"))) or 0
        fits = size <= planned.number("yarn.nodemanager.resource.memory-mb", worker)
        share = heap / (size * MIB) if size else 0.0
        return size >= 1024 and fits and 0.7 <= share <= 0.85, f"{size:g} MB, {share:.0%} of it heap"

    return _each(planned, look)


def _namenode(planned: Planned) -> tuple[bool, str]:
    cluster = planned.plan.cluster
    stored = cluster.capacity.usable_bytes
    mean = planned.case.mean_file_bytes or 128 * MIB
    objects = stored / min(mean, planned.number("dfs.blocksize"))
    heap = planned.heap("HDFS_NAMENODE_OPTS")
    # Nobody has larger heaps: a namespace that needs one is several.
    wanted = min(max(GIB, _RESERVES * objects / 1e6 * 1e9), 186 * GIB)
    return heap >= wanted, f"{heap / GIB:.0f} GiB for {objects / 1e6:.1f} million blocks"


def _namenode_spare(planned: Planned) -> tuple[bool, str]:
    heap = planned.heap("HDFS_NAMENODE_OPTS")
    return heap >= 4 * GIB, f"{heap / GIB:.1f} GiB"


def _handlers(planned: Planned) -> tuple[bool, str]:
    wanted = max(10.0, 20 * math.log(planned.workers))
    found = planned.number("dfs.namenode.handler.count")
    return 0.5 * wanted <= found <= 2 * wanted, f"{found:g} for {planned.workers} DataNodes"


def _transfers(planned: Planned) -> tuple[bool, str]:
    found = planned.number("dfs.datanode.max.transfer.threads")
    return found >= 4096, f"{found:g}"


def _volumes(planned: Planned) -> tuple[bool, str]:
    def look(worker: Worker) -> tuple[bool, str]:
        found, disks = planned.number("dfs.datanode.failed.volumes.tolerated", worker), worker.data_disks or 1
        well = found < disks and (found >= 1 if disks >= 4 else True)
        return well and found <= disks / 2, f"{found:g} of {disks}"

    return _each(planned, look)


def _reserved(planned: Planned) -> tuple[bool, str]:
    def look(worker: Worker) -> tuple[bool, str]:
        groups = {group.name: group for group in planned.plan.cluster.inventory.groups}
        group = groups[worker.group or ""]
        disk = group.data_bytes / max(1, group.data_disks)
        share = planned.number("dfs.datanode.du.reserved", worker) / disk
        return 0.005 <= share <= 0.25, f"{share:.1%} of a disk"

    return _each(planned, look)


def _short_circuit(planned: Planned) -> tuple[bool, str]:
    found = planned.value("dfs.client.read.shortcircuit"), planned.value("dfs.domain.socket.path")
    return found[0] is True and bool(found[1]), f"{found[0]}, {found[1]}"


def _swappiness(planned: Planned) -> tuple[bool, str]:
    found = planned.number("vm.swappiness")
    return found <= 10, f"{found:g}"


def _journals(planned: Planned) -> tuple[bool, str]:
    journals, names = planned.on(Role.JOURNALNODE), planned.on(Role.NAMENODE)
    return len(set(journals)) == 3 and len(set(names)) == 2, f"{len(journals)} and {len(names)}"


def _racks(planned: Planned) -> tuple[bool, str]:
    cluster = planned.plan.cluster
    rack = {
        host: group.racks[number * len(group.racks) // group.count]
        for group in cluster.inventory.groups
        if group.racks
        for number, host in enumerate(group.names)
    }
    on = {rack.get(host, host) for host in planned.on(Role.NAMENODE)}
    return len(on) == 2, ", ".join(sorted(on))


def _masters_share(planned: Planned) -> tuple[bool, str]:
    lost = planned.hosts - planned.workers
    return lost == 0 or lost / planned.hosts <= 0.1, f"{lost} of {planned.hosts} hosts without a worker"


def _masters_apart(planned: Planned) -> tuple[bool, str]:
    cluster = planned.plan.cluster
    places = [master for master in cluster.masters if Role.NAMENODE in master.roles]
    return all(not master.shares for master in places), ", ".join(master.name for master in places)


def _quorum(planned: Planned) -> tuple[bool, str]:
    many = len(planned.on(Role.ZOOKEEPER))
    wanted = 1 if planned.hosts < 3 else 3
    return many >= wanted and many % 2 == 1, f"{many}"


def _region_heap(planned: Planned) -> tuple[bool, str]:
    def look(worker: Worker) -> tuple[bool, str]:
        heap = planned.heap("HBASE_REGIONSERVER_OPTS", worker)
        return 4 * GIB <= heap < 32 * GIB, f"{heap / GIB:.0f} GiB"

    return _each(planned, look)


def _region_shares(planned: Planned) -> tuple[bool, str]:
    both = planned.number("hfile.block.cache.size") + planned.number(
        "hbase.regionserver.global.memstore.size"
    )
    return both <= 0.8, f"{both:.2f} of the heap"


def _off_heap(planned: Planned) -> tuple[bool, str]:
    found = planned.value("hbase.bucketcache.ioengine"), planned.number("hbase.bucketcache.size")
    return found[0] == "offheap" and found[1] >= 8192, f"{found[0]}, {found[1]:g} MB"


def _executor_heap(planned: Planned) -> tuple[bool, str]:
    found = re.fullmatch(r"(\d+)m", str(planned.value("spark.executor.memory")))
    heap = int(found[1]) if found else 0
    return 1024 <= heap < 64 * 1024, f"{heap} MB"


def _executor_cores(planned: Planned) -> tuple[bool, str]:
    found = planned.number("spark.executor.cores")
    return 2 <= found <= 5, f"{found:g}"


def _spark_shuffle(planned: Planned) -> tuple[bool, str]:
    services = planned.value("yarn.nodemanager.aux-services")
    served = isinstance(services, tuple) and "spark_shuffle" in services
    return served and planned.value("spark.shuffle.service.enabled") is True, str(services)


def _tez_container(planned: Planned) -> tuple[bool, str]:
    size, most = (
        planned.number("hive.tez.container.size"),
        planned.number("yarn.scheduler.maximum-allocation-mb"),
    )
    return 1024 <= size <= most, f"{size:g} of {most:g} MB"


def _tez_join(planned: Planned) -> tuple[bool, str]:
    size = planned.number("hive.tez.container.size") * MIB
    share = planned.number("hive.auto.convert.join.noconditionaltask.size") / size if size else 0
    return 0.2 <= share <= 0.4, f"{share:.2f} of a container"


def _own_checks(planned: Planned) -> tuple[bool, str]:
    faults = [check.about for check in plan_faults(planned.plan) if check.verdict is CheckVerdict.FAIL]
    return not faults, ", ".join(faults) or "none"


def _service_port(planned: Planned) -> tuple[bool, str]:
    told = [advice.rule for advice in planned.plan.cluster.advice]
    return "namenode.service-port" in told, "told" if "namenode.service-port" in told else "not told"


def _few_replicas_told(planned: Planned) -> tuple[bool, str]:
    musts = [advice.text for advice in planned.plan.cluster.advice if advice.severity == "must"]
    return any("replica" in text for text in musts), f"{len(musts)} musts"


def _copied_again(planned: Planned) -> tuple[bool, str]:
    """So many blocks for each DataNode that is left, every 3 s: within a day, or as the network allows."""
    mean = planned.case.mean_file_bytes or 64 * MIB
    block = 1 / (1 / planned.number("dfs.blocksize") + 1 / mean)
    work = planned.number("dfs.namenode.replication.work.multiplier.per.iteration")
    left = planned.workers * (1 - 1 / planned.hosts)
    hours = 0.8 * max(_host_bytes(planned)) / (work * block / 3 * left) / 3600
    network = min(group.network_bits_per_s for group in planned.plan.cluster.inventory.worker_groups)
    taken = work * block / 3 * 8 * planned.workers / planned.hosts / network
    return hours <= 24 or taken >= 0.2, f"{hours:.1f} h, with {taken:.0%} of the network"


def _host_bytes(planned: Planned) -> list[int]:
    return [group.data_bytes for group in planned.plan.cluster.inventory.worker_groups]


def _supported_density(planned: Planned) -> bool:
    return planned.hosts > 3 and max(_host_bytes(planned)) <= 100e12


def _datanode_heap(planned: Planned) -> tuple[bool, str]:
    heap = min(planned.heap("HDFS_DATANODE_OPTS", worker) for worker in planned.plan.workers)
    return heap >= 4 * GIB, f"{heap / GIB:.1f} GiB"


def _namenode_most(planned: Planned) -> tuple[bool, str]:
    heap = planned.heap("HDFS_NAMENODE_OPTS")
    return heap <= 200e9, f"{heap / GIB:.0f} GiB"


def _history(planned: Planned) -> tuple[bool, str]:
    tasks = planned.number("mapreduce.jobhistory.loadedtasks.cache.size")
    heap = planned.heap("MAPRED_HISTORYSERVER_OPTS")
    return 0 < tasks * 12_000 <= heap, f"{heap / GIB:.1f} GiB for {tasks:,.0f} tasks"


def _partitions(planned: Planned) -> tuple[bool, str]:
    found = planned.number("spark.sql.shuffle.partitions")
    return 200 <= found <= 5000, f"{found:g}"


def _slow_calls(planned: Planned) -> tuple[bool, str]:
    found = planned.number("ipc.client.rpc-timeout.ms")
    return found >= 60_000, f"{found / 1000:g} s"


def _zookeeper_heap(planned: Planned) -> tuple[bool, str]:
    heap = planned.heap("SERVER_JVMFLAGS")
    return heap >= GIB, f"{heap / GIB:.1f} GiB"


def _has_spark(planned: Planned) -> bool:
    return planned.case.request.spark_used


def _has_tez(planned: Planned) -> bool:
    return planned.case.request.tez_used


def _redundant(planned: Planned) -> bool:
    return planned.case.protection is Protection.HA


def _roomy_hbase(planned: Planned) -> bool:
    return _hbase(planned) and min(worker.memory_bytes for worker in planned.plan.workers) >= 128 * GIB


EXPECTATIONS: Sequence[Expectation] = (
    Expectation(
        "hosts are used as they are",
        "Cloudera: hardware recommendations; issue of this project",
        _always,
        _native,
    ),
    Expectation(
        "a directory for every data disk", "Hortonworks: cluster planning, JBOD", _always, _directories
    ),
    Expectation(
        "three replicas, or as many as there are workers",
        "hdfs-default.xml: dfs.replication",
        _always,
        _replicas,
    ),
    Expectation(
        "all that is promised leaves the system 4 % of memory",
        "Hortonworks: reserved memory by host size",
        _always,
        _memory_adds_up,
    ),
    Expectation(
        "YARN has most of a host's memory",
        "Hortonworks: determine YARN and MapReduce memory settings",
        _jobs,
        _memory_is_used,
    ),
    Expectation("vcores follow the host's threads", "Cloudera: tuning YARN, step 3", _jobs, _vcores),
    Expectation(
        "a task has 1 GiB at least, 75 to 80 % of it heap",
        "mapred-default.xml: heap.memory-mb.ratio",
        _jobs,
        _container,
    ),
    Expectation(
        "1 GB of NameNode heap for a million blocks",
        "Cloudera: Sizing NameNode Heap Memory",
        _always,
        _namenode,
    ),
    Expectation(
        "a NameNode on hosts of 128 GiB has 4 GiB or more",
        "Cloudera: Sizing NameNode Heap Memory",
        lambda planned: min(worker.memory_bytes for worker in planned.plan.workers) >= 128 * GIB,
        _namenode_spare,
    ),
    Expectation("20 ln(DataNodes) handlers", "Cloudera: dfs.namenode.handler.count", _always, _handlers),
    Expectation(
        "4096 transfer threads or more", "HBase guide: dfs.datanode.max.transfer.threads", _always, _transfers
    ),
    Expectation(
        "a DataNode survives a failed disk of many, and not the loss of most",
        "hdfs-default.xml: failed.volumes.tolerated; HDFS-4239",
        _always,
        _volumes,
    ),
    Expectation(
        "some of each disk is kept from HDFS", "Hortonworks: dfs.datanode.du.reserved", _always, _reserved
    ),
    Expectation(
        "local blocks are read past the DataNode",
        "HDFS-347; HBase guide: short-circuit reads",
        _always,
        _short_circuit,
    ),
    Expectation("the kernel hardly swaps", "Cloudera: vm.swappiness", _always, _swappiness),
    Expectation(
        "two NameNodes, three JournalNodes",
        "HDFS High Availability with QJM: hardware resources",
        _redundant,
        _journals,
    ),
    Expectation(
        "the NameNodes stand in different racks",
        "HDFS High Availability with QJM; Cloudera: roles and racks",
        lambda planned: (
            _redundant(planned) and len({hosts.racks for hosts in planned.case.hosts} - {0, 1}) > 0
        ),
        _racks,
    ),
    Expectation(
        "masters of small clusters take at most a tenth of the hosts",
        "Cloudera: recommended role distribution",
        _always,
        _masters_share,
    ),
    Expectation(
        "masters of a hundred hosts and more share none with workers",
        "Cloudera: recommended role distribution",
        lambda planned: planned.hosts >= 100,
        _masters_apart,
    ),
    Expectation(
        "an odd number of ZooKeepers, three where there are hosts",
        "ZooKeeper administrator's guide",
        lambda planned: _hbase(planned) or _redundant(planned),
        _quorum,
    ),
    Expectation(
        "a RegionServer's heap is under 32 GiB",
        "HBase guide: garbage collection; compressed pointers",
        _hbase,
        _region_heap,
    ),
    Expectation(
        "memstores and block cache leave a fifth of the heap",
        "HBase guide: HBASE-5349, the 80 % check",
        _hbase,
        _region_shares,
    ),
    Expectation(
        "what a RegionServer has beyond is a cache outside of the heap",
        "HBase guide: BucketCache off heap",
        _roomy_hbase,
        _off_heap,
    ),
    Expectation(
        "an executor's heap is under 64 GB",
        "Cloudera: How-to: Tune Your Apache Spark Jobs (Part 2)",
        _has_spark,
        _executor_heap,
    ),
    Expectation(
        "two to five cores for an executor",
        "Cloudera: How-to: Tune Your Apache Spark Jobs (Part 2)",
        _has_spark,
        _executor_cores,
    ),
    Expectation(
        "NodeManagers serve Spark's shuffle",
        "Spark: job scheduling, dynamic allocation",
        _has_spark,
        _spark_shuffle,
    ),
    Expectation(
        "Hive's containers fit", "Cloudera: Demystify Apache Tez Memory Tuning", _has_tez, _tez_container
    ),
    Expectation(
        "a third of a container is for joins in memory",
        "Cloudera: Demystify Apache Tez Memory Tuning",
        _has_tez,
        _tez_join,
    ),
    Expectation("no rule of its own is broken", "this project: fatal is refused", _always, _own_checks),
    Expectation(
        "DataNodes of large clusters have a port of their own",
        "HDFS-599; Cloudera: service RPC port",
        lambda planned: planned.workers >= 500,
        _service_port,
    ),
    Expectation(
        "a lost host's replicas are made again within a day, or by a fifth of the network",
        "Cloudera: HDFS heap sizing, up to 100 TB for a DataNode; HDFS recovery time",
        _supported_density,
        _copied_again,
    ),
    Expectation(
        "a DataNode of a large host has 4 GB of heap",
        "Cloudera: HDFS heap sizing",
        lambda planned: min(worker.memory_bytes for worker in planned.plan.workers) >= 160 * GIB,
        _datanode_heap,
    ),
    Expectation(
        "no NameNode has more than 200 GB of heap", "Cloudera: sizing NameNode heap", _always, _namenode_most
    ),
    Expectation(
        "1.2 GB for 100,000 tasks of finished jobs", "mapred-default.xml; MAPREDUCE-6622", _jobs, _history
    ),
    Expectation("200 to a few thousand partitions", "Spark: SQL performance tuning", _has_spark, _partitions),
    Expectation("slow calls are waited for", "HADOOP-17552", _redundant, _slow_calls),
    Expectation(
        "ZooKeeper has a heap of 1 GB or more",
        "Cloudera: hardware requirements",
        lambda planned: bool(planned.on(Role.ZOOKEEPER)),
        _zookeeper_heap,
    ),
    Expectation(
        "fewer than three replicas are told",
        "hdfs-default.xml: dfs.replication",
        lambda planned: planned.workers < 3,
        _few_replicas_told,
    ),
)


def answers() -> Iterator[Answer]:
    """Every expectation of every cluster that it is about."""
    for case in CASES:
        try:
            planned = Planned(case, plan_cluster(case.inventory, case.request))
        except UserError as error:
            refused = bool(case.refused) and case.refused in f"{error.where} {error.what} {error.hint}"
            yield Answer(case.name, "a plan, or a clear refusal", "this project", refused, str(error))
            continue
        if case.refused:
            yield Answer(case.name, "a clear refusal", "this project", False, planned.plan.platform)
        for expectation in EXPECTATIONS:
            if expectation.of(planned):
                met, found = expectation.held(planned)
                yield Answer(case.name, expectation.says, expectation.source, met, found)


def main() -> None:
    """Print what was not met, and the score."""
    given = list(answers())
    missed = [answer for answer in given if not answer.met]
    for answer in missed:
        print(f"{answer.case}: {answer.expects} [{answer.source}]\n    {answer.found}")
    print(f"{len(given) - len(missed)} of {len(given)} expectations met, of {len(CASES)} clusters")


if __name__ == "__main__":
    main()

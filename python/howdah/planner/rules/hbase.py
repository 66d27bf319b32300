"""HBase as a whole: its data in HDFS, its ZooKeepers, regions and compactions."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input, Role
from howdah.planner.conditions import WITH_HBASE, with_hbase
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.heap import REGIONS, heap_enough, sized_heap
from howdah.planner.reading import (
    Inspected,
    Observation,
    has_several_hosts,
    is_temporary,
    path_list,
    worker_hosts,
)
from howdah.planner.rule import MAY, MUST, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules, anything, as_number, within_factor
from howdah.planner.rules.security import login
from howdah.planner.storage import FILL_LIMIT
from howdah.units import GIB, format_bytes, format_count, format_counted, format_memory

_REGIONS_MOST = 200
_REGION_LEAST, _REGION_MOST = 5 * GIB, 50 * GIB
"""Smaller regions keep splitting; larger ones take hours to compact."""
_RECORD_BYTES = 1000
"""YCSB's ten fields of 100 bytes."""
_WEEK_MS = 604_800_000
_OFF_PEAK = (1, 5)
_SESSION_MS = 90_000
_PATIENCE_MS, _DEFAULT_PATIENCE_MS = 300_000, 1_200_000
rules = Rules(file="hbase-site.xml")
hbase = rules.under(when=WITH_HBASE)


@rules.inspection(
    "hbase.distributed-servers",
    MUST,
    sources="HBase 2.6.4: hbase-default.xml",
    when="the files name several hosts",
)
def _alone_by_default(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """HBase on several hosts runs as a cluster."""
    key = "hbase.cluster.distributed"
    if reading.has("hbase-site.xml") and (len(worker_hosts(reading)) > 1 or has_several_hosts(reading)):
        yield reading.verdict(
            key,
            (reading.text(key) or "").strip().lower() == "true",
            found=f"{reading.text(key) or 'false (default)'}, with several hosts",
            expected="true: otherwise all of HBase runs in the HMaster's process, and its data depend on "
            "that host",
            fix=f"set {key} to true in {reading.where(key) or 'hbase-site.xml'}",
            elsewhere="hbase-site.xml",
        )


@hbase.setting(
    "hbase.root",
    "hbase.rootdir",
    MUST,
    sources="HBase 2.6.4: hbase-default.xml, howdah",
    accepts=lambda value, decision, facts: "://" in str(value) and not str(value).startswith("file:"),
)
def _root(facts: Facts) -> Decision:
    """HBase keeps its data in HDFS."""
    file_system = str(facts.decided.get("fs.defaultFS", ""))
    # A check may have found the release's default, which is the local disk.
    base = file_system.rstrip("/") if file_system.startswith("hdfs://") else f"hdfs://{facts.cluster.name}"
    return Decision(f"{base}/hbase", f"in the cluster's file system, {base}")


@hbase.setting(
    "hbase.master-heap",
    "HBASE_MASTER_OPTS",
    sources="D3 120, Cloudera: hardware requirements, howdah",
    file="hbase-env.sh",
    accepts=heap_enough,
)
def _master_heap(facts: Facts) -> Decision:
    """The HMaster's heap is 4 GiB, from 10,000 regions on 8 with 200 RegionServers and 12 with 300; less on
    small hosts."""
    servers = facts.cluster.workers
    return sized_heap(
        Role.HMASTER,
        facts,
        f"it moves {format_count(servers * REGIONS)} regions of {format_count(servers)} RegionServers, "
        f"{REGIONS} of each, and records each move",
        *login("hbase", facts),
    )


hbase.fixed(
    "hbase.own-zookeeper",
    "HBASE_MANAGES_ZK",
    "false",
    file="hbase-env.sh",
    accepts=lambda value, decision, facts: str(value).lower() == "false",
).text(
    "HBase does not start ZooKeeper.",
    "the cluster has its own; start-hbase.sh would start more of them",
    "HBase 2.6.4: hbase-env.sh, howdah",
)
hbase.fixed("hbase.distributed", "hbase.cluster.distributed", True).text(
    "HBase runs as a cluster.",
    "the default runs everything in one process, on the local file system",
    "HBase 2.6.4: hbase-default.xml, howdah",
)


@hbase.setting(
    "hbase.quorum",
    "hbase.zookeeper.quorum",
    MUST,
    sources="HBase 2.6.4: hbase-default.xml, howdah",
    accepts=lambda value, decision, facts: (
        {host.partition(":")[0] for host in path_list(value)} == set(path_list(decision.value))
    ),
)
def _quorum(facts: Facts) -> Decision:
    """HBase finds its servers through the cluster's ZooKeepers."""
    hosts = facts.cluster.addresses(Role.ZOOKEEPER)
    if not hosts:
        raise MissingFact("the hosts of ZooKeeper: give a plan")
    return Decision(
        hosts, f"the {len(hosts)} ZooKeepers of the cluster" if len(hosts) > 1 else "the one ZooKeeper"
    )


hbase.fixed(
    "hbase.tmp-dir",
    "hbase.tmp.dir",
    "/var/lib/hbase/tmp",
    accepts=lambda value, decision, facts: bool(value) and not is_temporary(str(value)),
).text(
    "HBase's own working directory outlives a reboot.",
    "the default is below /tmp",
    "HBase 2.6.4: hbase-default.xml, howdah",
)
hbase.fixed("hbase.wal-sync", "hbase.unsafe.stream.capability.enforce", True, written=False).text(
    "HBase starts only if the file system keeps what was written to the log.",
    "HDFS keeps the log, and on a file system that does not a lost host loses acknowledged writes",
    "HBase 2.6.4: hbase-default.xml, howdah",
)
hbase.fixed("hbase.checksums", "hbase.regionserver.checksum.verify", True, MAY, written=False).text(
    "HBase checks blocks itself, which saves a read of HDFS's checksums.",
    "one disk operation less for each block",
    "D3 121, HBase 2.6.4: hbase-default.xml",
)


def _stored(facts: Facts) -> tuple[int, str]:
    """What a RegionServer's regions hold, bytes, before replication, and how that is known."""
    records = max((demand.records or 0 for demand in facts.request.workloads), default=0)
    servers = max(1, facts.cluster.workers)
    if records:
        return records * _RECORD_BYTES // servers, f"its part of {format_count(records)} records of 1 kB"
    share = (facts.worker.data_disks or 0) / max(1, facts.cluster.data_disks)
    replicas = max(1, int(facts.number("dfs.replication")))
    room = facts.cluster.raw_bytes * share * FILL_LIMIT / replicas
    return int(room), "what its disks hold when full"


@hbase.setting(
    "hbase.region-size",
    "hbase.hregion.max.filesize",
    MAY,
    sources="HBASE-11985, HBase 2.6.4: reference guide on regions",
    scope=Scope.WORKER,
    accepts=lambda value, decision, facts: (
        as_number(decision.value) / 2 <= as_number(value) <= max(2 * as_number(decision.value), 20 * GIB)
    ),
)
def _region_size(facts: Facts) -> Decision:
    """Regions are so large that a RegionServer has about 100 of them, of 5 to 50 GiB."""
    stored, basis = _stored(facts)
    value = max(_REGION_LEAST, min(_REGION_MOST, -(-stored // REGIONS // GIB) * GIB))
    regions = max(1, -(-stored // value))
    regions_text = (
        f"{format_bytes(stored)} on a RegionServer, {basis}, are {format_counted(regions, 'region')}"
    )
    if regions > _REGIONS_MOST:
        because = (
            f"{regions_text}, more than the {_REGIONS_MOST} it should have; larger ones take too long to "
            "compact, so leave a part of the disks to other data"
        )
    else:
        because = f"{regions_text}: 20 to {_REGIONS_MOST} are few to flush and to open, and enough to spread"
    return Decision(value, because, (Input(name="data of a RegionServer", value=stored, unit="B"),))


hbase.fixed(
    "hbase.major-compactions",
    "hbase.hregion.majorcompaction",
    _WEEK_MS,
    MAY,
    accepts=lambda value, decision, facts: as_number(value) == 0 or as_number(value) >= 86_400_000,
    written=False,
).text(
    "Every region is rewritten once a week.",
    "deleted cells are removed, and blocks come back to their RegionServer's own disks",
    "HBase 2.6.4: hbase-default.xml, howdah",
)
hbase.fixed("hbase.off-peak-start", "hbase.offpeak.start.hour", _OFF_PEAK[0], MAY, accepts=anything).text(
    "Large compactions run at night.",
    "from 1 to 5 by the host's clock: set the hours with little load",
    "HBase 2.6.4: hbase-default.xml, howdah",
)
hbase.fixed("hbase.off-peak-end", "hbase.offpeak.end.hour", _OFF_PEAK[1], MAY, accepts=anything).text(
    "Large compactions end before the day begins.",
    "from 1 to 5 by the host's clock: set the hours with little load",
    "HBase 2.6.4: hbase-default.xml, howdah",
)
hbase.fixed(
    "hbase.session-timeout",
    "zookeeper.session.timeout",
    _SESSION_MS,
    MAY,
    accepts=within_factor(0.3, 2),
    written=False,
).text(
    "A silent RegionServer is given up after 90 seconds.",
    "longer than any pause of a well-sized heap; the keys of a RegionServer that was killed had no "
    "answer for 96 s in a lab, 66 s of it until it was noticed, and with 20 s for 45 to 47 s",
    "HBase 2.6.4: hbase-default.xml, howdah",
)
hbase.fixed(
    "hbase.client-patience",
    "hbase.client.operation.timeout",
    _PATIENCE_MS,
    MAY,
    accepts=lambda value, decision, facts: _SESSION_MS < as_number(value) <= _DEFAULT_PATIENCE_MS,
).text(
    "A client abandons an operation after minutes, but not before a lost RegionServer is replaced.",
    "by default a client retries for 20 minutes; in a lab the regions of a lost RegionServer were "
    "available again after 96 s, and no operation that waited so long failed",
    "HBase 2.6.4: hbase-default.xml, howdah",
)


@hbase.setting(
    "hbase.session-limit",
    "maxSessionTimeout",
    sources="HBase 2.6.4: hbase-default.xml, ZooKeeper 3.8",
    default_harms=True,
    file="zoo.cfg",
    accepts=lambda value, decision, facts: as_number(value) >= as_number(decision.value),
    today="HBase passes its timeout on to a ZooKeeper that it starts itself, not to the cluster's own.",
)
def _session_limit(facts: Facts) -> Decision:
    """ZooKeeper grants sessions as long as HBase asks for."""
    session = facts.decided.get("zookeeper.session.timeout")
    value = int(as_number(session)) if session is not None else _SESSION_MS
    return Decision(
        value,
        f"HBase requests {value / 1000:g} s; without its own limit ZooKeeper grants 20 ticks, 40 s, and a "
        "RegionServer is declared lost that much earlier",
        (Input(name="zookeeper.session.timeout", value=value / 1000, unit="s"),),
    )


@rules.advice(
    "hbase.dense-regionservers",
    sources="HBASE-11985, HBase 2.6.4: reference guide on regions",
    when=WITH_HBASE,
)
def _dense_counsel(facts: Facts) -> str | None:
    """A RegionServer has no more data than 200 regions of 50 GiB hold."""
    stored, basis = _stored(facts)
    most = _REGIONS_MOST * _REGION_MOST
    if stored <= most:
        return None
    return (
        f"A RegionServer would hold {format_bytes(stored)}, {basis}; {_REGIONS_MOST} regions of "
        f"{format_memory(_REGION_MOST)} are {format_bytes(most)}. Keep tables below that, and the rest of "
        "HDFS for other data, or give HBase more hosts with fewer disks: the regions of a lost "
        "RegionServer must open on the others within minutes."
    )


@rules.advice("hbase.log-disks", MAY, sources="HBASE-20461, howdah", when=WITH_HBASE)
def _log_counsel(facts: Facts) -> str | None:
    """HBase's log needs no separate disks while it is not synced to them."""
    if facts.decided.get("hbase.wal.hsync") is True:
        return (
            "Every write waits for a disk here (hbase.wal.hsync): give DataNodes an SSD each, tag it [SSD] "
            "in dfs.datanode.data.dir, and set hbase.wal.storage.policy to ALL_SSD."
        )
    return (
        "A write is acknowledged once all its DataNodes have it in memory, so separate disks for the log "
        "gain little: with the disks of one of four workers limited to 1 MB/s for 20 s no request "
        "in a lab waited for a second. If a whole rack loses power, unwritten data may be lost: if that "
        "is not acceptable, use hbase.wal.hsync with logs on SSDs (hbase.wal.storage.policy)."
    )


rules.advice("hbase.in-steps", MAY, sources="D3 160, D3 116", when=WITH_HBASE).text(
    "An HBase cluster is sized by measuring.",
    "Size HBase in steps: load part of the data, measure at the expected rates, and only then fix "
    "memory, regions and handlers. Aim at 20 to 200 regions on each RegionServer.",
)


@rules.advice(
    "hbase.shared-workers", sources="D3 125, howdah", when=Condition("with HBase and MapReduce", with_hbase)
)
def _pools_counsel(facts: Facts) -> str | None:
    """Jobs and requests on one worker slow each other down."""
    if facts.request.mapreduce:
        return (
            "MapReduce and HBase share these workers: a large job takes disks and CPUs from every request. "
            "If latency matters, give HBase its own workers on the same hosts, or limit how many jobs run "
            "at once."
        )
    return None

"""HBase as a whole: its data in HDFS, its ZooKeepers, regions and compactions."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.hostname import split_address
from howdah.model.plan import Role
from howdah.planner.capacity import FILL_LIMIT
from howdah.planner.facts import Facts, required
from howdah.planner.heap import REGIONS, sized_heap
from howdah.planner.reading import Inspected, Observation, Values, path_list
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.security import login
from howdah.releases.values import is_true
from howdah.units import GIB, format_bytes, format_count, format_counted

rules = read_rules("hbase.toml")

_REGIONS_MOST = 200
_REGION_LEAST, _REGION_MOST = 5 * GIB, 50 * GIB
"""Smaller regions keep splitting; larger ones take hours to compact."""
_RECORD_BYTES = 1000  # YCSB's ten fields of 100 bytes.
_SESSION_MS = 90_000


@rules.inspects("hbase.distributed-servers")
def _alone_by_default(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = "hbase.cluster.distributed"
    if reading.has("hbase-site.xml") and (len(reading.worker_hosts) > 1 or reading.has_several_hosts):
        shown = f"{reading.text(key) or 'false (default)'}, with several hosts"
        ok = is_true(reading.text(key))
        yield reading.verdict(key, ok, found=shown, elsewhere="hbase-site.xml")


@rules.decides("hbase.root")
def _root(facts: Facts) -> Decision:
    file_system = str(facts.decided.get("fs.defaultFS", ""))
    # A check may have found the release's default, which is the local disk.
    base = file_system.rstrip("/") if file_system.startswith("hdfs://") else f"hdfs://{facts.cluster.name}"
    return Decision(f"{base}/hbase", values={"base": base})


@rules.decides("hbase.master-heap")
def _master_heap(facts: Facts) -> Decision:
    servers = facts.cluster.workers
    values = {"moved": format_count(servers * REGIONS), "servers": format_count(servers)}
    return sized_heap(Role.HMASTER, facts, *login("hbase", facts), regions=REGIONS, **values)


rules.accepts("the same hosts")(
    lambda value, decision, facts: (
        {split_address(host)[0] for host in path_list(value)} == set(path_list(decision.value))
    )
)


@rules.decides("hbase.quorum")
def _quorum(facts: Facts) -> Decision:
    hosts = required(facts.cluster.addresses(Role.ZOOKEEPER), "the hosts of ZooKeeper: give a plan")
    return Decision(hosts, words="several" if len(hosts) > 1 else "one", values={"hosts": len(hosts)})


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


rules.accepts("half to twice or 20 GiB")(
    lambda value, decision, facts: (
        as_number(decision.value) / 2 <= as_number(value) <= max(2 * as_number(decision.value), 20 * GIB)
    )
)


@rules.decides("hbase.region-size")
def _region_size(facts: Facts) -> Decision:
    stored, basis = _stored(facts)
    value = max(_REGION_LEAST, min(_REGION_MOST, -(-stored // REGIONS // GIB) * GIB))
    regions = max(1, -(-stored // value))
    values = {"stored": format_bytes(stored), "basis": basis, "regions": format_counted(regions, "region")}
    words = "many" if regions > _REGIONS_MOST else "few"
    inputs = inputs_of(("data of a RegionServer", stored, "B"))
    return Decision(value, inputs=inputs, words=words, values=values)


@rules.decides("hbase.session-limit")
def _session_limit(facts: Facts) -> Decision:
    session = facts.decided.get("zookeeper.session.timeout")
    value = int(as_number(session)) if session is not None else _SESSION_MS
    inputs = inputs_of(("zookeeper.session.timeout", value / 1000, "s"))
    return Decision(value, inputs=inputs, values={"seconds": value / 1000})


@rules.advises("hbase.dense-regionservers")
def _dense_counsel(facts: Facts) -> Values | None:
    stored, basis = _stored(facts)
    most = _REGIONS_MOST * _REGION_MOST
    values = {"stored": format_bytes(stored), "basis": basis, "most": format_bytes(most)}
    return values if stored > most else None


rules.advises("hbase.log-disks")(
    lambda facts: {"words": "forced" if facts.decided.get("hbase.wal.hsync") is True else "usual"}
)
rules.advises("hbase.shared-workers")(lambda facts: {} if facts.request.mapreduce else None)

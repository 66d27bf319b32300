"""HBase: its data in HDFS, regions and compactions; RegionServers: heaps, caches, collectors, handlers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from howdah.model.hostname import split_address
from howdah.model.plan import Input, Role, Value
from howdah.planner import heap as heaps
from howdah.planner.budget import budget
from howdah.planner.capacity import FILL_LIMIT
from howdah.planner.facts import Facts, required
from howdah.planner.reading import Inspected, Observation, Values, path_list
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.jvm import supported
from howdah.planner.rules.security import login
from howdah.releases.values import direct_bytes, heap_bytes, is_true
from howdah.units import GIB, MIB, format_bytes, format_count, format_counted, format_memory, listed

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
    values = {"moved": format_count(servers * heaps.REGIONS), "servers": format_count(servers)}
    return heaps.sized_heap(Role.HMASTER, facts, *login(Role.HMASTER, facts), regions=heaps.REGIONS, **values)


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
    value = max(_REGION_LEAST, min(_REGION_MOST, -(-stored // heaps.REGIONS // GIB) * GIB))
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

_CACHE_FROM = 24 * GIB  # Below it one cache in the heap serves as well as two.
_JAVA_SHARE = 0.1  # What a Java machine needs beside its heap, as a share of it.
_DIRECT = 2 * GIB  # Buffers of requests and of short-circuit reads, beside the cache.
_HEAP_CACHE, _HEAP_CACHE_BESIDE = 0.4, 0.2
_MEMSTORE = 0.4
_MOST_OF_HEAP = 0.8
_LARGE_REGIONS_FROM = 16 * GIB
_SMALL_REGIONS_FROM = 4 * GIB
_HANDLERS_LEAST = 30
_HANDLERS_PER_CPU = 2
_HANDLERS_MOST = 256


class RegionServerMemory(NamedTuple):
    """A RegionServer's memory, bytes: its heap and its cache beside the heap, 0 for none."""

    heap: int
    cache: int

    @property
    def direct(self) -> int:
        """The most memory that Java may take beside its heap, for the cache there and buffers."""
        return self.cache + _DIRECT if self.cache else 0


@rules.accepts("heap of a RegionServer")
def _options_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    heap, planned = heap_bytes(str(value)), heap_bytes(str(decision.value))
    if heap is None or planned is None:
        return False
    # Between 32 and 48 GiB a heap holds less than one of 31: pointers are twice as large.
    wasteful = heaps.COMPRESSED_MOST + GIB < heap < heaps.UNCOMPRESSED_LEAST
    return 0.5 * planned <= heap <= 0.8 * facts.worker.memory_bytes and not wasteful


def regionserver_memory(share: int) -> RegionServerMemory:
    """How a RegionServer uses its share of a worker's memory, whole GiB where it is that large."""
    if share < _CACHE_FROM:
        step = GIB if share >= 8 * GIB else 256 * MIB
        return RegionServerMemory(max(step, int(share / (1 + _JAVA_SHARE)) // step * step), 0)
    heap = min(heaps.COMPRESSED_MOST, share // 2 // GIB * GIB)
    return RegionServerMemory(heap, cache_outside(share, heap))


def cache_outside(share: int, heap: int) -> int:
    """What a RegionServer's share of memory leaves for a cache outside its heap, bytes in whole GiB."""
    return max(0, int(share - heap * (1 + _JAVA_SHARE) - _DIRECT) // GIB * GIB)


def _inputs(facts: Facts) -> tuple[Input, ...]:
    shares = budget(facts.worker, facts)
    return inputs_of(
        ("worker's memory", shares.memory, "B"),
        ("RegionServer's share", shares.regionserver, "B"),
        ("DataNode", shares.datanode, "B"),
    )


def _memory(facts: Facts) -> RegionServerMemory:
    return regionserver_memory(budget(facts.worker, facts).regionserver)


@rules.decides("regionserver.heap")
def _options(facts: Facts) -> Decision:
    memory = _memory(facts)
    heap, cache = memory.heap, memory.cache
    options = [*heaps.collector(max(supported(facts))), "-XX:MaxGCPauseMillis=100"]
    if heap >= _SMALL_REGIONS_FROM:
        # A memstore's chunk of 2 MiB must take less than half of one of G1's regions, or it is humongous.
        options.append(f"-XX:G1HeapRegionSize={32 if heap >= _LARGE_REGIONS_FROM else 8}m")
    options += ["-XX:+AlwaysPreTouch", "-XX:+UseTransparentHugePages", "-XX:+ExitOnOutOfMemoryError"]
    if cache:
        options.append(f"-XX:MaxDirectMemorySize={memory.direct // MIB}m")
    value = heaps.heap_options(heap, *options, *login(Role.REGIONSERVER, facts))
    sizes = {"heap": heap, "cache": cache, "both": heap + cache}
    values = {name: format_memory(size) for name, size in sizes.items()}
    return Decision(value, inputs=_inputs(facts), words="cache" if cache else "heap", values=values)


rules.when("with HBase, if a RegionServer has 24 GiB or more")(
    lambda facts: facts.request.hbase_used and (facts.known_worker is None or _memory(facts).cache > 0)
)


@rules.decides("regionserver.cache-size")
def _cache_size(facts: Facts) -> Decision:
    share = budget(facts.worker, facts).regionserver
    heap = heap_bytes(str(facts.decided.get("HBASE_REGIONSERVER_OPTS", ""))) or _memory(facts).heap
    value = cache_outside(share, heap) // MIB
    return Decision(value, inputs=_inputs(facts), values={"heap": format_memory(heap)})


rules.decides("regionserver.cache-kind")(lambda facts: Decision("offheap", inputs=_inputs(facts)))


@rules.decides("regionserver.heap-cache")
def _heap_cache(facts: Facts) -> Decision:
    if _memory(facts).cache:
        return Decision(_HEAP_CACHE_BESIDE, words="beside")
    return Decision(_HEAP_CACHE, words="alone")


@rules.decides("regionserver.memstore")
def _memstore(facts: Facts) -> Decision:
    writes = format_memory(int(_MEMSTORE * _memory(facts).heap))
    return Decision(_MEMSTORE, values={"writes": writes})


@rules.inspects("regionserver.heap-shares")
def _over_heap(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    defaults = {"hfile.block.cache.size": _HEAP_CACHE, "hbase.regionserver.global.memstore.size": _MEMSTORE}
    numbers = {key: number for key in defaults if (number := reading.number(key)) is not None}
    if not numbers:
        return
    shares = defaults | numbers
    both = sum(shares.values())
    # What takes more by itself is what is wrong.
    lowered = max(shares, key=shares.__getitem__)
    room = max(0.1, _MOST_OF_HEAP - min(shares.values()))
    values = {"lowered": lowered, "share": min(_MOST_OF_HEAP / 2, room)}
    shown, place = f"{both:.2f} of the heap", reading.where(next(iter(numbers)))
    ok = both <= _MOST_OF_HEAP + 1e-9
    yield Observation(ok, listed(shares), shown, where=place, values=values)


@rules.inspects("regionserver.direct-memory")
def _direct_memory(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    cache_mb = reading.number("hbase.bucketcache.size")
    engine = reading.text("hbase.bucketcache.ioengine") or ""
    if cache_mb is None or cache_mb <= 1 or engine != "offheap":
        return
    options = reading.variable("HBASE_REGIONSERVER_OPTS") or ""
    own = reading.variable("HBASE_OFFHEAPSIZE")
    limit = heap_bytes(f"-Xmx{own}") if own else direct_bytes(options)
    limited = format_memory(limit) if limit else "no limit given"
    ok = None if limit is None else limit > cache_mb * MIB
    shown = f"{cache_mb:g} MB, with {limited} outside the heap"
    words = "variable" if own else "option"
    place = reading.variable_where("HBASE_OFFHEAPSIZE")
    values = {"direct_mb": int(cache_mb) + _DIRECT // MIB, "place": place}
    yield reading.verdict("hbase.bucketcache.size", ok, found=shown, words=words, values=values)


rules.accepts("up to twice")(
    lambda value, decision, facts: _HANDLERS_LEAST <= as_number(value) <= 2 * as_number(decision.value)
)


@rules.decides("regionserver.handlers")
def _handlers(facts: Facts) -> Decision:
    cpus = facts.worker.vcpus or facts.group.cpu.threads
    value = min(max(_HANDLERS_LEAST, _HANDLERS_PER_CPU * cpus), _HANDLERS_MOST)
    twice = _HANDLERS_PER_CPU * cpus
    words = "more" if value > twice else "less" if value < twice else "twice"
    return Decision(value, inputs=inputs_of(("CPUs of the worker", cpus)), words=words, values={"cpus": cpus})

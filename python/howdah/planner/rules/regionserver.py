"""RegionServers: heap, caches on and off the heap, the collector, handlers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from howdah.model.plan import Input, Value
from howdah.planner.budget import budget
from howdah.planner.facts import Facts
from howdah.planner.heap import COMPRESSED_MOST, UNCOMPRESSED_LEAST, collector, heap_options
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.jvm import supported
from howdah.planner.rules.security import login
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB, format_memory, listed

rules = read_rules("regionserver.toml")

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
    wasteful = COMPRESSED_MOST + GIB < heap < UNCOMPRESSED_LEAST
    return 0.5 * planned <= heap <= 0.8 * facts.worker.memory_bytes and not wasteful


def regionserver_memory(share: int) -> RegionServerMemory:
    """How a RegionServer uses its share of a worker's memory, whole GiB where it is that large."""
    if share < _CACHE_FROM:
        step = GIB if share >= 8 * GIB else 256 * MIB
        return RegionServerMemory(max(step, int(share / (1 + _JAVA_SHARE)) // step * step), 0)
    heap = min(COMPRESSED_MOST, share // 2 // GIB * GIB)
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
    options = [*collector(max(supported(facts))), "-XX:MaxGCPauseMillis=100"]
    if heap >= _SMALL_REGIONS_FROM:
        # A memstore's chunk of 2 MiB must take less than half of one of G1's regions, or it is humongous.
        options.append(f"-XX:G1HeapRegionSize={32 if heap >= _LARGE_REGIONS_FROM else 8}m")
    options += ["-XX:+AlwaysPreTouch", "-XX:+UseTransparentHugePages", "-XX:+ExitOnOutOfMemoryError"]
    if cache:
        options.append(f"-XX:MaxDirectMemorySize={memory.direct // MIB}m")
    value = heap_options(heap, *options, *login("hbase", facts))
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
    match = re.search(r"-XX:MaxDirectMemorySize=(\d+[kKmMgGtT]?)", options)
    size = reading.variable("HBASE_OFFHEAPSIZE") or (match.group(1) if match else "")
    limit = heap_bytes(f"-Xmx{size}")
    limited = format_memory(limit) if limit else "no limit given"
    ok = None if limit is None else limit > cache_mb * MIB
    shown = f"{cache_mb:g} MB, with {limited} outside the heap"
    words = "variable" if reading.variable("HBASE_OFFHEAPSIZE") else "option"
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

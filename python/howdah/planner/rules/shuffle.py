"""From map to reduce: sorting, spills, compression, and fetching over the network."""

from __future__ import annotations

import math
from collections.abc import Iterable

from howdah.model.plan import Value
from howdah.planner.budget import HEAP_SHARE, kinds_of
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision, in_study, inputs_of
from howdah.planner.rules.declare import as_number, read_rules, read_table
from howdah.releases.values import heap_bytes
from howdah.units import MIB

rules = read_rules("shuffle.toml")

_EARLY, _LATE, _LATEST = 0.05, 0.8, 0.9
_BLOCK = 256 * MIB
_FEW_WAVES = 2.0
_COPIES = 20
_COPIES_OF_SMALL = 5


@rules.decides("shuffle.slow-start")
def _slow_start(facts: Facts) -> Decision:
    if in_study(facts):
        return Decision(0.0, words="study")
    if facts.request.sorts_only and not facts.request.dataset_bytes:
        return Decision(_LATEST, words="unknown")
    if facts.request.sorts_only:
        waves = (facts.request.dataset_bytes or 0) / _BLOCK / max(1, facts.cluster.map_slots)
        inputs = inputs_of(("waves of map tasks", round(waves, 1)))
        if waves < _FEW_WAVES:
            return Decision(_EARLY, inputs=inputs, words="early")
        return Decision(min(_LATEST, round(1 - 1 / waves, 2)), inputs=inputs, words="late")
    return Decision(_LATE, words="shared")


@rules.decides("shuffle.copies")
def _copies(facts: Facts) -> Decision:
    kinds = kinds_of(facts)
    slots = max(kind.reduce_slots for kind in kinds)
    inputs = inputs_of(("reduce tasks at once on a worker", slots))
    if slots <= 1 and len(kinds) == 1 and facts.cluster.workers > len(kinds):
        return Decision(_COPIES_OF_SMALL, inputs=inputs, words="small")
    return Decision(_COPIES, inputs=inputs, words="usual")


rules.when("only TeraSort runs")(lambda facts: facts.request.sorts_only)

_RECORD_BYTES = 100
_RECORD_EXTRA_BYTES = 18
"""The buffer keeps 16 bytes of metadata of each record and, of TeraSort's, the lengths of key and value."""
_SPILL_SHARE = 0.8
_SORT_STEP_MB = 50
_SORT_HEAP_SHARE = 0.6  # Of a map task's heap; a larger buffer leaves the task itself too little.
_SORT_MOST_MB = 2047
_KNOWN_CODECS = read_table("keys.toml")["codecs"]
_LEAST_HEAP = 64 * MIB


@rules.accepts("a buffer that fits the heap")
def _buffer_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    heap_mb = facts.number("mapreduce.map.memory.mb") * HEAP_SHARE
    planned = as_number(decision.value)
    return 0.92 * planned <= as_number(value) <= max(0.7 * heap_mb, planned)


@rules.decides("sorting.sort-buffer")
def _sort_buffer(facts: Facts) -> Decision:
    block_mb = facts.number("dfs.blocksize") / MIB
    heap_mb = facts.number("mapreduce.map.memory.mb") * HEAP_SHARE
    share = 1 + _RECORD_EXTRA_BYTES / _RECORD_BYTES
    whole = max(1, math.ceil(block_mb * share / _SPILL_SHARE / _SORT_STEP_MB)) * _SORT_STEP_MB
    most = int(min(_SORT_MOST_MB, heap_mb * _SORT_HEAP_SHARE))
    record = ("lengths and metadata of a record", _RECORD_EXTRA_BYTES, "B")
    inputs = inputs_of(("block", int(block_mb * MIB), "B"), record, ("map heap", int(heap_mb * MIB), "B"))
    if whole > most:
        return Decision(most, inputs=inputs, words="most", values={"whole": whole})
    values = {"block_mb": block_mb, "filled": block_mb * share / whole * 100}
    return Decision(whole, inputs=inputs, words="whole", values=values)


@rules.inspects("sorting.sort-buffer-in-heap")
def _buffer_over_heap(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "mapreduce.task.io.sort.mb"
    buffer = reading.number(key)
    options = reading.text("mapreduce.map.java.opts") or reading.text("mapred.child.java.opts") or ""
    container = reading.number("mapreduce.map.memory.mb")
    heap = heap_bytes(options) or (container * 0.8 * MIB if container and container > 0 else None)
    if buffer is None or heap is None or heap < _LEAST_HEAP:
        # A heap of a few MiB is a unit's fault, which is a rule of its own.
        return
    heap_mb = heap / MIB
    ok, shown = buffer <= 0.7 * heap_mb, f"{buffer:.15g} MB of a map heap of {heap_mb:.0f} MiB"
    inputs = inputs_of(("map heap", int(heap), "B"))
    sizes = {"most_mb": 0.7 * heap_mb, "half_mb": int(heap_mb / 2)}
    yield reading.verdict(key, ok, found=shown, inputs=inputs, values=sizes)


@rules.inspects("sorting.codec-exists")
def _unknown_codec(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "mapreduce.map.output.compress.codec"
    codec = reading.text(key) if reading.truth("mapreduce.map.output.compress") else None
    # Whether a codec of the site's own is on the class path is not in the configuration.
    if codec is not None and codec.startswith("org.apache.hadoop."):
        yield reading.verdict(key, codec in _KNOWN_CODECS)

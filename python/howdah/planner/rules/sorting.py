"""Sorting map output: the buffer, spills, merges, compression."""

from __future__ import annotations

import math
from collections.abc import Iterable

from howdah.model.plan import Input, Value
from howdah.planner.budget import HEAP_SHARE
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import as_number, read_rules
from howdah.releases.values import heap_bytes
from howdah.units import MIB

rules = read_rules("sorting.toml")

_RECORD_BYTES = 100
_RECORD_EXTRA_BYTES = 18
"""The buffer keeps 16 bytes of metadata of each record and, of TeraSort's, the lengths of key and value."""
_SPILL_SHARE = 0.8
_SORT_STEP_MB = 50
_SORT_HEAP_SHARE = 0.6
"""Of a map task's heap; a larger buffer leaves the task itself too little."""
_SORT_MOST_MB = 2047
_CODECS = "org.apache.hadoop.io.compress"
_SNAPPY = f"{_CODECS}.SnappyCodec"
_KNOWN_CODECS = frozenset(
    f"{_CODECS}.{name}"
    for name in (
        "SnappyCodec",
        "Lz4Codec",
        "ZStandardCodec",
        "DefaultCodec",
        "GzipCodec",
        "BZip2Codec",
        "DeflateCodec",
    )
)
_LEAST_HEAP = 64 * MIB


@rules.accepts("a buffer that fits the heap")
def _buffer_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    heap_mb = facts.number("mapreduce.map.memory.mb") * HEAP_SHARE
    return (
        0.92 * as_number(decision.value) <= as_number(value) <= max(0.7 * heap_mb, as_number(decision.value))
    )


@rules.decides("sorting.sort-buffer")
def _sort_buffer(facts: Facts) -> Decision:
    block_mb = facts.number("dfs.blocksize") / MIB
    heap_mb = facts.number("mapreduce.map.memory.mb") * HEAP_SHARE
    share = 1 + _RECORD_EXTRA_BYTES / _RECORD_BYTES
    whole = max(1, math.ceil(block_mb * share / _SPILL_SHARE / _SORT_STEP_MB)) * _SORT_STEP_MB
    most = int(min(_SORT_MOST_MB, heap_mb * _SORT_HEAP_SHARE))
    inputs = (
        Input(name="block", value=int(block_mb * MIB), unit="B"),
        Input(name="lengths and metadata of a record", value=_RECORD_EXTRA_BYTES, unit="B"),
        Input(name="map heap", value=int(heap_mb * MIB), unit="B"),
    )
    if whole > most:
        return Decision(
            most,
            f"a whole block would need {whole} MB; {_SORT_HEAP_SHARE * 100:.0f} % of the map task's heap is "
            "the most that leaves room for the task, so its output is spilled more than once",
            inputs,
        )
    return Decision(
        whole,
        f"a block of {block_mb:.0f} MiB and {_RECORD_EXTRA_BYTES} bytes for each 100-byte record fill "
        f"{block_mb * share / whole * 100:.0f} % of it, less than the {_SPILL_SHARE * 100:.0f} % at which it "
        "spills: a map task over a block writes its output once (the last of a file, up to a tenth longer, "
        "may write it twice)",
        inputs,
    )


@rules.inspects("sorting.sort-buffer-in-heap")
def _buffer_over_heap(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    buffer = reading.number("mapreduce.task.io.sort.mb")
    options = reading.text("mapreduce.map.java.opts") or reading.text("mapred.child.java.opts") or ""
    container = reading.number("mapreduce.map.memory.mb")
    heap = heap_bytes(options) or (container * 0.8 * MIB if container and container > 0 else None)
    if buffer is None or heap is None or heap < _LEAST_HEAP:
        # A heap of a few MiB is a unit's fault, which is a rule of its own.
        return
    heap_mb = heap / MIB
    yield reading.verdict(
        "mapreduce.task.io.sort.mb",
        buffer <= 0.7 * heap_mb,
        found=f"{buffer:.15g} MB of a map heap of {heap_mb:.0f} MiB",
        expected=f"at most {0.7 * heap_mb:.0f} MB: the buffer is one piece of the heap, and tasks fail if "
        "it does not fit",
        fix=f"set mapreduce.task.io.sort.mb to {int(heap_mb / 2)} or raise the heap in "
        "mapreduce.map.java.opts",
        inputs=(Input(name="map heap", value=int(heap), unit="B"),),
    )


@rules.inspects("sorting.codec-exists")
def _unknown_codec(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    codec = reading.text("mapreduce.map.output.compress.codec")
    if not reading.truth("mapreduce.map.output.compress") or codec is None:
        return
    if not codec.startswith("org.apache.hadoop."):
        # A codec of the site's own: whether it is on the class path is not in the configuration.
        return
    yield reading.verdict(
        "mapreduce.map.output.compress.codec",
        codec in _KNOWN_CODECS,
        found=codec,
        expected=f"a codec of Hadoop, such as {_SNAPPY}: otherwise every map task fails",
        fix=f"set mapreduce.map.output.compress.codec to {_SNAPPY}",
    )

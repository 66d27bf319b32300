"""Numbers that Hadoop works out where -1 leaves them to it, and those that are meant in another unit."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.audit.values import Values
from howdah.model.heap import heap_bytes
from howdah.model.plan import Value
from howdah.planner.rules.consistency.units import in_megabytes
from howdah.units import MIB

_NODEMANAGER_MB = 8192
_NODEMANAGER_VCORES = 8
_DETECT = "yarn.nodemanager.resource.detect-hardware-capabilities"
_TASK_MB = 1024
_MEGABYTES = (
    "yarn.nodemanager.resource.memory-mb",
    "yarn.scheduler.minimum-allocation-mb",
    "yarn.scheduler.maximum-allocation-mb",
    "yarn.app.mapreduce.am.resource.mb",
    "mapreduce.map.memory.mb",
    "mapreduce.reduce.memory.mb",
)
_HEAP_RATIO = "mapreduce.job.heap.memory-mb.ratio"
_USUAL_RATIO = 0.8


def derived(values: Values) -> dict[str, Value]:
    """Vcores and memory of a NodeManager and of tasks, MB, where the configuration does not give a number.

    A number of another unit is a finding of its own: others are made with what it is meant to be.
    """
    return {**_meant(values), **dict(_derived(values))}


def _meant(values: Values) -> dict[str, Value]:
    given = ((key, values.get(key)) for key in _MEGABYTES)
    return {
        key: meant
        for key, value in given
        if isinstance(value, int) and (meant := in_megabytes(key, value)) is not None
    }


def _derived(values: Values) -> Iterator[tuple[str, Value]]:
    if not _is_given(values, "yarn.nodemanager.resource.memory-mb"):
        yield "yarn.nodemanager.resource.memory-mb", _NODEMANAGER_MB
    if not _is_given(values, "yarn.nodemanager.resource.cpu-vcores") and values.get(_DETECT) is not True:
        yield "yarn.nodemanager.resource.cpu-vcores", _NODEMANAGER_VCORES
    for task in ("map", "reduce"):
        key = f"mapreduce.{task}.memory.mb"
        if not _is_given(values, key):
            options = values.read(f"mapreduce.{task}.java.opts")
            heap = heap_bytes(options.text) if options is not None else None
            yield key, _TASK_MB if heap is None else max(1, int(heap / MIB / _ratio(values)))


def _is_given(values: Values, key: str) -> bool:
    value = values.get(key)
    return isinstance(value, int) and value > 0


def _ratio(values: Values) -> float:
    ratio = values.get(_HEAP_RATIO)
    return ratio if isinstance(ratio, float) and 0 < ratio <= 1 else _USUAL_RATIO

"""Columns as the simulator hands them over, as Arrow's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[Any]]
"""Columns of equal length by name; what each holds is said in `crates/howdah-sim/src/outcome.rs`."""

_NS_PER_S = 1e9
_TYPES = {
    "workload": "<u1",
    "kind": "<u1",
    "task": "<u4",
    "attempt": "<u1",
    "host": "<u4",
    "worker": "<u4",
    "slot": "<u4",
    "start_ns": "<i8",
    "end_ns": "<i8",
    "io_ns": "<i8",
    "input_bytes": "<u8",
    "output_bytes": "<u8",
    "spilled_bytes": "<u8",
    "shuffled_bytes": "<u8",
    "locality": "<u1",
    "state": "<u1",
    "shuffle_end_ns": "<i8",
    "merge_end_ns": "<i8",
    "cpu_s": "<f8",
    "time_ns": "<i8",
    "metric": "<u1",
    "value": "<f8",
}
"""The type of every column that the simulator may hand over."""


def columns_of(handed: Mapping[str, bytes]) -> Columns:
    """The simulator's columns as arrays; nothing is copied."""
    return {name: np.frombuffer(content, _TYPES[name]) for name, content in handed.items()}


def words(numbers: NDArray[Any], names: Sequence[str]) -> pa.Array[Any]:
    """The name that each number stands for."""
    return pa.DictionaryArray.from_arrays(
        numbers.astype(np.int32), pa.array(names, pa.string())
    ).dictionary_decode()


def seconds(nanoseconds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Times in seconds."""
    return nanoseconds / _NS_PER_S


def some_seconds(nanoseconds: NDArray[np.int64]) -> pa.Array[Any]:
    """Times in seconds; a negative one is none."""
    return pa.array(seconds(nanoseconds), mask=nanoseconds < 0)

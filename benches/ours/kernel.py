"""Runs one kernel and times it as the local engine does."""

from __future__ import annotations

import time
from typing import TypeVar

from howdah import _native

R = TypeVar("R")


def timed(start_ns: int, operation: _native.Operation[R]) -> tuple[R, float]:
    """Wait for the operation that was started at ``start_ns``; return its result and its seconds."""
    while not operation.wait(60.0):
        pass
    return operation.result(), (time.monotonic_ns() - start_ns) / 1e9

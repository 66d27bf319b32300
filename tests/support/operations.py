"""Native operations run to their end."""

from __future__ import annotations

from typing import TypeVar

from howdah import _native
from support.patience import PATIENCE_S

R = TypeVar("R")


def finished(operation: _native.Operation[R]) -> R:
    """Wait for the end and return the result, or raise what the kernel raised."""
    assert operation.wait(PATIENCE_S)
    return operation.result()

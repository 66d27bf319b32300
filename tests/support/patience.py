"""How long tests wait for what must happen: a machine with little CPU time takes several times as long."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 300.0
PATIENCE_MS = 1000 * PATIENCE_S


def wait_until(condition: Callable[[], bool], event: str = "it", timeout_s: float = PATIENCE_S) -> None:
    """Wait until ``condition`` holds; the test fails after ``timeout_s`` seconds."""
    end_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end_s, f"never happened: {event}"
        time.sleep(0.02)

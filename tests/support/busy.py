"""Others who use this machine: processes that do nothing but compute, and end by themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_MOST_S = 240
_SPIN = f"import time\nend = time.monotonic() + {_MOST_S}\nwhile time.monotonic() < end: pass"


@contextmanager
def busy_others(per_cpu: int = 1) -> Iterator[None]:
    """So many processes for each CPU that want all of it."""
    started = [
        subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(per_cpu * (os.cpu_count() or 1))
    ]
    try:
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()

"""Pauses of a JVM's collector, from its unified log.

The JVM writes it with ``installation.command.gc_log_option`` (JEP 158, Java 9 and later). A line tells of a
pause when it is over and how long it was; all collectors begin its name with the same word. ZGC's pauses are
short and stand among its phases: what its users wait for are allocations that stall, which count here as
pauses of their threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from howdah.model.server_events import COLLECTION, ServerEvent

_MILLI = 1e-3
# [2026-11-25T10:05:51.819+0000][0.326s][info][gc          ] GC(0) Pause Young (Normal) 20M->11M(380M) 6.602ms
_LINE = re.compile(
    r"^\[(?P<when>\d{4}-\d\d-\d\dT[\d:.]+[+-]\d{4})\].*\[gc(?:,phases)? *\] "
    r"(?:GC\(\d+\) )?(?:[YyOo]: )?(?P<what>(?:Pause|Allocation Stall)\b.*?)"
    r"(?: \d+[KMG]->\d+[KMG]\(\d+[KMG]\))? (?P<ms>[\d.]+)ms$"
)


def pauses(lines: Iterable[str], machine: str, daemon: str, start_epoch_s: float) -> Iterator[ServerEvent]:
    """The pauses that a log tells of since the run's start, ``start_epoch_s`` in seconds since 1970.

    Lines of another form are passed over: a log begins with the heap's settings and may end within a line.
    """
    for line in lines:
        found = _LINE.match(line.rstrip("\n"))
        if found is None:
            continue
        end_s = datetime.strptime(found["when"], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() - start_epoch_s
        length_s = float(found["ms"]) * _MILLI
        if end_s >= 0:
            yield ServerEvent(end_s - length_s, end_s, machine, daemon, COLLECTION, found["what"], None)

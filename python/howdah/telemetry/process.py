"""The howdah process's own memory.

Pages of huge-page file systems (hugetlb) are no part of a resident set; transparent huge pages are.
"""

from __future__ import annotations

import os
from pathlib import Path

from howdah.telemetry.device import Device, Reading

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class ProcessDevice(Device):
    """Resident set of this process."""

    name = "process"
    paths = ("proc/self/statm",)

    def tick(self) -> list[Reading]:
        """The resident set now."""
        return [Reading("process/rss_bytes", _resident(self._files[0].read()))]


def rss_bytes(statm: Path = Path("/proc/self/statm")) -> int:
    """The resident set of this process now, bytes."""
    return _resident(statm.read_text())


def _resident(statm: str | bytes) -> int:
    return int(statm.split()[1]) * _PAGE_BYTES


def peak_rss_bytes(status: Path = Path("/proc/self/status")) -> int | None:
    """The largest resident set (VmHWM) since the process began or ``reset_peak_rss``, bytes.

    None if the kernel does not tell.
    """
    for line in status.read_text().splitlines():
        key, _, value = line.partition(":")
        if key == "VmHWM":
            return int(value.split()[0]) * 1024
    return None


def reset_peak_rss(clear_refs: Path = Path("/proc/self/clear_refs")) -> bool:
    """Let the peak resident set start again from the present one.

    False if the kernel refuses (writing 5 to clear_refs, man 5 proc): the peak then stays that of
    the whole process.
    """
    try:
        clear_refs.write_text("5\n")
    except OSError:
        return False
    return True

"""What sysstat's statistics are called in ``sadf -j``, and the metrics they stand for (man 1 sar)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_PERCENT, _KIB, _SECTOR, _PAGE = 0.01, 1024.0, 512.0, 4096.0


class Section(NamedTuple):
    """One kind of statistics: where it is, what names its instances, and its columns' metrics."""

    path: tuple[str, ...]
    instance: str | None
    columns: Mapping[str, tuple[str, float]]

    @property
    def subject(self) -> str:
        """The first part of its metrics' names."""
        return next(iter(self.columns.values()))[0].partition("/")[0]


def _cpu(quantity: str) -> tuple[str, float]:
    return f"cpu/{{}}/{quantity}", _PERCENT


SECTIONS = (
    # user and system are there without ``-u ALL``, the others with it.
    Section(
        ("cpu-load",),
        "cpu",
        {
            **dict.fromkeys(("user", "usr", "nice", "guest", "gnice"), _cpu("user_s")),
            **dict.fromkeys(("system", "sys", "irq", "soft"), _cpu("system_s")),
            "iowait": _cpu("iowait_s"),
            "steal": _cpu("steal_s"),
            "idle": _cpu("idle_s"),
        },
    ),
    Section(
        ("disk",),
        "disk-device",
        {
            "rkB": ("disk/{}/read_bytes", _KIB),
            "wkB": ("disk/{}/written_bytes", _KIB),
            "util-percent": ("disk/{}/busy_s", _PERCENT),
        },
    ),
    Section(
        ("network", "net-dev"),
        "iface",
        {
            "rxkB": ("nic/{}/rx_bytes", _KIB),
            "txkB": ("nic/{}/tx_bytes", _KIB),
            "rxpck": ("nic/{}/rx_packets", 1),
            "txpck": ("nic/{}/tx_packets", 1),
        },
    ),
    Section(("network", "net-edev"), "iface", dict.fromkeys(("rxdrop", "txdrop"), ("nic/{}/drops", 1.0))),
    Section(
        ("memory",),
        None,
        {
            "avail": ("memory/available_bytes", _KIB),
            "cached": ("memory/cached_bytes", _KIB),
            "dirty": ("memory/dirty_bytes", _KIB),
            "swpused": ("memory/swap_used_bytes", _KIB),
        },
    ),
    Section(("paging",), None, {"majflt": ("memory/major_faults", 1)}),
    Section(("psi", "psi-cpu"), None, {"some_avg": ("pressure/cpu_some_s", _PERCENT)}),
    Section(
        ("psi", "psi-io"),
        None,
        {"some_avg": ("pressure/io_some_s", _PERCENT), "full_avg": ("pressure/io_full_s", _PERCENT)},
    ),
    Section(
        ("psi", "psi-mem"),
        None,
        {"some_avg": ("pressure/memory_some_s", _PERCENT), "full_avg": ("pressure/memory_full_s", _PERCENT)},
    ),
)
OLD_DISK = {"rd_sec": ("disk/{}/read_bytes", _SECTOR), "wr_sec": ("disk/{}/written_bytes", _SECTOR)}
SWAP = Section(
    ("swap-pages",),
    None,
    {"pswpin": ("memory/swapped_in_bytes", _PAGE), "pswpout": ("memory/swapped_out_bytes", _PAGE)},
)

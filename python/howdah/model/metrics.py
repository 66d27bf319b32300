"""The names, units and kinds of everything a sampler records.

A metric's name is ``subject/instance/quantity`` (``disk/vda/read_bytes``) or, where there is only
one instance, ``subject/quantity`` (``memory/cached_bytes``). A counter holds its growth since the
first sample of the run; a gauge holds the value at the moment.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Metric(NamedTuple):
    """One quantity: its pattern (``*`` stands for the instance), unit, kind and meaning."""

    pattern: str
    unit: str
    kind: Literal["counter", "gauge"]
    meaning: str


METRICS: tuple[Metric, ...] = (
    Metric("cpu/*/user_s", "s", "counter", "time in user mode, nice included"),
    Metric("cpu/*/system_s", "s", "counter", "time in the kernel, interrupts included"),
    Metric("cpu/*/iowait_s", "s", "counter", "idle while I/O was outstanding"),
    Metric("cpu/*/steal_s", "s", "counter", "time the hypervisor gave to others"),
    Metric("cpu/*/idle_s", "s", "counter", "idle, I/O wait excluded"),
    Metric("disk/*/read_bytes", "B", "counter", "bytes read from the device"),
    Metric("disk/*/written_bytes", "B", "counter", "bytes written to the device"),
    Metric("disk/*/reads", "1", "counter", "read operations completed"),
    Metric("disk/*/writes", "1", "counter", "write operations completed"),
    Metric("disk/*/busy_s", "s", "counter", "time with at least one operation in flight"),
    Metric("nic/*/rx_bytes", "B", "counter", "bytes received"),
    Metric("nic/*/tx_bytes", "B", "counter", "bytes sent"),
    Metric("nic/*/rx_packets", "1", "counter", "packets received"),
    Metric("nic/*/tx_packets", "1", "counter", "packets sent"),
    Metric("nic/*/drops", "1", "counter", "packets dropped, both directions"),
    Metric("memory/available_bytes", "B", "gauge", "memory new work could have without swapping"),
    Metric("memory/cached_bytes", "B", "gauge", "page cache"),
    Metric("memory/dirty_bytes", "B", "gauge", "page cache waiting to be written"),
    Metric("memory/writeback_bytes", "B", "gauge", "page cache being written"),
    Metric("memory/swap_used_bytes", "B", "gauge", "swap in use"),
    Metric("memory/dirtied_bytes", "B", "counter", "page cache that buffered writes made dirty"),
    Metric("memory/written_back_bytes", "B", "counter", "dirty page cache written to devices"),
    Metric("memory/swapped_in_bytes", "B", "counter", "memory read back from swap"),
    Metric("memory/swapped_out_bytes", "B", "counter", "memory written to swap"),
    Metric("memory/major_faults", "1", "counter", "page faults that had to read from a device"),
    Metric("pressure/cpu_some_s", "s", "counter", "time some task waited for a CPU (PSI)"),
    Metric("pressure/io_some_s", "s", "counter", "time some task waited for I/O (PSI)"),
    Metric("pressure/io_full_s", "s", "counter", "time all tasks waited for I/O (PSI)"),
    Metric("pressure/memory_some_s", "s", "counter", "time some task waited for memory (PSI)"),
    Metric("pressure/memory_full_s", "s", "counter", "time all tasks waited for memory (PSI)"),
    Metric("process/rss_bytes", "B", "gauge", "resident set of the howdah process"),
)

"""What node_exporter calls what it measures, and the metrics that stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_PAGE_BYTES = 4096.0


class Series(NamedTuple):
    """A metric, with the label that names its instance in braces, and the factor to its unit."""

    metric: str
    factor: float = 1.0


CPU_MODES = {
    "user": "user_s",
    "nice": "user_s",
    "system": "system_s",
    "irq": "system_s",
    "softirq": "system_s",
    "iowait": "iowait_s",
    "steal": "steal_s",
    "idle": "idle_s",
}
"""The label ``mode`` of node_cpu_seconds_total."""

NODE: Mapping[str, Series] = {
    "node_cpu_seconds_total": Series("cpu/{cpu}/{mode}"),
    "node_disk_read_bytes_total": Series("disk/{device}/read_bytes"),
    "node_disk_written_bytes_total": Series("disk/{device}/written_bytes"),
    "node_disk_reads_completed_total": Series("disk/{device}/reads"),
    "node_disk_writes_completed_total": Series("disk/{device}/writes"),
    "node_disk_io_time_seconds_total": Series("disk/{device}/busy_s"),
    "node_network_receive_bytes_total": Series("nic/{device}/rx_bytes"),
    "node_network_transmit_bytes_total": Series("nic/{device}/tx_bytes"),
    "node_network_receive_packets_total": Series("nic/{device}/rx_packets"),
    "node_network_transmit_packets_total": Series("nic/{device}/tx_packets"),
    "node_network_receive_drop_total": Series("nic/{device}/drops"),
    "node_network_transmit_drop_total": Series("nic/{device}/drops"),
    "node_memory_MemAvailable_bytes": Series("memory/available_bytes"),
    "node_memory_Cached_bytes": Series("memory/cached_bytes"),
    "node_memory_Dirty_bytes": Series("memory/dirty_bytes"),
    "node_memory_Writeback_bytes": Series("memory/writeback_bytes"),
    "node_memory_SwapTotal_bytes": Series("memory/swap_used_bytes"),
    "node_memory_SwapFree_bytes": Series("memory/swap_used_bytes", -1.0),
    "node_vmstat_pgmajfault": Series("memory/major_faults"),
    "node_vmstat_pswpin": Series("memory/swapped_in_bytes", _PAGE_BYTES),
    "node_vmstat_pswpout": Series("memory/swapped_out_bytes", _PAGE_BYTES),
    "node_pressure_cpu_waiting_seconds_total": Series("pressure/cpu_some_s"),
    "node_pressure_io_waiting_seconds_total": Series("pressure/io_some_s"),
    "node_pressure_io_stalled_seconds_total": Series("pressure/io_full_s"),
    "node_pressure_memory_waiting_seconds_total": Series("pressure/memory_some_s"),
    "node_pressure_memory_stalled_seconds_total": Series("pressure/memory_full_s"),
}
"""By node_exporter's names. Several that stand for one metric are added up."""

"""What the hardware needs at least for the work of a simulated suite, whatever the specification."""

from __future__ import annotations

from howdah.model.tuning import HardwareLimit
from howdah.simulation.outcome import Summary
from howdah.simulation.scenario import Scenario

_NS_PER_S = 1e9
_BITS = 8


def hardware_limit(scenario: Scenario, summary: Summary) -> HardwareLimit:
    """The time of a suite whose busiest resource is always busy, phase by phase.

    Disks have their outer rate, and links are counted in the direction with more bytes.
    """
    disks = sum(
        group.count * disk.count * disk.outer_bytes_per_s for group in scenario.hosts for disk in group.disks
    )
    links = sum(group.count * nic.count * nic.bits_per_s for group in scenario.hosts for nic in group.nics)
    needs = [
        (
            phase.cpu_busy * (phase.end_ns - phase.start_ns) / _NS_PER_S,
            (phase.disk_read_bytes + phase.disk_written_bytes) / disks,
            max(phase.received_bytes, phase.sent_bytes) * _BITS / links,
        )
        for workload in summary.workloads
        for phase in workload.phases
    ]
    cpu_s, disk_s, network_s = (sum(need) for need in zip(*needs, strict=True))
    return HardwareLimit(elapsed_s=sum(map(max, needs)), cpu_s=cpu_s, disk_s=disk_s, network_s=network_s)

"""The operating system as it was found, and what an administrator should do about it all the time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.plan import Input
from howdah.planner.conditions import with_hbase
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MAY, MUST
from howdah.planner.rules.declare import Condition, Rules
from howdah.units import format_memory

_OLDEST_KERNEL = (2, 6, 30)
rules = Rules()


@rules.inspection(
    "os.kernel",
    MUST,
    sources="D4 134",
    today="Every distribution that is maintained does; what Java 17 needs is newer still.",
)
def _kernel(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Run Linux 2.6.30 or newer."""
    if reading.host is None:
        return
    release = reading.host.software.kernel
    parts = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", release)
    new_enough = None
    if parts is not None:
        new_enough = tuple(int(part or 0) for part in parts.groups()) >= _OLDEST_KERNEL
    yield Observation(
        new_enough,
        "kernel",
        release,
        "2.6.30 or newer",
        fix="install a distribution that is still maintained",
    )


@rules.inspection("os.swap", MAY, sources="howdah")
def _swap(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Have some swap, so that a worker that runs out of memory slows down before it loses a process."""
    if reading.host is None:
        return
    size = reading.host.memory.swap_total_bytes
    yield Observation(
        size > 0,
        "swap",
        format_memory(size) if size else "none",
        "some swap",
        fix="give each worker a swap area of a few GiB on its system disk",
        inputs=(Input(name="swap", value=size, unit="B"),),
    )


@rules.inspection("os.clock", sources="HBase, Kerberos")
def _clock(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Keep the clock in step with the other hosts' clocks."""
    if reading.host is None:
        return
    kept = reading.host.software.clock_synchronised
    yield Observation(
        kept,
        "clock",
        {True: "kept in step", False: "runs free", None: "not known"}[kept],
        "kept in step by chrony or ntpd" if kept is not None else "the clock's state: probe the host",
        fix="install chrony, point it at the site's time servers and enable it",
    )


@rules.inspection(
    "os.governor",
    sources="D3 117, X2",
    when=Condition("HBase runs on the cluster, on hosts without a hypervisor", with_hbase),
)
def _governor(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Run a latency-sensitive host at full clock."""
    if reading.host is None or reading.host.virtualisation.is_virtual:
        return
    governor = reading.host.cpu.governor
    yield Observation(
        None if governor is None else governor == "performance",
        "CPU frequency governor",
        governor or "not known",
        "performance" if governor else "the governor: the kernel shows none",
        fix="cpupower frequency-set -g performance, and in a tuned profile for the next boot",
    )


@rules.advice("os.clocks", MUST, sources="HBase, Kerberos")
def _tell_time(facts: Facts) -> str:
    """Keep the clocks of all hosts in step."""
    consequence = "Kerberos refuses clocks that differ by 5 minutes" if facts.request.secure else ""
    if facts.request.hbase_used:
        consequence = "HBase's master refuses a RegionServer whose clock is off by 30 seconds"
    return "Keep all clocks in step with chrony or NTP, masters' and workers' alike" + (
        f": {consequence}."
        if consequence
        else "; logs and histories of different hosts are else beyond comparing."
    )


@rules.advice("os.watch", sources="D0 37, D0 73, D0 64")
def _tell_logs(facts: Facts) -> str:
    """Compare the work that hosts do, regularly."""
    return (
        "Compare the hosts' finished tasks per hour, and storage and network volume with what the job should "
        "move, regularly: a host that falls behind has a bad disk or another configuration."
    )

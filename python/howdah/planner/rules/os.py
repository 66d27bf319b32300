"""The operating system that workers run in: kernel settings, limits, huge pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.plan import Input, Value
from howdah.model.request import Profile
from howdah.planner.conditions import several_ports, with_hbase
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import MAY, MUST, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules, at_least, at_most, one_of
from howdah.units import MIB, format_memory

_SYSCTL = "sysctl.conf"
_LIMITS = "limits.conf"
_THP = "thp"
_HANDLES = 32768
_HANDLES_LEAST = 16384
_SOCKET_BUFFER = 16 * MIB
_OLDEST_KERNEL = (2, 6, 30)


rules = Rules(file=_SYSCTL)


@rules.setting(
    "os.swappiness",
    "vm.swappiness",
    sources="D0 27",
    accepts=lambda value, decision, facts: at_most(value, Decision(10, ""), facts),
    today="The papers' 0 forbids swapping outright since Linux 3.5 and may end a process instead; 1 is "
    "the least that swaps at all.",
)
def _swappiness(facts: Facts) -> Decision:
    """Keep processes in memory rather than file pages: swap as little as the kernel can."""
    if facts.request.profile is Profile.PAPER:
        return Decision(0, "as in the study: no page of a process is less valuable than a page of the cache")
    return Decision(
        1,
        "heaps stay in memory; 0 may kill a process before a page is swapped, so use the lowest "
        "value above it",
    )


rules.fixed("os.overcommit", "vm.overcommit_memory", 0, accepts=one_of(0, 1)).text(
    "Let the kernel decide how much memory may be promised; never forbid overcommitting.",
    "a JVM reserves more than it uses and forks; the kernel's own estimate allows both",
    "D0 27",
)


rules.fixed(
    "os.dirty-background",
    "vm.dirty_background_ratio",
    1,
    accepts=lambda value, decision, facts: at_most(value, Decision(5, ""), facts),
    today="On hosts of a terabyte, vm.dirty_background_bytes goes below 1 %; a check accepts it.",
).text(
    "Begin to write dirty pages back early, so that disks work evenly instead of in bursts.",
    "1 % of memory is seconds of a worker's disks; the default 10 % is a long burst",
    "D0 27",
)


def _dirty_ratio_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    # A limit in bytes shows as a ratio of 0.
    return 0 <= float(str(value)) <= float(str(decision.value))


rules.fixed("os.dirty-limit", "vm.dirty_ratio", 20, MAY, accepts=_dirty_ratio_accepts, written=False).text(
    "Stop a writer before dirty pages crowd out the map output that waits in the cache.",
    "the kernel's default: four fifths of the cache stay for map output",
    "D0 24, Linux",
)


def _enough(value: Value, decision: Decision, facts: Facts) -> bool:
    return value == "unlimited" or at_least(value, Decision(_HANDLES_LEAST, ""), facts)


rules.fixed(
    "os.open-files",
    "nofile",
    _HANDLES,
    MUST,
    file=_LIMITS,
    accepts=_enough,
    today="A daemon that systemd starts takes LimitNOFILE of its unit, not limits.conf.",
).text(
    "Let the daemons' users open at least 32,768 files.",
    "every block that is read or written takes two, every connection one",
    "D0 27, D4 138",
)
rules.fixed(
    "os.processes",
    "nproc",
    _HANDLES,
    MUST,
    file=_LIMITS,
    accepts=_enough,
    today="A daemon that systemd starts takes LimitNPROC and TasksMax of its unit, not limits.conf.",
).text(
    "Let the daemons' users run at least 32,768 processes and threads.",
    "Linux counts threads, and a DataNode has one for every transfer",
    "D0 27, D4 138",
)
rules.fixed(
    "os.locked-memory",
    "memlock",
    "unlimited",
    MAY,
    when=Condition("HBase runs on the cluster", with_hbase),
    file=_LIMITS,
).text(
    "Let RegionServers lock the memory of their heaps and their block cache.",
    "heap and off-heap cache are most of the worker's memory and stay",
    "D3 120, HBase",
)


def _huge_pages_accept(value: Value, decision: Decision, facts: Facts) -> bool:
    # Distributors ask for `never`, the papers ran `always`: with `defer` both will do.
    return value in ("always", "madvise", "never")


@rules.setting(
    "os.huge-pages",
    "transparent_hugepage.enabled",
    sources="D0 23, JDK-8312182, Cloudera: Disabling transparent hugepages",
    file=_THP,
    accepts=_huge_pages_accept,
    today="Hadoop distributions set `never`, because kernels before 4.6 made tasks wait while they "
    "defragmented; os.huge-page-defrag prevents that. Under `always` Java's stacks of "
    "threads become huge pages, and stay in memory (JDK-8312182). With `madvise` the heaps of "
    "NameNode and RegionServers request theirs.",
)
def _huge_pages(facts: Facts) -> Decision:
    """Have large pages in the guest and in Java, so that address translation stays cheap."""
    if facts.request.profile is Profile.PAPER:
        return Decision("always", "as in the study: every heap gets them without a flag")
    return Decision(
        "madvise",
        "heaps that request them (-XX:+UseTransparentHugePages) get them; with `always` the stacks of a "
        "DataNode's thousands of threads may stay in memory whole",
    )


rules.fixed(
    "os.huge-page-defrag",
    "transparent_hugepage.defrag",
    "defer",
    file=_THP,
    accepts=one_of("defer", "defer+madvise", "madvise", "never"),
    today="`defer` is there since Linux 4.6; before, and on Red Hat 7, the default was `always`.",
).text(
    "Never let a task wait while the kernel compacts memory for a large page.",
    "the kernel compacts in the background; meanwhile a program that requests pages gets small ones",
    "D0 23, Linux 4.6",
)
rules.fixed(
    "os.receive-buffer",
    "net.core.rmem_max",
    _SOCKET_BUFFER,
    MAY,
    accepts=at_least,
    today="Linux sizes TCP buffers by itself up to net.ipv4.tcp_rmem; this limits what programs request.",
).text(
    "Allow socket buffers of 16 MiB for receiving.",
    "a fast link's bandwidth times its delay under load, with room",
    "D0 27",
)
rules.fixed(
    "os.send-buffer",
    "net.core.wmem_max",
    _SOCKET_BUFFER,
    MAY,
    accepts=at_least,
    today="Linux sizes TCP buffers by itself up to net.ipv4.tcp_wmem; this limits what programs request.",
).text(
    "Allow socket buffers of 16 MiB for sending.",
    "a fast link's bandwidth times its delay under load, with room",
    "D0 27",
)
rules.fixed("os.mtu-probing", "net.ipv4.tcp_mtu_probing", 1, MAY, accepts=one_of(1, 2)).text(
    "Let TCP find the largest packet that gets through, in case a hop does not support jumbo frames.",
    "a connection that hangs at a hop with a small MTU recovers; others are not slowed",
    "D0 27, D0 40",
)
rules.fixed(
    "os.arp-filter",
    "net.ipv4.conf.all.arp_filter",
    1,
    MAY,
    when=Condition("a host has more than one port", several_ports),
    scope=Scope.HOST,
).text(
    "With several ports on one subnet, answer for an address only on the port it belongs to.",
    "otherwise one port answers for all, and traffic for several ports uses one",
    "D0 27",
)


rules.fixed(
    "os.listen-backlog",
    "net.core.somaxconn",
    4096,
    accepts=lambda value, decision, facts: at_least(value, Decision(1024, ""), facts),
    today="The kernel's default was 128 before Linux 5.4 and is 4096 since.",
).text(
    "Let a listener queue bursts of connections, as a shuffle makes them.",
    "a shuffle opens connections in bursts; the kernel cuts every listener's queue to this",
    "Linux 5.4, howdah",
)


@rules.inspection(
    "os.kernel",
    MUST,
    sources="D4 134",
    today="Every distribution that is maintained does; what Java 17 needs is newer still.",
)
def _kernel(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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
def _swap(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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
def _clock(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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
def _governor(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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
def _keep_clocks(facts: Facts) -> str:
    """Keep the clocks of all hosts in step."""
    consequence = "Kerberos refuses clocks that differ by 5 minutes" if facts.request.secure else ""
    if facts.request.hbase_used:
        consequence = "HBase's master refuses a RegionServer whose clock is off by 30 seconds"
    return "Keep the clocks of all masters and workers in step with chrony or NTP" + (
        f": {consequence}."
        if consequence
        else "; otherwise logs and histories of different hosts cannot be compared."
    )


rules.advice("os.watch", sources="D0 37, D0 73, D0 64").text(
    "Compare the work that hosts do, regularly.",
    "Regularly compare the hosts' finished tasks per hour, and their storage and network volume with the "
    "job's expected volume: a host that falls behind has a bad disk or a different configuration.",
)

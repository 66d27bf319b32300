"""Kernel settings, limits and huge pages."""

from __future__ import annotations

from howdah.model.plan import Value
from howdah.model.request import Profile
from howdah.planner.conditions import several_ports, with_hbase
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Scope, SettingRule, Severity
from howdah.planner.values import at_least, at_most, fixed, one_of
from howdah.units import MIB

_SYSCTL = "sysctl.conf"
_LIMITS = "limits.conf"
_THP = "thp"

_HANDLES = 32768
_HANDLES_LEAST = 16384
_SOCKET_BUFFER = 16 * MIB


def _swappiness(facts: Facts) -> Decision:
    if facts.request.profile is Profile.PAPER:
        return Decision(0, "as the study had it: no page of a process is worth less than one of the cache")
    return Decision(
        1, "heaps stay in memory; 0 may end a process before a page is swapped, so the least above it"
    )


def _overcommit(facts: Facts) -> Decision:
    return Decision(0, "a JVM reserves more than it uses and forks; the kernel's own estimate allows both")


def _dirty_ratio_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    # A limit in bytes shows as a ratio of 0.
    return 0 <= float(str(value)) <= float(str(decision.value))


def _enough(value: Value, decision: Decision, facts: Facts) -> bool:
    return value == "unlimited" or at_least(value, Decision(_HANDLES_LEAST, ""), facts)


def _huge_pages(facts: Facts) -> Decision:
    if facts.request.profile is Profile.PAPER:
        return Decision("always", "as the study had it: every heap gets them without a flag of its own")
    return Decision(
        "madvise",
        "heaps that ask for them (-XX:+UseTransparentHugePages) get them; with `always` the stacks of a "
        "DataNode's thousands of threads may be held in memory whole",
    )


def _huge_pages_accept(value: Value, decision: Decision, facts: Facts) -> bool:
    # Distributors ask for `never`, the papers ran `always`: with `defer` both will do.
    return value in ("always", "madvise", "never")


def _backlog(facts: Facts) -> Decision:
    return Decision(
        4096, "a shuffle opens connections in bursts; the kernel cuts every listener's queue to this"
    )


RULES: tuple[Rule, ...] = (
    SettingRule(
        id="os.swappiness",
        says="Keep processes in memory rather than file pages: swap as little as the kernel can.",
        sources=("D0 27",),
        key="vm.swappiness",
        file=_SYSCTL,
        decide=_swappiness,
        accepts=lambda value, decision, facts: at_most(value, Decision(10, ""), facts),
        today="The papers' 0 forbids swapping outright since Linux 3.5 and may end a process instead; 1 is "
        "the least that swaps at all.",
    ),
    SettingRule(
        id="os.overcommit",
        says="Let the kernel judge how much memory may be promised; never forbid more than there is.",
        sources=("D0 27",),
        key="vm.overcommit_memory",
        file=_SYSCTL,
        decide=_overcommit,
        accepts=one_of(0, 1),
    ),
    SettingRule(
        id="os.dirty-background",
        says="Begin to write dirty pages back early, so that disks work evenly instead of in bursts.",
        sources=("D0 27",),
        key="vm.dirty_background_ratio",
        file=_SYSCTL,
        decide=fixed(1, "1 % of memory is seconds of a worker's disks; the default 10 % is a long burst"),
        accepts=lambda value, decision, facts: at_most(value, Decision(5, ""), facts),
        today="On hosts of a terabyte, vm.dirty_background_bytes goes below 1 %; a check accepts it.",
    ),
    SettingRule(
        id="os.dirty-limit",
        says="Stop a writer before dirty pages crowd out the map output that waits in the cache.",
        sources=("D0 24", "Linux"),
        severity=Severity.MAY,
        key="vm.dirty_ratio",
        file=_SYSCTL,
        decide=fixed(20, "the kernel's default: four fifths of the cache stay for map output"),
        accepts=_dirty_ratio_accepts,
        written=False,
    ),
    SettingRule(
        id="os.open-files",
        says="Let the daemons' users open at least 32,768 files.",
        sources=("D0 27", "D4 138"),
        severity=Severity.MUST,
        key="nofile",
        file=_LIMITS,
        decide=fixed(_HANDLES, "every block that is read or written takes two, every connection one"),
        accepts=_enough,
        today="A daemon that systemd starts takes LimitNOFILE of its unit, not limits.conf.",
    ),
    SettingRule(
        id="os.processes",
        says="Let the daemons' users run at least 32,768 processes and threads.",
        sources=("D0 27", "D4 138"),
        severity=Severity.MUST,
        key="nproc",
        file=_LIMITS,
        decide=fixed(_HANDLES, "Linux counts threads, and a DataNode has one for every transfer"),
        accepts=_enough,
        today="A daemon that systemd starts takes LimitNPROC and TasksMax of its unit, not limits.conf.",
    ),
    SettingRule(
        id="os.locked-memory",
        says="Let RegionServers lock the memory of their heaps and their block cache.",
        sources=("D3 120", "HBase"),
        severity=Severity.MAY,
        condition="HBase runs on the cluster",
        applies=with_hbase,
        key="memlock",
        file=_LIMITS,
        decide=fixed("unlimited", "heap and off-heap cache are most of the worker's memory and stay"),
    ),
    SettingRule(
        id="os.huge-pages",
        says="Have large pages in the guest and in Java, so that address translation stays cheap.",
        sources=("D0 23", "JDK-8312182", "Cloudera: Disabling transparent hugepages"),
        key="transparent_hugepage.enabled",
        file=_THP,
        decide=_huge_pages,
        accepts=_huge_pages_accept,
        today="Distributors of Hadoop say `never`, because kernels before 4.6 made tasks wait while they "
        "defragmented; that is os.huge-page-defrag's to prevent. Under `always` Java's stacks of threads "
        "become huge pages, and stay in memory (JDK-8312182). With `madvise` the heaps "
        "of NameNode and RegionServers ask for theirs.",
    ),
    SettingRule(
        id="os.huge-page-defrag",
        says="Never let a task wait while the kernel makes room for a large page.",
        sources=("D0 23", "Linux 4.6"),
        key="transparent_hugepage.defrag",
        file=_THP,
        decide=fixed(
            "defer", "the kernel compacts in the background; a program that asks gets small pages meanwhile"
        ),
        accepts=one_of("defer", "defer+madvise", "madvise", "never"),
        today="`defer` is there since Linux 4.6; before, and on Red Hat 7, the default was `always`.",
    ),
    SettingRule(
        id="os.receive-buffer",
        says="Allow socket buffers of 16 MiB for receiving.",
        sources=("D0 27",),
        severity=Severity.MAY,
        key="net.core.rmem_max",
        file=_SYSCTL,
        decide=fixed(_SOCKET_BUFFER, "a fast link's bandwidth times its delay under load, with room"),
        accepts=at_least,
        today="Linux sizes TCP buffers by itself up to net.ipv4.tcp_rmem; this bounds what programs ask for.",
    ),
    SettingRule(
        id="os.send-buffer",
        says="Allow socket buffers of 16 MiB for sending.",
        sources=("D0 27",),
        severity=Severity.MAY,
        key="net.core.wmem_max",
        file=_SYSCTL,
        decide=fixed(_SOCKET_BUFFER, "a fast link's bandwidth times its delay under load, with room"),
        accepts=at_least,
        today="Linux sizes TCP buffers by itself up to net.ipv4.tcp_wmem; this bounds what programs ask for.",
    ),
    SettingRule(
        id="os.mtu-probing",
        says="Let TCP find the largest packet that gets through, where jumbo frames meet a hop without them.",
        sources=("D0 27", "D0 40"),
        severity=Severity.MAY,
        key="net.ipv4.tcp_mtu_probing",
        file=_SYSCTL,
        decide=fixed(1, "a connection that hangs on a small hop recovers; others are not slowed"),
        accepts=one_of(1, 2),
    ),
    SettingRule(
        id="os.arp-filter",
        says="With several ports on one subnet, answer for an address only on the port it belongs to.",
        sources=("D0 27",),
        severity=Severity.MAY,
        condition="a host has more than one port",
        applies=several_ports,
        key="net.ipv4.conf.all.arp_filter",
        file=_SYSCTL,
        decide=fixed(1, "else one port answers for all, and traffic meant for several takes one"),
        scope=Scope.HOST,
    ),
    SettingRule(
        id="os.listen-backlog",
        says="Let a listener queue bursts of connections, as a shuffle makes them.",
        sources=("Linux 5.4", "howdah"),
        key="net.core.somaxconn",
        file=_SYSCTL,
        decide=_backlog,
        accepts=lambda value, decision, facts: at_least(value, Decision(1024, ""), facts),
        today="The kernel's default was 128 before Linux 5.4 and is 4096 since.",
    ),
)

"""A host's firmware: threads, clocks, power, memory."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input
from howdah.model.request import Hypervisor
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import MUST, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules

_FILE = "firmware"
rules = Rules(file=_FILE)


@rules.setting(
    "firmware.hyper-threading", "bios.hyper_threading", sources="D0 26, D1 91, D2 109", scope=Scope.HOST
)
def _threads(facts: Facts) -> Decision:
    """Turn Hyper-Threading on."""
    cpu = facts.group.cpu
    return Decision(
        "on",
        "a second thread for each core: 12 to 18 % less time if tasks compute",
        (Input(name="cores", value=cpu.cores), Input(name="threads", value=cpu.threads)),
    )


rules.fixed(
    "firmware.turbo",
    "bios.turbo",
    "on",
    scope=Scope.HOST,
    today="The studies of 2011 and 2012 turned it off to repeat their results, not to be fast.",
).text(
    "Turn turbo clocks on.",
    "the few long tasks at the end of a phase run on cores that can clock higher",
    "D0 26",
)


@rules.setting(
    "firmware.power", "bios.power_profile", sources="D0 26, D3 117, D1 91, D2 112, X2", scope=Scope.HOST
)
def _power(facts: Facts) -> Decision:
    """Keep power management on, except for latency-sensitive HBase."""
    if facts.request.hbase_used:
        return Decision(
            "maximum performance", "HBase's requests are shorter than the time a core takes to wake up"
        )
    return Decision(
        "controlled by the operating system", "sorting keeps cores awake; idle hosts draw half the power"
    )


rules.fixed(
    "firmware.node-interleaving",
    "bios.node_interleaving",
    "off",
    when=Condition("a host has more than one NUMA node", lambda facts: facts.group.cpu.numa_nodes > 1),
    scope=Scope.HOST,
).text(
    "Turn node interleaving off, so that the system can use memory near each processor.",
    "with interleaving, at least half of all accesses go to another socket",
    "D0 2, D0 15",
)


def _divided(facts: Facts) -> bool:
    if facts.request.dividing is not None:
        return facts.request.dividing is not Hypervisor.NONE
    return facts.cluster.virtual


rules.fixed(
    "firmware.virtualisation",
    "bios.virtualisation",
    "on",
    MUST,
    when=Condition("workers are virtual machines", _divided),
    scope=Scope.HOST,
).text(
    "Turn hardware virtualisation on: VT-x with EPT, or AMD-V with nested paging.",
    "current hypervisors start no machine without it",
    "D0 149",
)


@rules.inspection(
    "firmware.turbo-clocks",
    sources="D0 26",
    when="the host is not a virtual machine and its driver reports them",
)
def _turbo(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Have turbo clocks on."""
    if reading.host is None or reading.host.virtualisation.is_virtual or reading.host.cpu.turbo is None:
        return
    on = reading.host.cpu.turbo
    yield Observation(
        on,
        "turbo clocks",
        "on" if on else "off",
        "on",
        fix="turn turbo on in the firmware, and set /sys/devices/system/cpu/intel_pstate/no_turbo to 0 "
        "or cpufreq/boost to 1",
    )


@rules.inspection(
    "firmware.numa-nodes",
    sources="D0 2, D0 15",
    when="the host has several sockets and is not a virtual machine",
)
def _nodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """See as many NUMA nodes as sockets."""
    if reading.host is None or reading.host.virtualisation.is_virtual or reading.host.cpu.sockets < 2:
        return
    cpu = reading.host.cpu
    yield Observation(
        len(cpu.numa_nodes) >= cpu.sockets if cpu.numa_nodes else None,
        "NUMA nodes",
        f"{len(cpu.numa_nodes)} in {cpu.sockets} sockets" if cpu.numa_nodes else "not known",
        "one for each socket, or more" if cpu.numa_nodes else "the NUMA nodes: the kernel shows none",
        fix="turn node interleaving off in the firmware, and drop numa=off from the kernel's command line",
        inputs=(
            Input(name="sockets", value=cpu.sockets),
            Input(name="NUMA nodes", value=len(cpu.numa_nodes)),
        ),
    )

"""A host's firmware: threads, clocks, power, memory."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input
from howdah.model.request import Hypervisor
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import Decision, Inspection, Rule, Scope, SettingRule, Severity
from howdah.planner.values import fixed

_FILE = "firmware"


def _threads(facts: Facts) -> Decision:
    cpu = facts.group.cpu
    return Decision(
        "on",
        "a second thread for each core: 12 to 18 % less time where tasks compute",
        (Input(name="cores", value=cpu.cores), Input(name="threads", value=cpu.threads)),
    )


def _power(facts: Facts) -> Decision:
    if facts.request.hbase_used:
        return Decision("maximum performance", "HBase's requests are too short for a core to wake up in")
    return Decision(
        "controlled by the operating system", "sorting keeps cores awake; idle hosts draw half the power"
    )


def _divided(facts: Facts) -> bool:
    if facts.request.dividing is not None:
        return facts.request.dividing is not Hypervisor.NONE
    return facts.cluster.virtual


def _several_nodes(facts: Facts) -> bool:
    return facts.group.cpu.numa_nodes > 1


def _turbo(reading: Reading, facts: Facts) -> Iterator[Observation]:
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


def _nodes(reading: Reading, facts: Facts) -> Iterator[Observation]:
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


RULES: tuple[Rule, ...] = (
    SettingRule(
        id="firmware.hyper-threading",
        says="Turn Hyper-Threading on.",
        sources=("D0 26", "D1 91", "D2 109"),
        key="bios.hyper_threading",
        file=_FILE,
        scope=Scope.HOST,
        decide=_threads,
    ),
    SettingRule(
        id="firmware.turbo",
        says="Turn turbo clocks on.",
        sources=("D0 26",),
        key="bios.turbo",
        file=_FILE,
        scope=Scope.HOST,
        decide=fixed(
            "on", "the few long tasks at the end of a phase run on cores that have room to speed up"
        ),
        today="The studies of 2011 and 2012 turned it off to repeat their results, not to be fast.",
    ),
    SettingRule(
        id="firmware.power",
        says="Keep power management on, except for latency-sensitive HBase.",
        sources=("D0 26", "D3 117", "D1 91", "D2 112", "X2"),
        key="bios.power_profile",
        file=_FILE,
        scope=Scope.HOST,
        decide=_power,
    ),
    SettingRule(
        id="firmware.node-interleaving",
        says="Turn node interleaving off, so that memory near a processor is known from memory far away.",
        sources=("D0 2", "D0 15"),
        condition="a host has more than one NUMA node",
        applies=_several_nodes,
        key="bios.node_interleaving",
        file=_FILE,
        scope=Scope.HOST,
        decide=fixed("off", "interleaved, half of every access or more goes to another socket"),
    ),
    SettingRule(
        id="firmware.virtualisation",
        says="Turn hardware virtualisation on: VT-x with EPT, or AMD-V with nested paging.",
        sources=("D0 149",),
        severity=Severity.MUST,
        condition="workers are virtual machines",
        applies=_divided,
        key="bios.virtualisation",
        file=_FILE,
        scope=Scope.HOST,
        decide=fixed("on", "no hypervisor of today starts a machine without it"),
    ),
    Inspection(
        id="firmware.turbo-clocks",
        says="Have turbo clocks on.",
        sources=("D0 26",),
        condition="the host is not a virtual machine and its driver reports them",
        inspect=_turbo,
    ),
    Inspection(
        id="firmware.numa-nodes",
        says="See as many NUMA nodes as sockets.",
        sources=("D0 2", "D0 15"),
        condition="the host has several sockets and is not a virtual machine",
        inspect=_nodes,
    ),
)

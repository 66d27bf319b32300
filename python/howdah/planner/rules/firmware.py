"""A host's firmware: threads, clocks, power, memory."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input
from howdah.model.request import Hypervisor
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules

rules = read_rules("firmware.toml")


@rules.decides("firmware.hyper-threading")
def _threads(facts: Facts) -> Decision:
    cpu = facts.group.cpu
    return Decision(
        "on",
        "a second thread for each core: 12 to 18 % less time if tasks compute",
        (Input(name="cores", value=cpu.cores), Input(name="threads", value=cpu.threads)),
    )


@rules.decides("firmware.power")
def _power(facts: Facts) -> Decision:
    if facts.request.hbase_used:
        return Decision(
            "maximum performance", "HBase's requests are shorter than the time a core takes to wake up"
        )
    return Decision(
        "controlled by the operating system", "sorting keeps cores awake; idle hosts draw half the power"
    )


rules.when("a host has more than one NUMA node")(lambda facts: facts.group.cpu.numa_nodes > 1)


@rules.when("hosts are divided", words="workers are virtual machines")
def _divided(facts: Facts) -> bool:
    if facts.request.dividing is not None:
        return facts.request.dividing is not Hypervisor.NONE
    return facts.cluster.virtual


@rules.inspects("firmware.turbo-clocks")
def _turbo(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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


@rules.inspects("firmware.numa-nodes")
def _nodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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

"""Machines below workers: settings of hypervisors, and of firmware."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.inventory import DiskKind, DiskRole
from howdah.model.plan import Input
from howdah.model.request import Hypervisor
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision, Values, under_kvm, under_vsphere
from howdah.planner.rules.declare import read_rules
from howdah.units import MIB, format_counted, format_memory

rules = read_rules("hypervisor.toml")

rules.when("under KVM, a worker fits one NUMA node")(
    lambda facts: under_kvm(facts) and facts.worker.numa_nodes == 1
)


def _vcpus(facts: Facts) -> int:
    return facts.worker.vcpus or 1


rules.decides("hypervisor.vsphere-vcpus", "hypervisor.kvm-vcpus")(
    lambda facts: Decision(_vcpus(facts), inputs=(Input(name="worker.vcpus", value=_vcpus(facts)),))
)


@rules.decides("hypervisor.vsphere-sockets")
def _sockets(facts: Facts) -> Decision:
    nodes = facts.worker.numa_nodes or 1
    vcpus = _vcpus(facts)
    cores = vcpus // nodes if vcpus % nodes == 0 else vcpus
    return Decision(
        cores,
        f"the guest sees {format_counted(vcpus // cores, 'socket')}, as many as NUMA nodes it draws on",
        (Input(name="worker.vcpus", value=vcpus), Input(name="worker.numa_nodes", value=nodes)),
    )


@rules.decides("hypervisor.vsphere-memory", "hypervisor.vsphere-reservation", "hypervisor.kvm-memory")
def _memory(facts: Facts) -> Decision:
    size = facts.worker.memory_bytes
    return Decision(size // MIB, inputs=(Input(name="worker.memory", value=size, unit="B"),))


def _cores_per_node(facts: Facts) -> int:
    return facts.group.cpu.cores // facts.group.cpu.numa_nodes


@rules.when("under vSphere, a worker on one NUMA node has more vCPUs than the node has cores")
def _spans_cores(facts: Facts) -> bool:
    return under_vsphere(facts) and facts.worker.numa_nodes == 1 and _vcpus(facts) > _cores_per_node(facts)


@rules.decides("hypervisor.vsphere-prefer-threads")
def _prefer_threads(facts: Facts) -> Decision:
    cores = _cores_per_node(facts)
    return Decision(
        True,
        f"{_vcpus(facts)} vCPUs are more than a node's {cores} cores but fit its threads: as "
        "threads they stay near their memory",
        (Input(name="worker.vcpus", value=_vcpus(facts)), Input(name="cores per node", value=cores)),
    )


rules.when("HBase runs on workers that are virtual machines under vSphere")(
    lambda facts: facts.request.hbase_used and under_vsphere(facts)
)


@rules.decides("hypervisor.vsphere-latency")
def _latency(facts: Facts) -> Decision:
    threads, cores = facts.group.cpu.threads, facts.group.cpu.cores
    because = "a RegionServer answers in milliseconds, and waiting for a CPU is its largest delay"
    if _vcpus(facts) * facts.worker.per_host > cores:
        because += (
            f"; since vSphere 8 each vCPU takes a whole core, and the host has {cores} for "
            f"{_vcpus(facts) * facts.worker.per_host} vCPUs: choose High with Hyper-threading instead"
        )
    because += "; reserve all its CPU too, in MHz: the clock of a core for each vCPU"
    return Decision(
        "high",
        because,
        (
            Input(name="worker.vcpus", value=_vcpus(facts)),
            Input(name="cores", value=cores),
            Input(name="threads", value=threads),
        ),
    )


@rules.decides("hypervisor.vsphere-power")
def _power(facts: Facts) -> Decision:
    busy = facts.request.hbase_used
    return Decision("High Performance" if busy else "Balanced", words="hbase" if busy else "usual")


def _kvm_sockets(facts: Facts) -> int:
    nodes = facts.worker.numa_nodes or 1
    return nodes if _vcpus(facts) % nodes == 0 else 1


rules.decides("hypervisor.kvm-guest-sockets")(
    lambda facts: Decision(_kvm_sockets(facts), "one for each NUMA node that the worker draws on")
)


@rules.decides("hypervisor.kvm-guest-cores")
def _guest_cores(facts: Facts) -> Decision:
    return Decision(
        _vcpus(facts) // _kvm_sockets(facts), inputs=(Input(name="worker.vcpus", value=_vcpus(facts)),)
    )


@rules.decides("hypervisor.kvm-io-threads")
def _threads(facts: Facts) -> Decision:
    disks = max(1, facts.worker.data_disks or 1)
    return Decision(disks, inputs=(Input(name="worker.data_disks", value=disks),))


rules.when("workers are virtual machines and no hypervisor is chosen")(
    lambda facts: facts.request.dividing is None and facts.cluster.virtual
)


@rules.advises("hypervisor.vsphere-raw-disks")
def _raw_disks(facts: Facts) -> str:
    if {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA} == {DiskKind.NVME}:
        return (
            f"Pass each of a worker's {facts.worker.data_disks or 0} NVMe drives through to it as a PCI "
            "device (DirectPath I/O), or give it one VMDK for each drive on a virtual NVMe controller."
        )
    return (
        f"Pass each of a worker's {facts.worker.data_disks or 0} data disks through whole: a physical raw "
        "device mapping, or one VMDK that fills a datastore on one disk. Spread them over up to four "
        "PVSCSI controllers."
    )


rules.when("workers are virtual machines")(lambda facts: facts.cluster.virtual)


@rules.advises("hypervisor.templates")
def _template(facts: Facts) -> Values | None:
    kinds = len(facts.cluster.kinds)
    return {"templates": "one template" if kinds == 1 else f"{kinds} templates"}


@rules.advises("hypervisor.kvm-host-pages")
def _host_pages(facts: Facts) -> str:
    size = facts.worker.memory_bytes
    return (
        f"Reserve huge pages when a KVM host starts: {size // (2 * MIB):,} of 2 MiB for each worker of "
        f"{format_memory(size)}, evenly over the NUMA nodes (hugepages= on the kernel's command line); "
        "turn KSM off."
    )


rules.when("under KVM, a worker draws on several NUMA nodes")(
    lambda facts: under_kvm(facts) and (facts.worker.numa_nodes or 1) > 1
)
rules.advises("hypervisor.kvm-guest-nodes")(lambda facts: {"facts": facts})


@rules.decides("firmware.hyper-threading")
def _firmware_threads(facts: Facts) -> Decision:
    inputs = (("cores", facts.group.cpu.cores), ("threads", facts.group.cpu.threads))
    return Decision("on", inputs=tuple(Input(name=name, value=value) for name, value in inputs))


@rules.decides("firmware.power")
def _firmware_power(facts: Facts) -> Decision:
    busy = facts.request.hbase_used
    value = "maximum performance" if busy else "controlled by the operating system"
    return Decision(value, words="hbase" if busy else "usual")


rules.when("a host has more than one NUMA node")(lambda facts: facts.group.cpu.numa_nodes > 1)


@rules.when("hosts are divided", words="workers are virtual machines")
def _divided(facts: Facts) -> bool:
    dividing = facts.request.dividing
    return facts.cluster.virtual if dividing is None else dividing is not Hypervisor.NONE


@rules.inspects("firmware.turbo-clocks")
def _turbo(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or reading.host.virtualisation.is_virtual or reading.host.cpu.turbo is None:
        return
    yield Observation(reading.host.cpu.turbo, "turbo clocks", "on" if reading.host.cpu.turbo else "off")


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

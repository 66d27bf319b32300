"""Machines below workers: settings of hypervisors, and of firmware."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.host import Host
from howdah.model.inventory import DiskKind, DiskRole
from howdah.model.request import Hypervisor
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Values
from howdah.planner.rule import Decision, inputs_of, under_kvm, under_vsphere
from howdah.planner.rules.declare import read_rules
from howdah.units import MIB, format_counted, format_memory

rules = read_rules("hypervisor.toml")

rules.when("under KVM, a worker fits one NUMA node")(
    lambda facts: under_kvm(facts) and facts.worker.numa_nodes == 1
)


def _vcpus(facts: Facts) -> int:
    return facts.worker.vcpus or 1


rules.decides("hypervisor.vsphere-vcpus", "hypervisor.kvm-vcpus")(
    lambda facts: Decision(_vcpus(facts), inputs=inputs_of(("worker.vcpus", _vcpus(facts))))
)


@rules.decides("hypervisor.vsphere-sockets")
def _sockets(facts: Facts) -> Decision:
    nodes = facts.worker.numa_nodes or 1
    vcpus = _vcpus(facts)
    cores = vcpus // nodes if vcpus % nodes == 0 else vcpus
    inputs = inputs_of(("worker.vcpus", vcpus), ("worker.numa_nodes", nodes))
    return Decision(cores, inputs=inputs, values={"sockets": format_counted(vcpus // cores, "socket")})


@rules.decides("hypervisor.vsphere-memory", "hypervisor.vsphere-reservation", "hypervisor.kvm-memory")
def _memory(facts: Facts) -> Decision:
    size = facts.worker.memory_bytes
    return Decision(size // MIB, inputs=inputs_of(("worker.memory", size, "B")))


def _cores_per_node(facts: Facts) -> int:
    return facts.group.cpu.cores // facts.group.cpu.numa_nodes


@rules.when("under vSphere, a worker on one NUMA node has more vCPUs than the node has cores")
def _spans_cores(facts: Facts) -> bool:
    return under_vsphere(facts) and facts.worker.numa_nodes == 1 and _vcpus(facts) > _cores_per_node(facts)


@rules.decides("hypervisor.vsphere-prefer-threads")
def _prefer_threads(facts: Facts) -> Decision:
    cores, vcpus = _cores_per_node(facts), _vcpus(facts)
    inputs = inputs_of(("worker.vcpus", vcpus), ("cores per node", cores))
    return Decision(True, inputs=inputs, values={"vcpus": vcpus, "cores": cores})


@rules.decides("hypervisor.vsphere-latency")
def _latency(facts: Facts) -> Decision:
    cpu, vcpus = facts.group.cpu, _vcpus(facts) * facts.worker.per_host
    inputs = inputs_of(("worker.vcpus", _vcpus(facts)), ("cores", cpu.cores), ("threads", cpu.threads))
    words = "more" if vcpus > cpu.cores else "fits"
    return Decision("high", inputs=inputs, values={"cores": cpu.cores, "vcpus": vcpus}, words=words)


def _kvm_sockets(facts: Facts) -> int:
    nodes = facts.worker.numa_nodes or 1
    return nodes if _vcpus(facts) % nodes == 0 else 1


rules.decides("hypervisor.kvm-guest-sockets")(lambda facts: Decision(_kvm_sockets(facts)))


@rules.decides("hypervisor.kvm-guest-cores")
def _guest_cores(facts: Facts) -> Decision:
    vcpus = _vcpus(facts)
    return Decision(vcpus // _kvm_sockets(facts), inputs=inputs_of(("worker.vcpus", vcpus)))


@rules.decides("hypervisor.kvm-io-threads")
def _threads(facts: Facts) -> Decision:
    disks = max(1, facts.worker.data_disks or 1)
    return Decision(disks, inputs=inputs_of(("worker.data_disks", disks)))


rules.when("workers are virtual machines and no hypervisor is chosen")(
    lambda facts: facts.request.dividing is None and facts.cluster.virtual
)


@rules.advises("hypervisor.vsphere-raw-disks")
def _raw_disks(facts: Facts) -> Values:
    kinds = {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA}
    return {"words": "nvme" if kinds == {DiskKind.NVME} else "scsi", "disks": facts.worker.data_disks or 0}


rules.when("workers are virtual machines")(lambda facts: facts.cluster.virtual)


@rules.advises("hypervisor.templates")
def _template(facts: Facts) -> Values | None:
    kinds = len(facts.cluster.kinds)
    return {"templates": "one template" if kinds == 1 else f"{kinds} templates"}


@rules.advises("hypervisor.kvm-host-pages")
def _host_pages(facts: Facts) -> Values:
    size = facts.worker.memory_bytes
    return {"pages": size // (2 * MIB), "memory": format_memory(size)}


rules.when("under KVM, a worker draws on several NUMA nodes")(
    lambda facts: under_kvm(facts) and (facts.worker.numa_nodes or 1) > 1
)
rules.advises("hypervisor.kvm-guest-nodes")(lambda facts: {"facts": facts})


@rules.decides("firmware.hyper-threading")
def _firmware_threads(facts: Facts) -> Decision:
    cpu = facts.group.cpu
    return Decision("on", inputs=inputs_of(("cores", cpu.cores), ("threads", cpu.threads)))


rules.when("a host has more than one NUMA node")(lambda facts: facts.group.cpu.numa_nodes > 1)


@rules.when("hosts are divided", words="workers are virtual machines")
def _divided(facts: Facts) -> bool:
    dividing = facts.request.dividing
    return facts.cluster.virtual if dividing is None else dividing is not Hypervisor.NONE


@rules.inspects_hosts("firmware.turbo-clocks", virtual=False)
def _turbo(host: Host, facts: Facts) -> Iterator[Observation]:
    if host.cpu.turbo is not None:
        yield Observation(host.cpu.turbo, "turbo clocks", "on" if host.cpu.turbo else "off")


@rules.inspects_hosts("firmware.numa-nodes", virtual=False)
def _nodes(host: Host, facts: Facts) -> Iterator[Observation]:
    sockets, nodes = host.cpu.sockets, len(host.cpu.numa_nodes)
    if sockets < 2:
        return
    shown = f"{nodes} in {sockets} sockets" if nodes else "not known"
    inputs = inputs_of(("sockets", sockets), ("NUMA nodes", nodes))
    ok, words = (nodes >= sockets, "known") if nodes else (None, "unknown")
    yield Observation(ok, "NUMA nodes", shown, inputs=inputs, words=words)

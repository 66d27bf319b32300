"""Hosts divided into workers: CPU, memory, NUMA nodes; settings of hypervisors and of firmware below them."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.hadoop.daemons import DAEMONS, WORKERS
from howdah.model.host import Host
from howdah.model.inventory import DiskKind
from howdah.model.request import Hypervisor
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import Decision, inputs_of, under_kvm, under_vsphere
from howdah.planner.rules.declare import read_rules
from howdah.releases.values import direct_bytes, heap_bytes
from howdah.units import MIB, format_counted, format_gib, format_memory, format_percent

rules = read_rules("platform.toml")

READY_SHARE = 0.05  # The share of time a virtual machine may wait for a CPU before it matters (RULES 22).


SIMULATED = rules["platform.simulated"]

rules.when("--overcommit, without HBase")(
    lambda facts: facts.request.overcommit and not facts.request.hbase_used
)


@rules.inspects_hosts("platform.hyper-threading")
def _hyper_threading(host: Host, facts: Facts) -> Iterator[Observation]:
    cpu, is_virtual = host.cpu, host.virtualisation.is_virtual
    inputs = inputs_of(("cores", cpu.cores), ("threads", cpu.threads))
    seen = f"{cpu.cores} cores, {cpu.threads} threads"
    on, is_shown = cpu.threads > cpu.cores, not is_virtual and cpu.architecture == "x86_64"
    # A guest sees the virtual CPUs it was given, whatever the cores below them do.
    words = "on" if on else "off" if is_shown else "guest" if is_virtual else "unis_shown"
    ok = on if on or is_shown else None
    yield Observation(ok, "Hyper-Threading", seen, inputs=inputs, words=words)


@rules.inspects_hosts("platform.ready-time", virtual=True)
def _ready_time(host: Host, facts: Facts) -> Iterator[Observation]:
    share = host.virtualisation.steal_share
    if share is None:
        yield Observation(None, "stolen CPU time", "not counted", words="unknown")
        return
    shown, inputs = f"{format_percent(share)} of CPU time since boot", inputs_of(("steal share", share))
    yield Observation(share < READY_SHARE, "stolen CPU time", shown, inputs=inputs, words="known")


_SEEN_OF_GIVEN = 0.95
"""A guest's kernel sees a little less than it was given: firmware and the kernel itself come off it."""
_DAEMONS = {role.value: DAEMONS[role].options for role in WORKERS}
_CONTAINERS_MOST = 0.9
_CONTAINERS = "yarn.nodemanager.resource.memory-mb"
_HUGE_MOST = 0.5
_ALL_BUT = 0.94
_UNEVEN = 1.25


@rules.inspects_hosts("memory.as-planned")
def _as_planned(host: Host, facts: Facts) -> Iterator[Observation]:
    planned, seen = facts.worker.memory_bytes, host.memory.total_bytes
    inputs = inputs_of(("planned", planned, "B"), ("found", seen, "B"))
    ok, values = seen >= planned * _SEEN_OF_GIVEN, {"planned": format_gib(planned)}
    yield Observation(ok, "memory", format_gib(seen), inputs=inputs, values=values)


@rules.inspects("memory.promised-once")
def _over(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    # Bytes that each daemon's options and YARN's containers may take.
    options = {daemon: reading.variable(name) or "" for daemon, name in _DAEMONS.items()}
    sizes = {daemon: (heap_bytes(text) or 0) + (direct_bytes(text) or 0) for daemon, text in options.items()}
    sizes["containers"] = int(max(0.0, reading.number(_CONTAINERS) or 0) * MIB)
    promised = {user: size for user, size in sizes.items() if size}
    if len(promised) < 2:
        return
    memory = facts.worker.memory_bytes
    if promised.get("containers", 0) > memory * _CONTAINERS_MOST:
        # Containers alone are too much, which is a rule of its own: yarn.memory-of-worker.
        return
    largest = max(promised, key=promised.__getitem__)
    about = _DAEMONS.get(largest, _CONTAINERS)
    total, values = sum(promised.values()), {"memory": format_memory(memory)}
    shown = " + ".join(f"{user} {format_memory(size)}" for user, size in promised.items())
    inputs = inputs_of(("promised", total, "B"), ("worker's memory", memory, "B"))
    place = reading.variable_where(about) or reading.where(about)
    yield Observation(total <= memory, about, shown, where=place, inputs=inputs, values=values)


@rules.inspects("memory.huge-pages")
def _huge(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or not reading.has_config:
        return
    memory = reading.host.memory
    if memory.huge_pages_total and memory.huge_page_bytes:
        taken = memory.huge_pages_total * memory.huge_page_bytes
        shown = f"{format_memory(taken)} of {format_memory(memory.total_bytes)}"
        yield Observation(taken <= _HUGE_MOST * memory.total_bytes, "vm.nr_hugepages", shown)


@rules.inspects("memory.control-group")
def _limit(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or not reading.has_config or reading.host.cgroup.memory_limit_bytes is None:
        return
    limit, total = reading.host.cgroup.memory_limit_bytes, reading.host.memory.total_bytes
    shown = f"{format_memory(limit)} of {format_memory(total)}"
    yield Observation(limit >= _ALL_BUT * total, "memory limit of the control group", shown)


@rules.inspects_hosts("memory.nodes-alike")
def _nodes(host: Host, facts: Facts) -> Iterator[Observation]:
    sizes = [node.memory_bytes for node in host.cpu.numa_nodes]
    node_sizes = [size for size in sizes if size is not None]
    if len(sizes) > 1 and len(node_sizes) == len(sizes):
        shown, nodes = ", ".join(map(format_memory, node_sizes)), format_counted(len(node_sizes), "node")
        ok = max(node_sizes) <= _UNEVEN * min(node_sizes)
        yield Observation(ok, "memory of NUMA nodes", shown, values={"nodes": nodes})


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
    kinds = {disk.kind for disk in facts.group.data_disk_sets}
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
def _numa_nodes(host: Host, facts: Facts) -> Iterator[Observation]:
    sockets, nodes = host.cpu.sockets, len(host.cpu.numa_nodes)
    if sockets < 2:
        return
    shown = f"{nodes} in {sockets} sockets" if nodes else "not known"
    inputs = inputs_of(("sockets", sockets), ("NUMA nodes", nodes))
    ok, words = (nodes >= sockets, "known") if nodes else (None, "unknown")
    yield Observation(ok, "NUMA nodes", shown, inputs=inputs, words=words)

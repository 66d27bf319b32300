"""What KVM is told of CPUs, memory, disks and cards of each kind of worker: paths of libvirt's XML."""

from __future__ import annotations

from howdah.model.plan import Input
from howdah.planner.conditions import under_kvm
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, MUST, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules
from howdah.units import MIB

_ON_ONE_NODE = "under KVM, a worker fits one NUMA node"
rules = Rules()
machine = rules.under(
    file="kvm.xml", scope=Scope.WORKER, when=Condition("workers are virtual machines under KVM", under_kvm)
)


def _vcpus(facts: Facts) -> int:
    return facts.worker.vcpus or 1


@machine.setting("hypervisor.kvm-vcpus", "vcpu", MUST, sources="D0 20, D1 90")
def _cpus(facts: Facts) -> Decision:
    """Give out every thread of a host once, and none twice."""
    return Decision(
        _vcpus(facts),
        "the worker's share of the host's threads, all of which are given out once",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


_ON_ONE_NODE_WHEN = Condition(_ON_ONE_NODE, lambda facts: under_kvm(facts) and facts.worker.numa_nodes == 1)

machine.fixed(
    "hypervisor.kvm-cpu-placement",
    "vcpu.@placement",
    "auto",
    when=_ON_ONE_NODE_WHEN,
    today="Linux has no scheduler of NUMA clients as vSphere has. Where the host's distribution has no "
    "numad any more, name a node for each machine instead (cpuset, nodeset).",
).text(
    "Let numad find the NUMA node for a worker; pin none by hand.",
    "each machine asks for a node with room when it starts: one definition does for all",
    "D0 8, D2 106, X1",
)
machine.fixed("hypervisor.kvm-numa-mode", "numatune.memory.@mode", "strict", when=_ON_ONE_NODE_WHEN).text(
    "Take memory only from the NUMA node that a worker runs on.",
    "a start that fails says that the node is full; a remote half would say nothing",
    "D0 2, D2 106",
)
machine.fixed(
    "hypervisor.kvm-numa-placement", "numatune.memory.@placement", "auto", when=_ON_ONE_NODE_WHEN
).text("Take memory where numad puts the CPUs.", "the same advice as for the CPUs", "D0 2, D0 8")


@machine.setting("hypervisor.kvm-memory", "memory", MUST, sources="D0 18, D0 16")
def _memory(facts: Facts) -> Decision:
    """Size a worker so that all workers fit in what the host leaves."""
    return Decision(
        facts.worker.memory_bytes // MIB,
        "the worker's share of what the host leaves",
        (Input(name="worker.memory", value=facts.worker.memory_bytes, unit="B"),),
    )


machine.fixed("hypervisor.kvm-memory-unit", "memory.@unit", "MiB", MUST).text(
    "Give memory in MiB.", "libvirt's default is KiB", "libvirt"
)
machine.fixed("hypervisor.kvm-huge-pages", "memoryBacking.hugepages", True).text(
    "Back guests with huge pages of the host.",
    "fewer steps for each address, and such pages are never swapped or merged",
    "D0 23, D0 20",
)
machine.fixed("hypervisor.kvm-no-merging", "memoryBacking.nosharepages", True, MAY).text(
    "Keep the host from merging equal pages.",
    "heaps share nothing, and looking for it takes CPU time",
    "D0 20",
)
machine.fixed("hypervisor.kvm-preallocation", "memoryBacking.allocation.@mode", "immediate").text(
    "Allocate all memory of a worker when it starts.",
    "a worker that does not fit fails to start instead of failing tasks",
    "D0 20",
)
machine.fixed("hypervisor.kvm-no-balloon", "devices.memballoon.@model", "none").text(
    "Give workers no balloon.", "all memory is the worker's own; nothing may ask for it back", "D0 20, D0 19"
)
machine.fixed("hypervisor.kvm-cpu-model", "cpu.@mode", "host-passthrough").text(
    "Show the guest the host's own processor.",
    "Java and compression use every instruction that the processor has",
    "howdah",
)


def _sockets(facts: Facts) -> int:
    nodes = facts.worker.numa_nodes or 1
    return nodes if _vcpus(facts) % nodes == 0 else 1


@machine.setting("hypervisor.kvm-guest-sockets", "cpu.topology.@sockets", MAY, sources="D0 9, D0 2")
def _guest_sockets(facts: Facts) -> Decision:
    """Show the guest as many sockets as NUMA nodes it draws on."""
    return Decision(_sockets(facts), "one for each NUMA node that the worker draws on")


@machine.setting("hypervisor.kvm-guest-cores", "cpu.topology.@cores", MAY, sources="D0 9")
def _guest_cores(facts: Facts) -> Decision:
    """Show the guest its virtual CPUs as cores."""
    return Decision(
        _vcpus(facts) // _sockets(facts),
        "every virtual CPU is shown as a core: it is not tied to one thread of one core",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


machine.fixed("hypervisor.kvm-guest-threads", "cpu.topology.@threads", 1, MAY).text(
    "Show the guest one thread for each core.",
    "virtual CPUs move between threads, so pairing them would mislead the guest",
    "D0 9",
)


@machine.setting("hypervisor.kvm-io-threads", "iothreads", MAY, sources="D0 31, howdah")
def _threads(facts: Facts) -> Decision:
    """Give each data disk an I/O thread."""
    disks = max(1, facts.worker.data_disks or 1)
    return Decision(
        disks,
        "one for each data disk, which names it in its driver: no disk waits for another's requests",
        (Input(name="worker.data_disks", value=disks),),
    )


machine.fixed("hypervisor.kvm-disk-type", "devices.disk.@type", "block").text(
    "Hand whole disks through as block devices.",
    "no file system of the host lies between HDFS and its disks; this is the pattern of each",
    "D0 31, D0 30",
)
machine.fixed("hypervisor.kvm-disk-format", "devices.disk.driver.@type", "raw").text(
    "Use disks raw.", "an image format would write twice", "D0 31"
)
machine.fixed("hypervisor.kvm-disk-cache", "devices.disk.driver.@cache", "none").text(
    "Bypass the host's cache.", "the guest caches; caching twice halves what memory is worth", "D0 24, howdah"
)
machine.fixed("hypervisor.kvm-disk-io", "devices.disk.driver.@io", "native", MAY).text(
    "Use the kernel's own asynchronous I/O for disks.",
    "fewer threads and switches for each request than the default",
    "howdah",
)
machine.fixed("hypervisor.kvm-disk-bus", "devices.disk.target.@bus", "virtio").text(
    "Attach disks by virtio.",
    "the bus that the host does not have to emulate, with an I/O thread for each disk",
    "D0 31",
)
machine.fixed("hypervisor.kvm-network-card", "devices.interface.model.@type", "virtio").text(
    "Give a worker virtio cards.", "the card that the host does not have to emulate", "D0 41, D3 119"
)
machine.fixed("hypervisor.kvm-network-driver", "devices.interface.driver.@name", "vhost").text(
    "Let the host's kernel move packets.",
    "no packet passes through the emulator's process: less delay for each replica",
    "D0 47, howdah",
)
machine.fixed("hypervisor.kvm-network-queues", "devices.interface.driver.@queues", 1, MAY).text(
    "Use one queue in a virtual network card.",
    "more queues gain only in the largest machines; measure before you add one",
    "D0 38, D3 119",
)

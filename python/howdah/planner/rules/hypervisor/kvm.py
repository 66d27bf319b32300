"""What KVM is told of CPUs, memory, disks and cards of each kind of worker: paths of libvirt's XML."""

from __future__ import annotations

from functools import partial

from howdah.model.plan import Input
from howdah.planner.conditions import under_kvm
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Scope, SettingRule, Severity
from howdah.planner.values import fixed
from howdah.units import MIB

_ON_ONE_NODE = "under KVM, a worker fits one NUMA node"


def _on_one_node(facts: Facts) -> bool:
    return under_kvm(facts) and facts.worker.numa_nodes == 1


def _vcpus(facts: Facts) -> int:
    return facts.worker.vcpus or 1


def _cpus(facts: Facts) -> Decision:
    return Decision(
        _vcpus(facts),
        "the worker's share of the host's threads, all of which are given out once",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


def _memory(facts: Facts) -> Decision:
    return Decision(
        facts.worker.memory_bytes // MIB,
        "the worker's share of what the host leaves",
        (Input(name="worker.memory", value=facts.worker.memory_bytes, unit="B"),),
    )


def _sockets(facts: Facts) -> int:
    nodes = facts.worker.numa_nodes or 1
    return nodes if _vcpus(facts) % nodes == 0 else 1


def _guest_sockets(facts: Facts) -> Decision:
    return Decision(_sockets(facts), "one for each NUMA node that the worker draws on")


def _guest_cores(facts: Facts) -> Decision:
    return Decision(
        _vcpus(facts) // _sockets(facts),
        "every virtual CPU is shown as a core: it is not tied to one thread of one core",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


def _threads(facts: Facts) -> Decision:
    disks = max(1, facts.worker.data_disks or 1)
    return Decision(
        disks,
        "one for each data disk, which names it in its driver: no disk waits for another's requests",
        (Input(name="worker.data_disks", value=disks),),
    )


_machine_rule = partial(
    SettingRule,
    file="kvm.xml",
    scope=Scope.WORKER,
    applies=under_kvm,
    condition="workers are virtual machines under KVM",
)

RULES: tuple[Rule, ...] = (
    _machine_rule(
        id="hypervisor.kvm-vcpus",
        says="Give out every thread of a host once, and none twice.",
        sources=("D0 20", "D1 90"),
        severity=Severity.MUST,
        key="vcpu",
        decide=_cpus,
    ),
    _machine_rule(
        id="hypervisor.kvm-cpu-placement",
        says="Let numad find the NUMA node for a worker; pin none by hand.",
        sources=("D0 8", "D2 106", "X1"),
        condition=_ON_ONE_NODE,
        applies=_on_one_node,
        key="vcpu.@placement",
        decide=fixed(
            "auto",
            "each machine asks for a node with room when it starts: one definition does for all",
        ),
        today="Linux has no scheduler of NUMA clients as vSphere has. Where the host's distribution has no "
        "numad any more, name a node for each machine instead (cpuset, nodeset).",
    ),
    _machine_rule(
        id="hypervisor.kvm-numa-mode",
        says="Take memory only from the NUMA node that a worker runs on.",
        sources=("D0 2", "D2 106"),
        condition=_ON_ONE_NODE,
        applies=_on_one_node,
        key="numatune.memory.@mode",
        decide=fixed(
            "strict", "a start that fails says that the node is full; a remote half would say nothing"
        ),
    ),
    _machine_rule(
        id="hypervisor.kvm-numa-placement",
        says="Take memory where numad puts the CPUs.",
        sources=("D0 2", "D0 8"),
        condition=_ON_ONE_NODE,
        applies=_on_one_node,
        key="numatune.memory.@placement",
        decide=fixed("auto", "the same advice as for the CPUs"),
    ),
    _machine_rule(
        id="hypervisor.kvm-memory",
        says="Size a worker so that all workers fit in what the host leaves.",
        sources=("D0 18", "D0 16"),
        severity=Severity.MUST,
        key="memory",
        decide=_memory,
    ),
    _machine_rule(
        id="hypervisor.kvm-memory-unit",
        says="Give memory in MiB.",
        sources=("libvirt",),
        severity=Severity.MUST,
        key="memory.@unit",
        decide=fixed("MiB", "libvirt's default is KiB"),
    ),
    _machine_rule(
        id="hypervisor.kvm-huge-pages",
        says="Back guests with huge pages of the host.",
        sources=("D0 23", "D0 20"),
        key="memoryBacking.hugepages",
        decide=fixed(True, "fewer steps for each address, and such pages are never swapped or merged"),
    ),
    _machine_rule(
        id="hypervisor.kvm-no-merging",
        says="Keep the host from merging equal pages.",
        sources=("D0 20",),
        severity=Severity.MAY,
        key="memoryBacking.nosharepages",
        decide=fixed(True, "heaps share nothing, and looking for it takes CPU time"),
    ),
    _machine_rule(
        id="hypervisor.kvm-preallocation",
        says="Allocate all memory of a worker when it starts.",
        sources=("D0 20",),
        key="memoryBacking.allocation.@mode",
        decide=fixed("immediate", "a worker that does not fit fails to start instead of failing tasks"),
    ),
    _machine_rule(
        id="hypervisor.kvm-no-balloon",
        says="Give workers no balloon.",
        sources=("D0 20", "D0 19"),
        key="devices.memballoon.@model",
        decide=fixed("none", "all memory is the worker's own; nothing may ask for it back"),
    ),
    _machine_rule(
        id="hypervisor.kvm-cpu-model",
        says="Show the guest the host's own processor.",
        sources=("howdah",),
        key="cpu.@mode",
        decide=fixed("host-passthrough", "Java and compression use every instruction that the processor has"),
    ),
    _machine_rule(
        id="hypervisor.kvm-guest-sockets",
        says="Show the guest as many sockets as NUMA nodes it draws on.",
        sources=("D0 9", "D0 2"),
        severity=Severity.MAY,
        key="cpu.topology.@sockets",
        decide=_guest_sockets,
    ),
    _machine_rule(
        id="hypervisor.kvm-guest-cores",
        says="Show the guest its virtual CPUs as cores.",
        sources=("D0 9",),
        severity=Severity.MAY,
        key="cpu.topology.@cores",
        decide=_guest_cores,
    ),
    _machine_rule(
        id="hypervisor.kvm-guest-threads",
        says="Show the guest one thread for each core.",
        sources=("D0 9",),
        severity=Severity.MAY,
        key="cpu.topology.@threads",
        decide=fixed(1, "virtual CPUs move between threads, so pairing them would mislead the guest"),
    ),
    _machine_rule(
        id="hypervisor.kvm-io-threads",
        says="Give each data disk an I/O thread.",
        sources=("D0 31", "howdah"),
        severity=Severity.MAY,
        key="iothreads",
        decide=_threads,
    ),
    _machine_rule(
        id="hypervisor.kvm-disk-type",
        says="Hand whole disks through as block devices.",
        sources=("D0 31", "D0 30"),
        key="devices.disk.@type",
        decide=fixed(
            "block", "no file system of the host lies between HDFS and its disks; this is the pattern of each"
        ),
    ),
    _machine_rule(
        id="hypervisor.kvm-disk-format",
        says="Use disks raw.",
        sources=("D0 31",),
        key="devices.disk.driver.@type",
        decide=fixed("raw", "an image format would write twice"),
    ),
    _machine_rule(
        id="hypervisor.kvm-disk-cache",
        says="Bypass the host's cache.",
        sources=("D0 24", "howdah"),
        key="devices.disk.driver.@cache",
        decide=fixed("none", "the guest caches; caching twice halves what memory is worth"),
    ),
    _machine_rule(
        id="hypervisor.kvm-disk-io",
        says="Use the kernel's own asynchronous I/O for disks.",
        sources=("howdah",),
        severity=Severity.MAY,
        key="devices.disk.driver.@io",
        decide=fixed("native", "fewer threads and switches for each request than the default"),
    ),
    _machine_rule(
        id="hypervisor.kvm-disk-bus",
        says="Attach disks by virtio.",
        sources=("D0 31",),
        key="devices.disk.target.@bus",
        decide=fixed(
            "virtio", "the bus that the host does not have to emulate, with an I/O thread for each disk"
        ),
    ),
    _machine_rule(
        id="hypervisor.kvm-network-card",
        says="Give a worker virtio cards.",
        sources=("D0 41", "D3 119"),
        key="devices.interface.model.@type",
        decide=fixed("virtio", "the card that the host does not have to emulate"),
    ),
    _machine_rule(
        id="hypervisor.kvm-network-driver",
        says="Let the host's kernel move packets.",
        sources=("D0 47", "howdah"),
        key="devices.interface.driver.@name",
        decide=fixed("vhost", "no packet passes through the emulator's process: less delay for each replica"),
    ),
    _machine_rule(
        id="hypervisor.kvm-network-queues",
        says="Use one queue in a virtual network card.",
        sources=("D0 38", "D3 119"),
        severity=Severity.MAY,
        key="devices.interface.driver.@queues",
        decide=fixed(1, "more queues gain only in the largest machines; measure before you add one"),
    ),
)

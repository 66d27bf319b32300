"""What KVM is told of the CPUs and memory of each kind of worker, as paths of libvirt's domain XML."""

from __future__ import annotations

from howdah.model.plan import Input
from howdah.planner.conditions import under_kvm
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Scope, SettingRule, Severity
from howdah.planner.values import fixed
from howdah.units import MIB

_FILE = "kvm.xml"
_WHEN = "workers are virtual machines under KVM"
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


RULES: tuple[Rule, ...] = (
    SettingRule(
        id="hypervisor.kvm-vcpus",
        says="Give out every thread of a host once, and none twice.",
        sources=("D0 20", "D1 90"),
        severity=Severity.MUST,
        condition=_WHEN,
        applies=under_kvm,
        key="vcpu",
        file=_FILE,
        scope=Scope.WORKER,
        decide=_cpus,
    ),
    SettingRule(
        id="hypervisor.kvm-cpu-placement",
        says="Let numad find the NUMA node for a worker; pin none by hand.",
        sources=("D0 8", "D2 106", "X1"),
        condition=_ON_ONE_NODE,
        applies=_on_one_node,
        key="vcpu.@placement",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed(
            "auto",
            "each machine asks for a node with room when it starts: one definition does for all",
        ),
        today="Linux has no scheduler of NUMA clients as vSphere has. Where the host's distribution has no "
        "numad any more, name a node for each machine instead (cpuset, nodeset).",
    ),
    SettingRule(
        id="hypervisor.kvm-numa-mode",
        says="Take memory only from the NUMA node that a worker runs on.",
        sources=("D0 2", "D2 106"),
        condition=_ON_ONE_NODE,
        applies=_on_one_node,
        key="numatune.memory.@mode",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed(
            "strict", "a start that fails says that the node is full; a remote half would say nothing"
        ),
    ),
    SettingRule(
        id="hypervisor.kvm-numa-placement",
        says="Take memory where numad puts the CPUs.",
        sources=("D0 2", "D0 8"),
        condition=_ON_ONE_NODE,
        applies=_on_one_node,
        key="numatune.memory.@placement",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("auto", "the same advice as for the CPUs"),
    ),
    SettingRule(
        id="hypervisor.kvm-memory",
        says="Size a worker so that all workers fit in what the host leaves.",
        sources=("D0 18", "D0 16"),
        severity=Severity.MUST,
        condition=_WHEN,
        applies=under_kvm,
        key="memory",
        file=_FILE,
        scope=Scope.WORKER,
        decide=_memory,
    ),
    SettingRule(
        id="hypervisor.kvm-memory-unit",
        says="Say memory in MiB.",
        sources=("libvirt",),
        severity=Severity.MUST,
        condition=_WHEN,
        applies=under_kvm,
        key="memory.@unit",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("MiB", "libvirt's default is KiB"),
    ),
    SettingRule(
        id="hypervisor.kvm-huge-pages",
        says="Back guests with huge pages of the host.",
        sources=("D0 23", "D0 20"),
        condition=_WHEN,
        applies=under_kvm,
        key="memoryBacking.hugepages",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed(True, "fewer steps for each address, and such pages are never swapped or merged"),
    ),
    SettingRule(
        id="hypervisor.kvm-no-merging",
        says="Keep the host from merging equal pages.",
        sources=("D0 20",),
        severity=Severity.MAY,
        condition=_WHEN,
        applies=under_kvm,
        key="memoryBacking.nosharepages",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed(True, "heaps share nothing, and looking for it takes CPU time"),
    ),
    SettingRule(
        id="hypervisor.kvm-preallocation",
        says="Allocate all memory of a worker when it starts.",
        sources=("D0 20",),
        condition=_WHEN,
        applies=under_kvm,
        key="memoryBacking.allocation.@mode",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("immediate", "a worker that does not fit fails to start instead of failing tasks"),
    ),
    SettingRule(
        id="hypervisor.kvm-no-balloon",
        says="Give workers no balloon.",
        sources=("D0 20", "D0 19"),
        condition=_WHEN,
        applies=under_kvm,
        key="devices.memballoon.@model",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("none", "all memory is the worker's own; nothing may ask for it back"),
    ),
    SettingRule(
        id="hypervisor.kvm-cpu-model",
        says="Show the guest the host's own processor.",
        sources=("howdah",),
        condition=_WHEN,
        applies=under_kvm,
        key="cpu.@mode",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("host-passthrough", "Java and compression use every instruction that the processor has"),
    ),
    SettingRule(
        id="hypervisor.kvm-guest-sockets",
        says="Show the guest as many sockets as NUMA nodes it draws on.",
        sources=("D0 9", "D0 2"),
        severity=Severity.MAY,
        condition=_WHEN,
        applies=under_kvm,
        key="cpu.topology.@sockets",
        file=_FILE,
        scope=Scope.WORKER,
        decide=_guest_sockets,
    ),
    SettingRule(
        id="hypervisor.kvm-guest-cores",
        says="Show the guest its virtual CPUs as cores.",
        sources=("D0 9",),
        severity=Severity.MAY,
        condition=_WHEN,
        applies=under_kvm,
        key="cpu.topology.@cores",
        file=_FILE,
        scope=Scope.WORKER,
        decide=_guest_cores,
    ),
    SettingRule(
        id="hypervisor.kvm-guest-threads",
        says="Show the guest one thread for each core.",
        sources=("D0 9",),
        severity=Severity.MAY,
        condition=_WHEN,
        applies=under_kvm,
        key="cpu.topology.@threads",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed(1, "virtual CPUs move between threads, so pairing them would mislead the guest"),
    ),
)

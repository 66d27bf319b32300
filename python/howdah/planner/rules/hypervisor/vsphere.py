"""What vSphere is told of each kind of worker, and of its hosts."""

from __future__ import annotations

from functools import partial

from howdah.model.plan import Input, Value
from howdah.planner.conditions import under_vsphere
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Scope, SettingRule, Severity
from howdah.planner.values import at_least, fixed
from howdah.units import MIB, format_counted

_WHEN = "workers are virtual machines under vSphere"
_POWER = {True: "High Performance", False: "Balanced"}


def _cores_per_node(facts: Facts) -> int:
    return facts.group.cpu.cores // facts.group.cpu.numa_nodes


def _vcpus(facts: Facts) -> int:
    return facts.worker.vcpus or 1


def _memory_mb(facts: Facts) -> int:
    return facts.worker.memory_bytes // MIB


def _cpus(facts: Facts) -> Decision:
    return Decision(
        _vcpus(facts),
        "the worker's share of the host's threads, all of which are given out once",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


def _sockets(facts: Facts) -> Decision:
    nodes = facts.worker.numa_nodes or 1
    vcpus = _vcpus(facts)
    cores = vcpus // nodes if vcpus % nodes == 0 else vcpus
    return Decision(
        cores,
        f"the guest sees {format_counted(vcpus // cores, 'socket')}, as many as NUMA nodes it draws on",
        (Input(name="worker.vcpus", value=vcpus), Input(name="worker.numa_nodes", value=nodes)),
    )


def _memory(facts: Facts) -> Decision:
    return Decision(
        _memory_mb(facts),
        "the worker's share of what the hypervisor leaves",
        (Input(name="worker.memory", value=facts.worker.memory_bytes, unit="B"),),
    )


def _reserved(facts: Facts) -> Decision:
    return Decision(
        _memory_mb(facts),
        "all of it, so that no page of a heap is ever swapped, shared or ballooned away",
        (Input(name="worker.memory", value=facts.worker.memory_bytes, unit="B"),),
    )


def _spans_cores(facts: Facts) -> bool:
    if not under_vsphere(facts) or facts.worker.numa_nodes != 1:
        return False
    return _vcpus(facts) > _cores_per_node(facts)


def _prefer_threads(facts: Facts) -> Decision:
    cores = _cores_per_node(facts)
    return Decision(
        True,
        f"{_vcpus(facts)} vCPUs are more than a node's {cores} cores, but not than its threads: "
        "counted as threads they stay next to their memory",
        (Input(name="worker.vcpus", value=_vcpus(facts)), Input(name="cores per node", value=cores)),
    )


def _latency_applies(facts: Facts) -> bool:
    return facts.request.hbase_used and under_vsphere(facts)


def _latency(facts: Facts) -> Decision:
    threads, cores = facts.group.cpu.threads, facts.group.cpu.cores
    because = "a RegionServer answers in milliseconds, and waiting for a CPU is most of what it can lose"
    if _vcpus(facts) * facts.worker.per_host > cores:
        because += (
            f"; since vSphere 8 each vCPU takes a whole core, and the host has {cores} for "
            f"{_vcpus(facts) * facts.worker.per_host} vCPUs: choose High with Hyper-threading instead"
        )
    because += "; reserve all its CPU too, in MHz: a core's clock for each"
    return Decision(
        "high",
        because,
        (
            Input(name="worker.vcpus", value=_vcpus(facts)),
            Input(name="cores", value=cores),
            Input(name="threads", value=threads),
        ),
    )


def _power(facts: Facts) -> Decision:
    if facts.request.hbase_used:
        return Decision(_POWER[True], "HBase's requests are too short for a core to wake up in")
    return Decision(_POWER[False], "sorting keeps cores awake; idle hosts draw half the power")


def _power_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return value == _POWER[True] or value == decision.value


_machine_rule = partial(
    SettingRule, file="vsphere.vmx", scope=Scope.WORKER, applies=under_vsphere, condition=_WHEN
)
_host_rule = partial(SettingRule, file="esxi", scope=Scope.HOST, applies=under_vsphere, condition=_WHEN)

RULES: tuple[Rule, ...] = (
    _machine_rule(
        id="hypervisor.vsphere-vcpus",
        says="Give out every thread of a host once, and none twice.",
        sources=("D0 20", "D1 90"),
        severity=Severity.MUST,
        key="numvcpus",
        decide=_cpus,
    ),
    _machine_rule(
        id="hypervisor.vsphere-sockets",
        says="Show the guest as many sockets as NUMA nodes it draws on.",
        sources=("D0 9", "D0 2"),
        severity=Severity.MAY,
        key="cpuid.coresPerSocket",
        decide=_sockets,
        today="Since vSphere 6.5 the guest's NUMA nodes no longer follow its sockets; this keeps both alike.",
    ),
    _machine_rule(
        id="hypervisor.vsphere-memory",
        says="Size a worker so that all workers fit in what the hypervisor leaves.",
        sources=("D0 18", "D0 16"),
        severity=Severity.MUST,
        key="memSize",
        decide=_memory,
    ),
    _machine_rule(
        id="hypervisor.vsphere-reservation",
        says="Reserve all memory of a worker.",
        sources=("D0 20", "D1 89"),
        key="sched.mem.min",
        decide=_reserved,
    ),
    _machine_rule(
        id="hypervisor.vsphere-locked",
        says="Lock the reservation to the memory's size.",
        sources=("D0 20",),
        severity=Severity.MAY,
        key="sched.mem.pin",
        decide=fixed(True, "the reservation follows the size if someone changes it"),
    ),
    _machine_rule(
        id="hypervisor.vsphere-preallocation",
        says="Allocate all memory of a worker when it starts.",
        sources=("D0 20",),
        severity=Severity.MAY,
        key="sched.mem.prealloc",
        decide=fixed(True, "pages are found at power-on, in one piece, and not while tasks run"),
    ),
    _machine_rule(
        id="hypervisor.vsphere-prefer-threads",
        says="Let a worker with more vCPUs than a NUMA node has cores stay on that node's threads.",
        sources=("D0 7",),
        condition="under vSphere, a worker on one NUMA node has more vCPUs than the node has cores",
        applies=_spans_cores,
        key="numa.vcpu.preferHT",
        decide=_prefer_threads,
    ),
    _machine_rule(
        id="hypervisor.vsphere-migration",
        says="Make the scheduler slow to move a worker to another NUMA node.",
        sources=("D0 8", "X1"),
        severity=Severity.MAY,
        key="numa.memory.gransize",
        decide=fixed(1024, "memory moves in larger pieces, so a worker moves only where that pays"),
    ),
    _machine_rule(
        id="hypervisor.vsphere-storage-controller",
        says="Attach data disks to paravirtual SCSI controllers.",
        sources=("D0 31",),
        key="scsi0.virtualDev",
        decide=fixed("pvscsi", "the least CPU time for each request of a worker's disks"),
    ),
    _machine_rule(
        id="hypervisor.vsphere-network-card",
        says="Give a worker vmxnet3 cards.",
        sources=("D0 41", "D3 119"),
        key="ethernet0.virtualDev",
        decide=fixed("vmxnet3", "the card that vSphere does not have to emulate"),
    ),
    _machine_rule(
        id="hypervisor.vsphere-disk-identity",
        says="Let the guest identify each disk.",
        sources=("howdah",),
        severity=Severity.MAY,
        key="disk.EnableUUID",
        decide=fixed(True, "no mount takes another disk's place after a restart"),
    ),
    _machine_rule(
        id="hypervisor.vsphere-hardware-version",
        says="Use a current version of the virtual hardware.",
        sources=("D0 143", "D3 124"),
        severity=Severity.MAY,
        key="virtualHW.version",
        decide=fixed(20, "that of vSphere 8.0, the first with virtual hyper-threading"),
        accepts=at_least,
        today="The studies ran version 10, the newest of their time.",
    ),
    _machine_rule(
        id="hypervisor.vsphere-latency",
        says="Set latency sensitivity to high for HBase.",
        sources=("D3 118", "D3 123"),
        condition="HBase runs on workers that are virtual machines under vSphere",
        applies=_latency_applies,
        key="sched.cpu.latencySensitivity",
        decide=_latency,
        today="Since vSphere 8, High gives each vCPU a core of its own, or a thread with virtual "
        "hyper-threading (hardware version 20); it needs all CPU and memory reserved.",
    ),
    _host_rule(
        id="hypervisor.vsphere-power",
        says="Keep power management on, except for latency-sensitive HBase.",
        sources=("D0 26", "D3 117", "D1 91", "X2"),
        key="Power.CpuPolicy",
        decide=_power,
        accepts=_power_accepts,
    ),
    _host_rule(
        id="hypervisor.vsphere-large-pages",
        says="Back guests with large pages.",
        sources=("D0 23", "D0 19"),
        key="Mem.AllocGuestLargePage",
        decide=fixed(1, "2 MiB pages below the guest's own: fewer steps for each address"),
        today="On by default since ESX 3.5.",
    ),
)

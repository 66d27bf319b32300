"""What vSphere is told of each kind of worker, and of its hosts."""

from __future__ import annotations

from howdah.model.plan import Input
from howdah.planner.conditions import under_vsphere
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, MUST, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules, at_least
from howdah.units import MIB, format_counted

_WHEN = "workers are virtual machines under vSphere"
_POWER = {True: "High Performance", False: "Balanced"}
rules = Rules()
machine = rules.under(file="vsphere.vmx", scope=Scope.WORKER, when=Condition(_WHEN, under_vsphere))
host = rules.under(file="esxi", scope=Scope.HOST, when=Condition(_WHEN, under_vsphere))


def _vcpus(facts: Facts) -> int:
    return facts.worker.vcpus or 1


@machine.setting("hypervisor.vsphere-vcpus", "numvcpus", MUST, sources="D0 20, D1 90")
def _cpus(facts: Facts) -> Decision:
    """Give out every thread of a host once, and none twice."""
    return Decision(
        _vcpus(facts),
        "the worker's share of the host's threads, all of which are given out once",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


@machine.setting(
    "hypervisor.vsphere-sockets",
    "cpuid.coresPerSocket",
    MAY,
    sources="D0 9, D0 2",
    today="Since vSphere 6.5 the guest's NUMA nodes no longer follow its sockets; this keeps both alike.",
)
def _sockets(facts: Facts) -> Decision:
    """Show the guest as many sockets as NUMA nodes it draws on."""
    nodes = facts.worker.numa_nodes or 1
    vcpus = _vcpus(facts)
    cores = vcpus // nodes if vcpus % nodes == 0 else vcpus
    return Decision(
        cores,
        f"the guest sees {format_counted(vcpus // cores, 'socket')}, as many as NUMA nodes it draws on",
        (Input(name="worker.vcpus", value=vcpus), Input(name="worker.numa_nodes", value=nodes)),
    )


def _memory_mb(facts: Facts) -> int:
    return facts.worker.memory_bytes // MIB


@machine.setting("hypervisor.vsphere-memory", "memSize", MUST, sources="D0 18, D0 16")
def _memory(facts: Facts) -> Decision:
    """Size a worker so that all workers fit in what the hypervisor leaves."""
    return Decision(
        _memory_mb(facts),
        "the worker's share of what the hypervisor leaves",
        (Input(name="worker.memory", value=facts.worker.memory_bytes, unit="B"),),
    )


@machine.setting("hypervisor.vsphere-reservation", "sched.mem.min", sources="D0 20, D1 89")
def _reserved(facts: Facts) -> Decision:
    """Reserve all memory of a worker."""
    return Decision(
        _memory_mb(facts),
        "all of it, so that no page of a heap is ever swapped, shared or ballooned away",
        (Input(name="worker.memory", value=facts.worker.memory_bytes, unit="B"),),
    )


machine.fixed("hypervisor.vsphere-locked", "sched.mem.pin", True, MAY).text(
    "Lock the reservation to the memory's size.",
    "the reservation follows the size if someone changes it",
    "D0 20",
)
machine.fixed("hypervisor.vsphere-preallocation", "sched.mem.prealloc", True, MAY).text(
    "Allocate all memory of a worker when it starts.",
    "pages are found at power-on, in one piece, and not while tasks run",
    "D0 20",
)


def _cores_per_node(facts: Facts) -> int:
    return facts.group.cpu.cores // facts.group.cpu.numa_nodes


def _spans_cores(facts: Facts) -> bool:
    if not under_vsphere(facts) or facts.worker.numa_nodes != 1:
        return False
    return _vcpus(facts) > _cores_per_node(facts)


@machine.setting(
    "hypervisor.vsphere-prefer-threads",
    "numa.vcpu.preferHT",
    sources="D0 7",
    when=Condition(
        "under vSphere, a worker on one NUMA node has more vCPUs than the node has cores", _spans_cores
    ),
)
def _prefer_threads(facts: Facts) -> Decision:
    """Let a worker with more vCPUs than a NUMA node has cores stay on that node's threads."""
    cores = _cores_per_node(facts)
    return Decision(
        True,
        f"{_vcpus(facts)} vCPUs are more than a node's {cores} cores, but not than its threads: "
        "counted as threads they stay next to their memory",
        (Input(name="worker.vcpus", value=_vcpus(facts)), Input(name="cores per node", value=cores)),
    )


machine.fixed("hypervisor.vsphere-migration", "numa.memory.gransize", 1024, MAY).text(
    "Make the scheduler slow to move a worker to another NUMA node.",
    "memory moves in larger pieces, so a worker moves only where that pays",
    "D0 8, X1",
)
machine.fixed("hypervisor.vsphere-storage-controller", "scsi0.virtualDev", "pvscsi").text(
    "Attach data disks to paravirtual SCSI controllers.",
    "the least CPU time for each request of a worker's disks",
    "D0 31",
)
machine.fixed("hypervisor.vsphere-network-card", "ethernet0.virtualDev", "vmxnet3").text(
    "Give a worker vmxnet3 cards.", "the card that vSphere does not have to emulate", "D0 41, D3 119"
)
machine.fixed("hypervisor.vsphere-disk-identity", "disk.EnableUUID", True, MAY).text(
    "Let the guest identify each disk.", "no mount takes another disk's place after a restart", "howdah"
)
machine.fixed(
    "hypervisor.vsphere-hardware-version",
    "virtualHW.version",
    20,
    MAY,
    accepts=at_least,
    today="The studies ran version 10, the newest of their time.",
).text(
    "Use a current version of the virtual hardware.",
    "that of vSphere 8.0, the first with virtual hyper-threading",
    "D0 143, D3 124",
)


@machine.setting(
    "hypervisor.vsphere-latency",
    "sched.cpu.latencySensitivity",
    sources="D3 118, D3 123",
    when=Condition(
        "HBase runs on workers that are virtual machines under vSphere",
        lambda facts: facts.request.hbase_used and under_vsphere(facts),
    ),
    today="Since vSphere 8, High gives each vCPU a core of its own, or a thread with virtual "
    "hyper-threading (hardware version 20); it needs all CPU and memory reserved.",
)
def _latency(facts: Facts) -> Decision:
    """Set latency sensitivity to high for HBase."""
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


@host.setting(
    "hypervisor.vsphere-power",
    "Power.CpuPolicy",
    sources="D0 26, D3 117, D1 91, X2",
    accepts=lambda value, decision, facts: value == _POWER[True] or value == decision.value,
)
def _power(facts: Facts) -> Decision:
    """Keep power management on, except for latency-sensitive HBase."""
    if facts.request.hbase_used:
        return Decision(_POWER[True], "HBase's requests are too short for a core to wake up in")
    return Decision(_POWER[False], "sorting keeps cores awake; idle hosts draw half the power")


host.fixed(
    "hypervisor.vsphere-large-pages", "Mem.AllocGuestLargePage", 1, today="On by default since ESX 3.5."
).text(
    "Back guests with large pages.",
    "2 MiB pages below the guest's own: fewer steps for each address",
    "D0 23, D0 19",
)

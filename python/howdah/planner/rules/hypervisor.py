"""The hypervisor: its settings for workers, and what to prepare around it."""

from __future__ import annotations

from howdah.model.inventory import DiskKind, DiskRole
from howdah.model.plan import Input
from howdah.planner.conditions import under_kvm, under_vsphere
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, MUST, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules, at_least
from howdah.units import MIB, format_counted, format_memory

_WHEN = "workers are virtual machines under vSphere"
_POWER = {True: "High Performance", False: "Balanced"}
_ON_ONE_NODE = "under KVM, a worker fits one NUMA node"
_WITHIN_ONE_NODE = Condition(_ON_ONE_NODE, lambda facts: under_kvm(facts) and facts.worker.numa_nodes == 1)


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
        "the worker's part of the host's threads, each of which is assigned once",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


@machine.setting(
    "hypervisor.vsphere-sockets",
    "cpuid.coresPerSocket",
    MAY,
    sources="D0 9, D0 2",
    today="Since vSphere 6.5 the guest's NUMA nodes no longer follow its sockets; this keeps both the same.",
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
        "the worker's part of the memory that the hypervisor leaves",
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
    "the reservation follows the size if it changes",
    "D0 20",
)
machine.fixed("hypervisor.vsphere-preallocation", "sched.mem.prealloc", True, MAY).text(
    "Allocate all memory of a worker when it starts.",
    "pages are allocated at power-on, contiguous, and not while tasks run",
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
        f"{_vcpus(facts)} vCPUs are more than a node's {cores} cores but fit its threads: as "
        "threads they stay near their memory",
        (Input(name="worker.vcpus", value=_vcpus(facts)), Input(name="cores per node", value=cores)),
    )


machine.fixed("hypervisor.vsphere-migration", "numa.memory.gransize", 1024, MAY).text(
    "Make the scheduler slow to move a worker to another NUMA node.",
    "memory moves in larger pieces, so a worker moves only if that pays off",
    "D0 8, X1",
)
machine.fixed("hypervisor.vsphere-storage-controller", "scsi0.virtualDev", "pvscsi").text(
    "Attach data disks to paravirtual SCSI controllers.",
    "the lowest CPU time for each disk request of a worker",
    "D0 31",
)
machine.fixed("hypervisor.vsphere-network-card", "ethernet0.virtualDev", "vmxnet3").text(
    "Give a worker vmxnet3 cards.", "the card that vSphere does not have to emulate", "D0 41, D3 119"
)
machine.fixed("hypervisor.vsphere-disk-identity", "disk.EnableUUID", True, MAY).text(
    "Let the guest identify each disk.",
    "after a restart no disk is mounted in another disk's place",
    "howdah",
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
    "the version of vSphere 8.0, the first with virtual hyper-threading",
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
    today="Since vSphere 8, High gives each vCPU its own core, or a thread with virtual "
    "hyper-threading (hardware version 20); it needs all CPU and memory reserved.",
)
def _latency(facts: Facts) -> Decision:
    """Set latency sensitivity to high for HBase."""
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


@host.setting(
    "hypervisor.vsphere-power",
    "Power.CpuPolicy",
    sources="D0 26, D3 117, D1 91, X2",
    accepts=lambda value, decision, facts: value == _POWER[True] or value == decision.value,
)
def _power(facts: Facts) -> Decision:
    """Keep power management on, except for latency-sensitive HBase."""
    if facts.request.hbase_used:
        return Decision(_POWER[True], "HBase's requests are shorter than the time a core takes to wake up")
    return Decision(_POWER[False], "sorting keeps cores awake; idle hosts draw half the power")


host.fixed(
    "hypervisor.vsphere-large-pages", "Mem.AllocGuestLargePage", 1, today="On by default since ESX 3.5."
).text(
    "Back guests with large pages.",
    "2 MiB pages below the guest's own: fewer steps for each address",
    "D0 23, D0 19",
)
domain = rules.under(
    file="kvm.xml", scope=Scope.WORKER, when=Condition("workers are virtual machines under KVM", under_kvm)
)


@domain.setting("hypervisor.kvm-vcpus", "vcpu", MUST, sources="D0 20, D1 90")
def _kvm_cpus(facts: Facts) -> Decision:
    """Give out every thread of a host once, and none twice."""
    return Decision(
        _vcpus(facts),
        "the worker's part of the host's threads, each of which is assigned once",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


domain.fixed(
    "hypervisor.kvm-cpu-placement",
    "vcpu.@placement",
    "auto",
    when=_WITHIN_ONE_NODE,
    today="Linux has no scheduler of NUMA clients as vSphere has. Where the host's distribution has no "
    "numad any more, name a node for each machine instead (cpuset, nodeset).",
).text(
    "Let numad choose the NUMA node of each worker; pin none by hand.",
    "each machine gets a node with room when it starts, so one definition fits all",
    "D0 8, D2 106, X1",
)
domain.fixed("hypervisor.kvm-numa-mode", "numatune.memory.@mode", "strict", when=_WITHIN_ONE_NODE).text(
    "Take memory only from the NUMA node that a worker runs on.",
    "a failed start shows that the node is full; partly remote memory would go unnoticed",
    "D0 2, D2 106",
)
domain.fixed(
    "hypervisor.kvm-numa-placement", "numatune.memory.@placement", "auto", when=_WITHIN_ONE_NODE
).text("Take memory where numad puts the CPUs.", "the same advice as for the CPUs", "D0 2, D0 8")


@domain.setting("hypervisor.kvm-memory", "memory", MUST, sources="D0 18, D0 16")
def _kvm_memory(facts: Facts) -> Decision:
    """Size a worker so that all workers fit in what the host leaves."""
    return Decision(
        facts.worker.memory_bytes // MIB,
        "the worker's part of the memory that the host leaves",
        (Input(name="worker.memory", value=facts.worker.memory_bytes, unit="B"),),
    )


domain.fixed("hypervisor.kvm-memory-unit", "memory.@unit", "MiB", MUST).text(
    "Give memory in MiB.", "libvirt's default is KiB", "libvirt"
)
domain.fixed("hypervisor.kvm-huge-pages", "memoryBacking.hugepages", True).text(
    "Back guests with huge pages of the host.",
    "fewer steps for each address, and such pages are never swapped or merged",
    "D0 23, D0 20",
)
domain.fixed("hypervisor.kvm-no-merging", "memoryBacking.nosharepages", True, MAY).text(
    "Keep the host from merging equal pages.",
    "heaps have no equal pages, and searching for them takes CPU time",
    "D0 20",
)
domain.fixed("hypervisor.kvm-preallocation", "memoryBacking.allocation.@mode", "immediate").text(
    "Allocate all memory of a worker when it starts.",
    "a worker that does not fit fails to start, instead of its tasks failing later",
    "D0 20",
)
domain.fixed("hypervisor.kvm-no-balloon", "devices.memballoon.@model", "none").text(
    "Give workers no balloon.", "all memory belongs to the worker and is not reclaimed", "D0 20, D0 19"
)
domain.fixed("hypervisor.kvm-cpu-model", "cpu.@mode", "host-passthrough").text(
    "Show the guest the host's own processor.",
    "Java and compression use every instruction that the processor has",
    "howdah",
)


def _kvm_sockets(facts: Facts) -> int:
    nodes = facts.worker.numa_nodes or 1
    return nodes if _vcpus(facts) % nodes == 0 else 1


@domain.setting("hypervisor.kvm-guest-sockets", "cpu.topology.@sockets", MAY, sources="D0 9, D0 2")
def _guest_sockets(facts: Facts) -> Decision:
    """Show the guest as many sockets as NUMA nodes it draws on."""
    return Decision(_kvm_sockets(facts), "one for each NUMA node that the worker draws on")


@domain.setting("hypervisor.kvm-guest-cores", "cpu.topology.@cores", MAY, sources="D0 9")
def _guest_cores(facts: Facts) -> Decision:
    """Show the guest its virtual CPUs as cores."""
    return Decision(
        _vcpus(facts) // _kvm_sockets(facts),
        "every virtual CPU is shown as a core: it is not tied to one thread of one core",
        (Input(name="worker.vcpus", value=_vcpus(facts)),),
    )


domain.fixed("hypervisor.kvm-guest-threads", "cpu.topology.@threads", 1, MAY).text(
    "Show the guest one thread for each core.",
    "virtual CPUs move between threads, so pairing them would mislead the guest",
    "D0 9",
)


@domain.setting("hypervisor.kvm-io-threads", "iothreads", MAY, sources="D0 31, howdah")
def _threads(facts: Facts) -> Decision:
    """Give each data disk an I/O thread."""
    disks = max(1, facts.worker.data_disks or 1)
    return Decision(
        disks,
        "one for each data disk, set in its driver: no disk waits for another's requests",
        (Input(name="worker.data_disks", value=disks),),
    )


domain.fixed("hypervisor.kvm-disk-type", "devices.disk.@type", "block").text(
    "Pass whole disks through as block devices.",
    "no file system of the host lies between HDFS and its disks; this pattern applies to each",
    "D0 31, D0 30",
)
domain.fixed("hypervisor.kvm-disk-format", "devices.disk.driver.@type", "raw").text(
    "Use disks raw.", "an image format would write twice", "D0 31"
)
domain.fixed("hypervisor.kvm-disk-cache", "devices.disk.driver.@cache", "none").text(
    "Bypass the host's cache.", "the guest caches; caching twice halves the use of memory", "D0 24, howdah"
)
domain.fixed("hypervisor.kvm-disk-io", "devices.disk.driver.@io", "native", MAY).text(
    "Use the kernel's own asynchronous I/O for disks.",
    "fewer threads and switches for each request than the default",
    "howdah",
)
domain.fixed("hypervisor.kvm-disk-bus", "devices.disk.target.@bus", "virtio").text(
    "Attach disks by virtio.",
    "the bus that the host does not have to emulate, with an I/O thread for each disk",
    "D0 31",
)
domain.fixed("hypervisor.kvm-network-card", "devices.interface.model.@type", "virtio").text(
    "Give a worker virtio cards.", "the card that the host does not have to emulate", "D0 41, D3 119"
)
domain.fixed("hypervisor.kvm-network-driver", "devices.interface.driver.@name", "vhost").text(
    "Let the host's kernel move packets.",
    "no packet passes through the emulator's process: less delay for each replica",
    "D0 47, howdah",
)
domain.fixed("hypervisor.kvm-network-queues", "devices.interface.driver.@queues", 1, MAY).text(
    "Use one queue in a virtual network card.",
    "more queues gain only in the largest machines; measure before you add one",
    "D0 38, D3 119",
)


_HUGE_PAGE = 2 * MIB
_UNDER_VSPHERE = Condition("workers are virtual machines under vSphere", under_vsphere)


rules.advice(
    "hypervisor.choose",
    MUST,
    sources="howdah",
    when=Condition(
        "workers are virtual machines and no hypervisor is chosen",
        lambda facts: facts.request.dividing is None and facts.cluster.virtual,
    ),
).text(
    "Choose the hypervisor that divides the hosts.",
    "Workers are virtual machines, and no hypervisor is chosen: pass --hypervisor vsphere or kvm to "
    "get its settings, or none for workers that are whole hosts.",
)


@rules.advice(
    "hypervisor.vsphere-raw-disks",
    sources="D0 31, D3 123, D2 112",
    when=_UNDER_VSPHERE,
    today="The studies also held the SAS driver to one interrupt; today's drivers need no such limit.",
)
def _raw_disks(facts: Facts) -> str:
    """Hand data disks through whole."""
    if _all_nvme(facts):
        return (
            f"Pass each of a worker's {facts.worker.data_disks or 0} NVMe drives through to it as a PCI "
            "device (DirectPath I/O), or give it one VMDK for each drive on a virtual NVMe controller."
        )
    return (
        f"Pass each of a worker's {facts.worker.data_disks or 0} data disks through whole: a physical raw "
        "device mapping, or one VMDK that fills a datastore on one disk. Spread them over up to four "
        "PVSCSI controllers."
    )


def _all_nvme(facts: Facts) -> bool:
    return {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA} == {DiskKind.NVME}


rules.advice("hypervisor.vsphere-no-pinning", sources="D0 8, X1, D1 89, D2 106", when=_UNDER_VSPHERE).text(
    "Leave the placement on NUMA nodes to the scheduler.",
    "Set no CPU affinity and no NUMA node by hand: ESXi places workers that fit a node, and a pinned "
    "worker cannot move when its host's load changes.",
)


rules.advice("hypervisor.vsphere-memory-state", sources="D0 19", when=_UNDER_VSPHERE).text(
    "Keep every host in the memory state `high`.",
    "Check in esxtop (m) that every host stays in the memory state `high` under load: below it ESXi "
    "splits large pages, and every access to memory costs more.",
)


@rules.advice(
    "hypervisor.templates",
    MAY,
    sources="D0 72, D2 114",
    when=Condition("workers are virtual machines", lambda facts: facts.cluster.virtual),
)
def _template(facts: Facts) -> str:
    """Clone workers from a template."""
    kinds = len(facts.cluster.kinds)
    return (
        f"Make {'one template' if kinds == 1 else f'{kinds} templates'} and clone workers from it: a "
        "standard size fits hosts of several sizes well, and all workers stay identical."
    )


@rules.advice(
    "hypervisor.kvm-host-pages",
    MUST,
    sources="D0 23, D0 20",
    when=Condition("workers are virtual machines under KVM", under_kvm),
)
def _host_pages(facts: Facts) -> str:
    """Set huge pages aside for guests of KVM."""
    size = facts.worker.memory_bytes
    return (
        f"Reserve huge pages when a KVM host starts: {size // _HUGE_PAGE:,} of 2 MiB for each worker of "
        f"{format_memory(size)}, evenly over the NUMA nodes (hugepages= on the kernel's command line); "
        "turn KSM off."
    )


@rules.advice(
    "hypervisor.kvm-guest-nodes",
    sources="D0 9",
    when=Condition(
        "under KVM, a worker draws on several NUMA nodes",
        lambda facts: under_kvm(facts) and (facts.worker.numa_nodes or 1) > 1,
    ),
)
def _guest_nodes(facts: Facts) -> str:
    """Show a guest the NUMA nodes that it draws on."""
    return (
        f"A worker draws on {facts.worker.numa_nodes} NUMA nodes, which a guest of KVM sees only if "
        "configured: define as many <cell>s under <cpu><numa> and bind each with <memnode>, or divide the "
        "host into more workers."
    )

"""Rules about dividing a host into workers: CPU, NUMA nodes, disks, and how many workers there should be."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input
from howdah.planner.conditions import with_hbase, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import Counsel, Inspection, Rule, Severity

READY_SHARE = 0.05
"""The share of time a virtual machine may wait for a CPU before it matters (RULES 22)."""


def _overcommitted(facts: Facts) -> bool:
    return facts.request.overcommit and not facts.request.hbase_used


FITS_NUMA_NODE = Rule(
    id="platform.fits-numa-node",
    says="A worker's CPUs and memory fit one NUMA node, so that all its memory is local.",
    sources=("D0 2", "D0 4", "D0 15", "D2 106", "X3"),
    condition="hosts with several NUMA nodes",
    today="On hosts that are not divided NodeManagers bind each container to a node since Hadoop 3.1.",
)
PREFER_HT = Rule(
    id="platform.prefer-ht",
    says="A worker with more vCPUs than a NUMA node has cores stays on it only with numa.vcpu.preferHT.",
    sources=("D0 7",),
    condition="virtual machines with more virtual CPUs than a NUMA node has cores",
    today="KVM has no such option: the domain is bound to one node instead.",
)
FEW_DISKS = Rule(
    id="platform.few-disks",
    says="A DataNode owns a small number of spinning disks, preferably five or fewer.",
    sources=("D0 3", "D0 4", "D2 111"),
    condition="spinning disks, paper profile",
    today="Measured with Hadoop 1 and 2. Since 3.4 a DataNode has a lock for each disk, not one for all "
    "(HDFS-16534): for it, and for SSDs and NVMe disks, it weighs nothing.",
)
WORKERS_PER_SOCKET = Rule(
    id="platform.workers-per-socket",
    says="Two-socket hosts carry two to ten workers, at best four; four-socket hosts carry twice as many.",
    sources=("D0 1", "D0 13"),
    condition="virtual machines that run MapReduce",
    applies=with_mapreduce,
    today="Measured with spinning disks; with SSDs and NVMe it weighs nothing.",
)
ONE_VM = Rule(
    id="platform.one-vm",
    says="MapReduce takes longer in one virtual machine as large as the host than on the host itself.",
    sources=("D0 10", "D0 149", "D2 99"),
    condition="one virtual machine per host that runs MapReduce",
    applies=with_mapreduce,
)
REPLICA_BALANCE = Rule(
    id="platform.replica-balance",
    says="The more DataNodes, the more unevenly blocks fall on them, and phases wait for the fullest.",
    sources=("D0 11", "D0 151", "D0 152"),
)
SLOTS_TO_TUNE = Rule(
    id="platform.slots-to-tune",
    says="A worker has more than one task slot of each kind, or its concurrency cannot be tuned.",
    sources=("D0 11", "D0 12"),
    condition="MapReduce",
    applies=with_mapreduce,
)
GUEST_MEMORY = Rule(
    id="platform.guest-memory",
    says="Every worker spends memory on an operating system and daemons of its own.",
    sources=("D3 122", "howdah"),
)
ALIKE = Rule(
    id="platform.alike",
    says="Workers have equally many disks: HDFS spreads replicas evenly, so fewer disks make it slower.",
    sources=("D2 107",),
)
MASTER_PLACE = Rule(
    id="platform.master-place",
    says="A worker's place is large enough for a master, so that making room for one costs one place.",
    sources=("D0 17", "D0 58"),
    severity=Severity.MAY,
    condition="virtual machines",
)
HBASE_ONE = Rule(
    id="platform.hbase-one",
    says="HBase runs one worker per host: the simplest, and the most of the memory is left for its caches.",
    sources=("D3 122", "X3"),
    condition="HBase",
    applies=with_hbase,
)
HBASE_VIRTUAL = Rule(
    id="platform.hbase-virtual",
    says="HBase in virtual machines takes somewhat longer than on the hosts themselves.",
    sources=("D3 116", "D3 125"),
    condition="HBase",
    applies=with_hbase,
)
HYPERVISOR = Rule(
    id="platform.hypervisor",
    says="Hosts are divided by the hypervisor that is asked for, and not at all where none is.",
    sources=("howdah",),
    severity=Severity.MUST,
)
NATIVE = Rule(
    id="platform.native",
    says="Without a hypervisor the host is the worker: it has all threads, memory and data disks.",
    sources=("D0 17", "D0 50"),
)
DISK_EACH = Rule(
    id="platform.disk-each",
    says="Every worker owns at least one data disk.",
    sources=("D0 12", "D0 16", "D0 31"),
    severity=Severity.MUST,
)
DISKS_DIVIDE = Rule(
    id="platform.disks-divide",
    says="Data disks go whole to workers, equally many, or one more to some where they do not divide.",
    sources=("D0 16", "D0 30", "D2 107"),
    severity=Severity.MUST,
)
CORE_EACH = Rule(
    id="platform.core-each",
    says="Every worker has at least the threads of one core.",
    sources=("D0 16", "D0 21"),
    severity=Severity.MUST,
)
NUMA_DIVIDE = Rule(
    id="platform.numa-divide",
    says="No worker straddles the border of NUMA nodes that it shares with others.",
    sources=("D0 2", "D0 8", "X1"),
    severity=Severity.MUST,
    today="Workers are sized so that the hypervisor's scheduler can place them (X1), not pinned by hand.",
)
THREADS_COMMITTED = Rule(
    id="platform.threads-committed",
    says="Virtual CPUs commit the host's threads exactly; more are given only where that was asked for.",
    sources=("D0 20", "D0 21", "D1 90"),
)
SPARE_CORE = Rule(
    id="platform.spare-core",
    says="Where HBase runs, one core's threads are left to the hypervisor.",
    sources=("D3 123",),
    condition="virtual machines that run HBase",
    applies=with_hbase,
    today="With latency sensitivity High, vSphere 8 gives each virtual CPU a core of its own "
    "unless virtual hyper-threading is on.",
)
DATA_DISKS = Rule(
    id="platform.data-disks",
    says="Every data disk is passed whole to one worker, which mounts it on its own: no RAID, no striping.",
    sources=("D0 30", "D0 31", "D4 128"),
)
SLOTS = Rule(
    id="platform.slots",
    says="Where only TeraSort runs, at least one map and one reduce task at once for each core and each "
    "spinning data disk; of other jobs as many tasks as threads; as far as threads and memory allow.",
    sources=("D0 50", "D0 25", "D4 129"),
    condition="MapReduce",
    applies=with_mapreduce,
    today="YARN has no slots (X11): this many map and this many reduce containers fit a worker at once.",
)

SIMULATED = Rule(
    id="platform.simulated",
    says="Of platforms that a calibrated simulation can distinguish, the faster is chosen; where it cannot "
    "tell, the other rules decide.",
    sources=("howdah",),
    condition="platforms ranked by simulation",
    applies=with_mapreduce,
)


def _advise_overcommit(facts: Facts) -> str | None:
    return (
        "Virtual CPUs may be over-committed, as asked: keep each virtual machine's ready time below "
        f"{READY_SHARE:.0%}. It helps small workers with a single replica, nothing else that was measured."
    )


OVERCOMMIT = Counsel(
    id="platform.overcommit",
    says="Where virtual CPUs are over-committed, each virtual machine's ready time stays below 5 %.",
    sources=("D0 21", "D0 22"),
    condition="--overcommit, without HBase",
    applies=_overcommitted,
    tell=_advise_overcommit,
)


def _hyper_threading(reading: Reading, facts: Facts) -> Iterator[Observation]:
    if reading.host is None:
        return
    cpu = reading.host.cpu
    inputs = (Input(name="cores", value=cpu.cores), Input(name="threads", value=cpu.threads))
    seen = f"{cpu.cores} cores, {cpu.threads} threads"
    if cpu.threads > cpu.cores:
        yield Observation(True, "Hyper-Threading", seen, "two threads on every core", inputs=inputs)
    elif reading.host.virtualisation.is_virtual:
        # A guest sees the virtual CPUs it was given, whatever the cores below them do.
        yield Observation(None, "Hyper-Threading", seen, "a probe of the physical host", inputs=inputs)
    elif cpu.architecture != "x86_64":
        yield Observation(None, "Hyper-Threading", seen, "whether this processor has it", inputs=inputs)
    else:
        yield Observation(
            False,
            "Hyper-Threading",
            seen,
            "two threads on every core",
            fix="turn Hyper-Threading (SMT) on in the firmware and drop nosmt from the kernel's command line",
            inputs=inputs,
        )


HYPER_THREADING = Inspection(
    id="platform.hyper-threading",
    says="Hyper-Threading is on.",
    sources=("D0 26", "D1 91", "D2 109"),
    condition="a probed host",
    inspect=_hyper_threading,
    today="Some turn it off against side channels between threads (L1TF, MDS), which matter between owners.",
)


def _ready_time(reading: Reading, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or not reading.host.virtualisation.is_virtual:
        return
    share = reading.host.virtualisation.steal_share
    right = f"below {READY_SHARE:.0%} of CPU time"
    if share is None:
        yield Observation(
            None, "stolen CPU time", "not counted", "the ready time in the hypervisor's own figures"
        )
        return
    yield Observation(
        share < READY_SHARE,
        "stolen CPU time",
        f"{share:.1%} of CPU time since boot",
        right,
        fix="give the host's virtual machines no more virtual CPUs together than it has threads",
        inputs=(Input(name="steal share", value=share),),
    )


READY_TIME = Inspection(
    id="platform.ready-time",
    says="A virtual machine waits for a CPU less than 5 % of the time.",
    sources=("D0 22",),
    condition="a probed virtual machine",
    inspect=_ready_time,
)

RULES: tuple[Rule, ...] = (
    FITS_NUMA_NODE,
    PREFER_HT,
    FEW_DISKS,
    WORKERS_PER_SOCKET,
    ONE_VM,
    REPLICA_BALANCE,
    SLOTS_TO_TUNE,
    GUEST_MEMORY,
    ALIKE,
    MASTER_PLACE,
    HBASE_ONE,
    HBASE_VIRTUAL,
    HYPERVISOR,
    NATIVE,
    DISK_EACH,
    DISKS_DIVIDE,
    CORE_EACH,
    NUMA_DIVIDE,
    THREADS_COMMITTED,
    SPARE_CORE,
    DATA_DISKS,
    SLOTS,
    SIMULATED,
    OVERCOMMIT,
    HYPER_THREADING,
    READY_TIME,
)

"""Rules about dividing a host into workers: CPU, NUMA nodes, disks, and how many workers there should be."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input
from howdah.planner.conditions import with_hbase, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import MAY, MUST
from howdah.planner.rules.declare import Condition, Rules
from howdah.units import format_percent

READY_SHARE = 0.05
"""The share of time a virtual machine may wait for a CPU before it matters (RULES 22)."""
rules = Rules()

FITS_NUMA_NODE = rules.principle(
    "platform.fits-numa-node",
    "A worker's CPUs and memory fit one NUMA node, so that all its memory is local.",
    sources="D0 2, D0 4, D0 15, D2 106, X3",
    when="hosts with several NUMA nodes",
    today="On hosts that are not divided NodeManagers bind each container to a node since Hadoop 3.1.",
)
PREFER_HT = rules.principle(
    "platform.prefer-ht",
    "A worker with more vCPUs than a NUMA node has cores stays on it only with numa.vcpu.preferHT.",
    sources="D0 7",
    when="virtual machines with more virtual CPUs than a NUMA node has cores",
    today="KVM has no such option: the domain is bound to one node instead.",
)
FEW_DISKS = rules.principle(
    "platform.few-disks",
    "A DataNode owns a small number of spinning disks, preferably five or fewer.",
    sources="D0 3, D0 4, D2 111",
    when="spinning disks, paper profile",
    today="Measured with Hadoop 1 and 2. Since 3.4 a DataNode has a lock for each disk, not one for all "
    "(HDFS-16534): for it, and for SSDs and NVMe disks, it weighs nothing.",
)
WORKERS_PER_SOCKET = rules.principle(
    "platform.workers-per-socket",
    "Two-socket hosts carry two to ten workers, at best four; four-socket hosts carry twice as many.",
    sources="D0 1, D0 13",
    when=Condition("virtual machines that run MapReduce", with_mapreduce),
    today="Measured with spinning disks; with SSDs and NVMe it weighs nothing.",
)
ONE_VM = rules.principle(
    "platform.one-vm",
    "MapReduce takes longer in one virtual machine as large as the host than on the host itself.",
    sources="D0 10, D0 149, D2 99",
    when=Condition("one virtual machine per host that runs MapReduce", with_mapreduce),
)
REPLICA_BALANCE = rules.principle(
    "platform.replica-balance",
    "The more DataNodes, the more unevenly blocks fall on them, and phases wait for the fullest.",
    sources="D0 11, D0 151, D0 152",
)

_WITH_MAPREDUCE = Condition("MapReduce", with_mapreduce)

SLOTS_TO_TUNE = rules.principle(
    "platform.slots-to-tune",
    "A worker has more than one task slot of each kind, or its concurrency cannot be tuned.",
    sources="D0 11, D0 12",
    when=_WITH_MAPREDUCE,
)
GUEST_MEMORY = rules.principle(
    "platform.guest-memory",
    "Every worker needs memory for its operating system and daemons.",
    sources="D3 122, howdah",
)
ALIKE = rules.principle(
    "platform.alike",
    "Workers have equally many disks: HDFS spreads replicas evenly, so fewer disks make it slower.",
    sources="D2 107",
)
MASTER_PLACE = rules.principle(
    "platform.master-place",
    "A worker's place is large enough for a master, so that making room for one costs one place.",
    MAY,
    sources="D0 17, D0 58",
    when="virtual machines",
)

_WITH_HBASE = Condition("HBase", with_hbase)

HBASE_ONE = rules.principle(
    "platform.hbase-one",
    "HBase runs one worker per host: the simplest, and the most of the memory is left for its caches.",
    sources="D3 122, X3",
    when=_WITH_HBASE,
)
HBASE_VIRTUAL = rules.principle(
    "platform.hbase-virtual",
    "HBase in virtual machines takes somewhat longer than on the hosts themselves.",
    sources="D3 116, D3 125",
    when=_WITH_HBASE,
)
HYPERVISOR = rules.principle(
    "platform.hypervisor",
    "Hosts are divided by the requested hypervisor, and not at all without one.",
    MUST,
    sources="howdah",
)
NATIVE = rules.principle(
    "platform.native",
    "Without a hypervisor the host is the worker: it has all threads, memory and data disks.",
    sources="D0 17, D0 50",
)
DISK_EACH = rules.principle(
    "platform.disk-each", "Every worker owns at least one data disk.", MUST, sources="D0 12, D0 16, D0 31"
)
DISKS_DIVIDE = rules.principle(
    "platform.disks-divide",
    "Data disks go whole to workers, equally many, or one more for some if they do not divide evenly.",
    MUST,
    sources="D0 16, D0 30, D2 107",
)
CORE_EACH = rules.principle(
    "platform.core-each", "Every worker has at least the threads of one core.", MUST, sources="D0 16, D0 21"
)
NUMA_DIVIDE = rules.principle(
    "platform.numa-divide",
    "No worker straddles the border of NUMA nodes that it shares with others.",
    MUST,
    sources="D0 2, D0 8, X1",
    today="Workers are sized so that the hypervisor's scheduler can place them (X1), not pinned by hand.",
)
THREADS_COMMITTED = rules.principle(
    "platform.threads-committed",
    "Virtual CPUs commit the host's threads exactly; more are given only on request.",
    sources="D0 20, D0 21, D1 90",
)
SPARE_CORE = rules.principle(
    "platform.spare-core",
    "With HBase, one core's threads are left to the hypervisor.",
    sources="D3 123",
    when=Condition("virtual machines that run HBase", with_hbase),
    today="With latency sensitivity High, vSphere 8 gives each virtual CPU its own core unless "
    "virtual hyper-threading is on.",
)
DATA_DISKS = rules.principle(
    "platform.data-disks",
    "Every data disk is passed whole to one worker, which mounts it on its own: no RAID, no striping.",
    sources="D0 30, D0 31, D4 128",
)
SLOTS = rules.principle(
    "platform.slots",
    "With TeraSort alone, at least one concurrent map and one reduce task for each core and each "
    "spinning data disk; with other jobs as many tasks as threads; as far as threads and memory "
    "allow.",
    sources="D0 50, D0 25, D4 129",
    when=_WITH_MAPREDUCE,
    today="YARN has no slots (X11): this many map and this many reduce containers fit a worker at once.",
)
SIMULATED = rules.principle(
    "platform.simulated",
    "The fastest platform is chosen if a calibrated simulation distinguishes it; otherwise the "
    "other rules decide.",
    sources="howdah",
    when=Condition("platforms ranked by simulation", with_mapreduce),
)


OVERCOMMIT = rules.advice(
    "platform.overcommit",
    sources="D0 21, D0 22",
    when=Condition(
        "--overcommit, without HBase", lambda facts: facts.request.overcommit and not facts.request.hbase_used
    ),
).text(
    "Where virtual CPUs are over-committed, each virtual machine's ready time stays below 5 %.",
    "Virtual CPUs may be over-committed, as requested: keep each virtual machine's ready time below "
    f"{100 * READY_SHARE:.0f} %. In measurements it helped only small workers with a single replica.",
)


def _hyper_threading(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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


HYPER_THREADING = rules.inspection(
    "platform.hyper-threading",
    sources="D0 26, D1 91, D2 109",
    when="a probed host",
    today="Some turn it off against side channels between threads (L1TF, MDS), which matter between owners.",
).by("Hyper-Threading is on.", _hyper_threading)


def _ready_time(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or not reading.host.virtualisation.is_virtual:
        return
    share = reading.host.virtualisation.steal_share
    right = f"below {100 * READY_SHARE:.0f} % of CPU time"
    if share is None:
        yield Observation(
            None, "stolen CPU time", "not counted", "the ready time in the hypervisor's own figures"
        )
        return
    yield Observation(
        share < READY_SHARE,
        "stolen CPU time",
        f"{format_percent(share)} of CPU time since boot",
        right,
        fix="give the host's virtual machines no more virtual CPUs together than it has threads",
        inputs=(Input(name="steal share", value=share),),
    )


READY_TIME = rules.inspection("platform.ready-time", sources="D0 22", when="a probed virtual machine").by(
    "A virtual machine waits for a CPU less than 5 % of the time.", _ready_time
)

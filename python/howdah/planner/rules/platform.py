"""Rules about dividing a host into workers: CPU, NUMA nodes, disks, and how many workers there should be."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rules.declare import read_rules
from howdah.units import format_percent

rules = read_rules("platform.toml")

READY_SHARE = 0.05
"""The share of time a virtual machine may wait for a CPU before it matters (RULES 22)."""

FITS_NUMA_NODE = rules["platform.fits-numa-node"]
PREFER_HT = rules["platform.prefer-ht"]
FEW_DISKS = rules["platform.few-disks"]
WORKERS_PER_SOCKET = rules["platform.workers-per-socket"]
ONE_VM = rules["platform.one-vm"]
REPLICA_BALANCE = rules["platform.replica-balance"]


SLOTS_TO_TUNE = rules["platform.slots-to-tune"]
GUEST_MEMORY = rules["platform.guest-memory"]
ALIKE = rules["platform.alike"]
MASTER_PLACE = rules["platform.master-place"]


HBASE_ONE = rules["platform.hbase-one"]
HBASE_VIRTUAL = rules["platform.hbase-virtual"]
HYPERVISOR = rules["platform.hypervisor"]
NATIVE = rules["platform.native"]
DISK_EACH = rules["platform.disk-each"]
DISKS_DIVIDE = rules["platform.disks-divide"]
CORE_EACH = rules["platform.core-each"]
NUMA_DIVIDE = rules["platform.numa-divide"]
THREADS_COMMITTED = rules["platform.threads-committed"]
SPARE_CORE = rules["platform.spare-core"]
DATA_DISKS = rules["platform.data-disks"]
SLOTS = rules["platform.slots"]
SIMULATED = rules["platform.simulated"]


rules.when("--overcommit, without HBase")(
    lambda facts: facts.request.overcommit and not facts.request.hbase_used
)
OVERCOMMIT = rules["platform.overcommit"]


@rules.inspects("platform.hyper-threading")
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


HYPER_THREADING = rules["platform.hyper-threading"]


@rules.inspects("platform.ready-time")
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


READY_TIME = rules["platform.ready-time"]

"""What an administrator asks the planner for; what is left at None is the planner's to choose."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from howdah.model.base import Model
from howdah.model.inventory import Sharing

DEFAULT_HADOOP, DEFAULT_HBASE = "3.5.0", "2.6.4"  # The releases that are planned for unless others are named.


class Hypervisor(StrEnum):
    """What divides hosts into virtual machines."""

    NONE = "none"
    VSPHERE = "vsphere"
    KVM = "kvm"


class Protection(StrEnum):
    """How the masters survive the loss of a host."""

    NONE = "none"
    HA = "ha"
    FT = "ft"


class Profile(StrEnum):
    """``production`` never trades safety for speed; ``paper`` reproduces a study's configuration."""

    PRODUCTION = "production"
    PAPER = "paper"


WorkKind = Literal["mapreduce", "terasuite", "spark", "tez", "ycsb", "storage"]
"""What a cluster can be planned for."""

ON_YARN: frozenset[WorkKind] = frozenset({"mapreduce", "terasuite", "spark", "tez"})
"""Work whose tasks are YARN's containers. MapReduce is set up with all of it: DistCp and Tez's shuffle
are MapReduce's."""


class Demand(Model):
    """One kind of work that the cluster is planned for."""

    kind: WorkKind
    """Jobs of MapReduce as they come, or as the TeraSort suite is one; of Spark; of Hive on Tez; HBase, as
    YCSB loads it; or nothing but files to be kept."""
    dataset_bytes: int | None = None  # Size of TeraSort's dataset.
    records: int | None = None  # Records of 1 kB in HBase's table.


class Override(Model):
    """A value that the user insists on."""

    key: str  # The key: Hadoop's, HBase's or a system's, as a plan's settings name it.
    value: str  # As the user wrote it.


class Growth(Model):
    """How much data there will be."""

    need_bytes: int  # Data to be held today, before replication.
    per_year: float = 0.0  # Growth in a year, 0.4 for 40 %.
    years: int = 0  # How many years the cluster is to last.


class Hadoop1(Model):
    """How Hadoop 1 ran a published study: what no setting of today's releases expresses."""

    heartbeat_s: float  # Time between a TaskTracker's heartbeats, seconds.
    out_of_band: bool = False  # Whether the end of a task was reported at once.
    locality_delay_s: float = 0.0  # How long a job waited for a worker that has its block, seconds.
    jvm_reuse: bool = True  # Whether a task's JVM ran the next task of its job.
    job_queue: bool = False  # Whether its default scheduler, JobQueueTaskScheduler, assigned tasks.
    merge_outputs: Annotated[int, Field(ge=1)] | None = None
    """Map outputs at which a reduce merged what it held (mapred.inmem.merge.threshold); None where memory
    alone decided."""
    sort_records: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of a map's sort buffer for the indexes of its rows (io.sort.record.percent); None where the
    study does not state it, and rows and indexes shared the whole buffer."""
    lockstep: bool | None = None
    """Whether the masters ran in lockstep with a shadow; None where the plan's protection decides."""


class CodedDirectory(Model):
    """A directory of HDFS whose files are erasure-coded."""

    path: str  # The directory, such as ``/archive``.
    policy: str  # The erasure coding policy, such as ``RS-6-3-1024k``.


class PlanRequest(Model):
    """The work, the protection and the limits of a cluster to be planned."""

    workloads: tuple[Demand, ...] = (Demand(kind="terasuite"),)  # What it will run; several are a mix.
    replication: int | None = None  # Replicas of a block.
    hypervisor: Hypervisor | None = None
    """The available hypervisor; None: hosts are used as they are, unless virtual machines are requested."""
    weigh_virtual: bool = False
    """Whether virtual machines are weighed against the hosts themselves although no hypervisor is named."""
    protection: Protection = Protection.NONE  # How masters are protected.
    secure: bool = False  # Kerberos and TLS.
    realm: str | None = None  # The Kerberos realm; made from the hosts' domain where left out.
    profile: Profile = Profile.PRODUCTION  # Whether safety may be traded for a benchmark.
    workers_per_host: int | None = None  # Plan exactly this many workers per host.
    slots: int | None = None  # Plan exactly this many map tasks and as many reduce tasks at once per worker.
    overcommit: bool = False  # Whether more virtual CPUs than threads may be given out.
    hadoop: str = DEFAULT_HADOOP  # The Hadoop release the configuration is for.
    hbase: str = DEFAULT_HBASE  # The HBase release the configuration is for.
    overrides: tuple[Override, ...] = ()  # Values the user insists on.
    file_bytes: int | None = None  # Mean size of the files to be stored.
    growth: Growth | None = None  # Amount of data and its growth, if requested.
    coded: tuple[CodedDirectory, ...] = ()
    """Directories whose files are erasure-coded; all others have replicas."""
    laboratory: bool = False
    """Whether it is for a lab, whose RegionServers may be smaller than useful on other hosts."""
    hadoop1: Hadoop1 | None = None  # How Hadoop 1 ran it, where the plan repeats a published study.
    sharing: Sharing | None = None
    """What it has of hosts that other clusters use, too; None where they are its own."""

    def machine(self, suffix: str) -> str:
        """The end of a virtual machine's name: with the cluster's name before it where hosts are shared."""
        return f"{self.sharing.cluster}-{suffix}" if self.sharing is not None else suffix

    @property
    def dividing(self) -> Hypervisor | None:
        """What divides hosts: the hypervisor named, or vSphere, which alone has Fault Tolerance."""
        if self.hypervisor is None and self.protection is Protection.FT:
            return Hypervisor.VSPHERE
        return self.hypervisor

    @property
    def weighs_virtual(self) -> bool:
        """Whether virtual machines were asked for: by name, by a number of workers, or to be weighed."""
        if self.dividing is not None:
            return self.dividing is not Hypervisor.NONE
        return self.weigh_virtual or (self.workers_per_host or 1) > 1

    @property
    def mapreduce(self) -> bool:
        """Whether YARN runs on the cluster, and MapReduce with it."""
        return bool(self.kinds & ON_YARN)

    @property
    def kinds(self) -> frozenset[WorkKind]:
        return frozenset(demand.kind for demand in self.workloads)

    @property
    def sorts_only(self) -> bool:
        """Whether its jobs are TeraSort's, which are fastest where map output stays in the page cache."""
        return self.kinds & ON_YARN == {"terasuite"}

    @property
    def spark_used(self) -> bool:
        return "spark" in self.kinds

    @property
    def tez_used(self) -> bool:
        """Whether Hive runs on the cluster, on Tez."""
        return "tez" in self.kinds

    @property
    def hbase_used(self) -> bool:
        return "ycsb" in self.kinds

    @property
    def dataset_bytes(self) -> int | None:
        """The largest dataset to be sorted, where one was given."""
        sizes = [demand.dataset_bytes for demand in self.workloads if demand.dataset_bytes]
        return max(sizes, default=None)

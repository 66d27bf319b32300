"""What a run keeps of a Hadoop cluster: the cluster, HBase, jobs, Spark applications, blocks and losses."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from howdah.model.base import Model

DEFAULT_LAB = "lab"  # The name of a lab unless another is given.
LAB_CLIENT = "client"  # The machine of a lab where jobs are submitted.


class KillMode(StrEnum):
    """The end of a machine's processes, as other machines see it."""

    PROCESS = "process"  # The kernel closes their connections and refuses new ones at once.
    HOST = "host"  # Its link goes down first, so that no packet leaves it: like a loss of power.


class Isolation(Model):
    """One property of the planned cluster that a lab reproduces, or cannot."""

    what: str  # The part: ``CPU``, ``memory``, ``uplink``, ``disks``, ``network``, ``names`` …
    kept: bool  # Whether it follows the plan.
    how: str  # By which means and to which value, or what is lost and why.


class Scaling(Model):
    """One quantity of a planned host, and its value on the lab's host."""

    what: str  # The quantity: ``hosts``, ``threads per host``, ``memory per host`` …
    planned: float  # Planned value, in SI base units.
    lab: float  # Value in the lab, in SI base units.
    unit: str = ""  # ``B``, ``bit/s``, ``B/s`` or nothing.


class Deviation(Model):
    """A property that is not as rendered, because this machine is not the planned host."""

    key: str  # Hadoop's key.
    planned: str  # As rendered; empty where it was not.
    used: str  # As used.
    why: str  # Why, in a sentence.


class LaboratoryBeside(Model):
    """Another lab on the same hosts, as it was when a run started."""

    name: str  # Its name.
    at_work: bool
    """Whether other processes than daemons ran in it: tasks, clients, shells, or a howdah that queried it."""


class Laboratory(Model):
    """A lab as it was built: what matches the planned cluster and what does not."""

    name: str  # Its name.
    rootless: bool  # Whether it was built without root, on loopback addresses.
    isolation: tuple[Isolation, ...]  # What follows the plan and what cannot.
    scaling: tuple[Scaling, ...] = ()  # How much smaller than the plan it is; empty where it is as planned.
    deviations: tuple[Deviation, ...] = ()  # Properties that are not as rendered.
    beside: tuple[LaboratoryBeside, ...] = ()  # Labs on the same hosts at the start of the run.
    machine: str | None = None
    """Name in samples of the machine that runs the lab, which is not a host of the plan; none if it was not
    sampled.
    """


class ClusterState(Model):
    """A cluster before anything ran on it."""

    hadoop_version: str  # The NameNode's release.
    client_version: str  # The release of the client's jars.
    default_fs: str  # fs.defaultFS.
    work_dir: str  # The directory in HDFS below which everything was written.
    secure: bool = False  # Whether Kerberos is required.
    free_bytes: int  # Free space of HDFS, all replicas counted.
    capacity_bytes: int  # Space of HDFS, all replicas counted.
    datanodes: tuple[str, ...]  # Live DataNodes by host name.
    nodemanagers: tuple[str, ...]  # Running NodeManagers by host name.
    queue: str  # The scheduler's queue that jobs go to.
    patience: dict[str, str] = Field(default_factory=dict)
    """How long YARN waits for daemons that are silent: properties as the ResourceManager runs with them."""
    lab: Laboratory | None = None  # How it was built, if it is a lab of howdah.


class CounterValue(Model):
    """A job's counter."""

    map: int  # Over its map tasks.
    reduce: int  # Over its reduce tasks.
    total: int  # Over the job; of some counters more than both.


class AppMasterStart(Model):
    """One application master of a job: another one begins where the one before it was lost."""

    number: int  # Which one, from 1.
    worker: str  # The worker that it ran on.
    started_s: float  # When it began, seconds since the start of the run.


class HadoopJob(Model):
    """One MapReduce job as Hadoop reports it, or one Spark application."""

    id: str  # ``job_1700000000000_0001``, of Spark ``application_1700000000000_0001``.
    name: str  # Its name.
    queue: str  # The queue it went to.
    told_by: Literal[
        "history file", "history server", "application master", "client", "simulator", "event log"
    ]  # The source of its tasks and counters: of a real job the first that answered, in this order.
    submitted_s: float  # Seconds since the start of the run.
    started_s: float | None = None  # When its application master began, seconds since the start of the run.
    masters: tuple[AppMasterStart, ...] = ()
    """Its application masters, the first one first; empty where none is reported."""
    finished_s: float | None = None  # Its end as Hadoop reports it, seconds since the start of the run.
    counters: dict[str, CounterValue] = Field(default_factory=dict)
    """Every counter by ``Group.NAME``, the group without its package: ``TaskCounter.SPILLED_RECORDS``."""
    conf: dict[str, str] = Field(default_factory=dict)
    """The job's properties that analysis and readers ask about, as it ran."""
    diagnostics: str | None = None  # Why it failed.


class ReplicaSpread(Model):
    """Where the blocks below one directory are, by the NameNode's fsck."""

    path: str  # The directory.
    blocks: int  # Blocks.
    replicas: int  # Replicas of them all.
    bytes: int  # Bytes, each once.
    per_worker: dict[str, int]  # Replicas on each worker, workers with none included.
    sharing_host: int
    """Blocks with two or more replicas on one host; of coded ones, with more units than may be lost."""
    under_replicated: int  # Blocks with fewer replicas than requested.
    missing: int  # Blocks without any replica.
    policy: str | None = None
    """The erasure coding policy of these files: blocks are block groups, and replicas their units."""
    stored_bytes: int | None = None
    """Bytes on disks, with all replicas and parity, as the NameNode counts them."""


class MemberChange(Model):
    """A machine that joined the cluster during a run, or began to leave it in good order."""

    time_s: float  # When it was noticed, seconds since the start of the run.
    machine: str  # Which.
    what: Literal["joined", "leaving"]  # What it did.
    level: Literal["host", "worker", "master"] | None = None
    """What it is in the plan; none for one that leaves, which the plan has."""
    host: str | None = None  # The host it is on.
    rack: str | None = None  # The host's rack.


EventKind = Literal[
    "datanode-lost", "datanode-given-up", "datanode-back", "datanode-drained",
    "nodemanager-lost", "nodemanager-given-up", "nodemanager-back", "nodemanager-drained",
    "namenode-lost", "namenode-back", "namenode-failover",
    "resourcemanager-lost", "resourcemanager-back", "resourcemanager-failover",
]  # fmt: skip


class Event(Model):
    """Something that happened to the cluster during a run.

    A daemon that stops answering is ``lost`` when that is noticed, and ``given-up`` once Hadoop reports that.
    """

    time_s: float  # When it was noticed, seconds since the start of the run.
    worker: str  # Where.
    kind: EventKind  # What.
    text: str  # In words, with Hadoop's own message.
    seen_s: float | None = None
    """When a daemon that was lost last gave a sign of life, seconds since the start of the run."""
    held_bytes: int | None = None
    """Bytes on the disks of a DataNode that was given up or drained, blocks to be deleted included."""
    since_s: float | None = None
    """When a DataNode that was drained was first seen to drain, seconds since the start of the run."""
    was: str | None = None  # What a master that was lost had been: ``active`` or ``standby``.


class HBaseServer(Model):
    """A RegionServer as the active master reports it."""

    host: str  # The name that it gave.
    port: int  # Where clients ask it.
    info_port: int  # Of its web server, which has /jmx.
    regions: int  # How many regions it serves.
    heap_bytes: int  # The most that its heap may take.


class HBaseMaster(Model):
    """The active master."""

    host: str  # The name that it gave.
    port: int  # Where RegionServers and clients ask it.
    info_port: int  # Of its web server, which has /jmx.


class HBaseStatus(Model):
    """HBase as its active master reports it."""

    version: str  # The release that it runs.
    master: HBaseMaster  # Who is active.
    servers: tuple[HBaseServer, ...]  # The RegionServers that are live.
    dead: tuple[str, ...]  # RegionServers that were there and are gone.
    in_transition: int  # Regions without a server at the moment.
    balancer: bool  # Whether regions may be moved at any time.


OF_ONE_STAGE = 100  # The attempts at tasks of a stage's second attempt are numbered from here on.


class SparkExecutorRun(Model):
    """One executor, as the driver saw it."""

    id: str  # Spark's number of it.
    worker: str  # Worker it ran on.
    cores: int  # Tasks that it runs at once.
    start_s: float  # Seconds since the start of the run at which it registered.
    end_s: float | None = None
    """Seconds since the start of the run at which it was removed; none if it stayed to the end."""
    removal_reason: str = ""  # Why it was removed, in Spark's words.
    heap_bytes: int | None = None  # Its heap as requested.
    peak_heap_bytes: int | None = None  # The largest use of its heap that it reported.
    peak_resident_bytes: int | None = None  # The largest resident memory of its processes that it reported.


class SparkStageRun(Model):
    """One attempt of a stage with the sums over its tasks that succeeded."""

    id: int  # Spark's number of the stage.
    attempt: int  # Number of the attempt, 0 for the first.
    name: str  # The call that it computes, in Spark's words.
    what: str = ""  # The description of its job, such as the query.
    parents: tuple[int, ...] = ()  # Stages whose output it reads.
    start_s: float  # Seconds since the start of the run at which it was submitted.
    end_s: float  # Seconds since the start of the run at which it ended, or the log does.
    failure: str = ""  # Why it failed; empty if it did not.
    tasks: int  # Tasks of it.
    run_s: float = 0.0  # Seconds that executors ran its tasks.
    cpu_s: float = 0.0  # CPU seconds of these.
    gc_s: float = 0.0  # Seconds of these in which the executor's JVM collected garbage.
    fetch_wait_s: float = 0.0  # Seconds of these spent waiting for shuffle data from other executors.
    shuffle_write_s: float = 0.0  # Seconds of these spent waiting for writes of shuffle data.
    memory_spilled_bytes: int = 0  # Data that was spilled for lack of memory, as large as it was in memory.
    disk_spilled_bytes: int = 0  # The same, as large as it was on disk.
    input_bytes: int = 0  # Bytes read from files.
    output_bytes: int = 0  # Bytes written to files.
    shuffle_read_bytes: int = 0  # Bytes of shuffle data read.
    shuffle_remote_bytes: int = 0  # The part of these that came from other executors.
    shuffle_write_bytes: int = 0  # Bytes of shuffle data written.


class SparkRun(Model):
    """One Spark application as its event log describes it."""

    id: str  # ``application_1700000000000_0001``.
    version: str  # Spark's release.
    deploy_mode: str  # ``client`` or ``cluster``.
    attempt: int = 1
    """Number of its driver in cluster mode. YARN starts a lost one again; the last one is described."""
    outcome: Literal["succeeded", "failed", "unfinished"]
    """How it ended; ``unfinished`` if its event log has no end, because its driver was killed."""
    truncated: bool = False  # Whether the event log ends within a line.
    start_s: float  # Seconds since the start of the run at which its driver began.
    end_s: float  # Seconds since the start of the run at which it ended, or its log does.
    executors: tuple[SparkExecutorRun, ...] = ()  # Its executors in the order in which they registered.
    stages: tuple[SparkStageRun, ...] = ()  # Attempts of stages in the order of their submission.
    properties: dict[str, str] = Field(default_factory=dict)
    """Properties that it ran with; none of them holds a secret."""

"""What the simulator is told: the fields of `crates/howdah-sim/src/scenario`, which says what each means.

Sizes are bytes, rates bytes or bits per second, times seconds. ``Scenario.text`` is what Rust reads;
it checks every value again, and names the field of one that it refuses.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from howdah.model.base import Model
from howdah.model.plan import Placement
from howdah.model.workloads.terasort import Codec
from howdah.simulation.hbase.scenario import SimulatedHBase


class Disks(Model):
    """Equal data disks of a host."""

    count: int
    """How many."""
    size_bytes: int
    """Size of each."""
    outer_bytes_per_s: float
    """Sequential rate where a disk is filled first."""
    inner_bytes_per_s: float
    """Sequential rate where it is filled last."""
    kind: Literal["hdd", "fasthdd", "ssd"]
    """Whether it has a head to move, and how fast it turns."""


class Nics(Model):
    """Equal network ports of a host."""

    count: int
    """How many."""
    bits_per_s: float
    """Speed of each, each way."""


class Workers(Model):
    """Equal workers of a host."""

    count: int
    """How many."""
    vcpus: int
    """CPUs of each: virtual ones, or the host's threads."""
    memory_bytes: int
    """Memory of each."""
    disks: int
    """Data disks of each."""
    local_disks: int | None = None
    """The first of them that carry intermediate data; None: all."""
    numa_nodes: int
    """NUMA nodes that the CPUs and memory of one lie on."""
    map_slots: int
    """Maps at once if nothing else runs."""
    reduce_slots: int
    """Reduces at once if nothing else runs."""


class Hosts(Model):
    """Hosts in a row that are equal, and stand in one rack."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    count: int
    """How many."""
    rack: int
    """The rack's number."""
    sockets: int
    """Processors of a host."""
    cores_per_socket: int
    """Cores of a processor."""
    threads_per_core: int
    """Hardware threads of a core."""
    numa_nodes: int
    """NUMA nodes of a host."""
    memory_bytes: int
    """Memory of a host."""
    speed: float
    """Speed of a core, relative to the one that parameters are stated for."""
    disks: tuple[Disks, ...]
    """Data disks of a host; its workers take theirs in order."""
    nics: tuple[Nics, ...]
    """Network ports of a host."""
    controller_bytes_per_s: float | None
    """What the disks' controller carries, both ways together; None where it is no limit."""
    is_virtual: bool = Field(alias="virtual")
    """Whether workers are virtual machines."""
    workers: tuple[Workers, ...]
    """Workers of a host, in order."""


class SimulatedHdfs(Model):
    """The file system."""

    replication: int
    """Replicas of files whose workload does not say."""
    block_bytes: int
    """Bytes of a block."""
    placement: Placement
    """How replicas are kept apart."""
    readahead_bytes: int
    """What a DataNode reads ahead of a reader; 0: what the system does."""
    drop_behind_writes: bool
    """Whether what was written leaves the page cache at once."""
    sync_behind_writes: bool
    """Whether what is written goes to disk at once."""


class Scheduling(Model):
    """How tasks come to workers."""

    kind: Literal["slots", "containers"]
    """Slots of each kind of task beside each other, or one pool for both."""
    slowstart: float
    """Share of maps that have ended before reduces start."""
    heartbeat_s: float
    """Between a worker's heartbeats."""
    out_of_band: bool
    """Whether a task's end is told at once."""
    round_s: float | None = None
    """Between two rounds of the scheduler, each of which gives every worker with room one container.

    None where heartbeats give containers out."""
    containers_per_beat: int | None = None
    """Containers that a worker is given at one heartbeat at most; None without a limit."""
    off_switch_per_beat: int | None = None
    """Of them those whose task has no data near any worker."""
    locality_delay_s: float
    """How long a job waits for a worker that has its block."""
    speculative: bool
    """Whether slow maps are started twice."""
    jvm_reuse: bool
    """Whether a task's Java machine runs the next one."""


class JobSettings(Model):
    """A MapReduce job's settings."""

    io_sort_bytes: int
    """A map's sort buffer."""
    io_sort_spill: float
    """Share of it that is full when a spill begins."""
    io_sort_records: float | None = None
    """Share of the buffer that Hadoop 1 kept for indexes of rows; None where rows and indexes share it."""
    io_sort_factor: int
    """Runs merged at once."""
    parallel_copies: int
    """Map outputs that a reduce fetches at once."""
    map_heap_bytes: int
    """Heap of a map."""
    reduce_heap_bytes: int
    """Heap of a reduce."""
    shuffle_input_buffer: float
    """Share of a reduce's heap for map output."""
    shuffle_merge: float
    """Share of that at which it is merged to disk."""
    merge_outputs: int | None = None
    """Map outputs at which it is, however much that is; None where memory alone decides."""
    reduce_input_buffer: float
    """Share of the heap that may hold map output while the reduce runs."""
    codec: Codec
    """Compression of map output."""
    compression_ratio: float
    """Bytes of map output for each byte after compression."""
    partition_samples: int
    """Keys that TeraSort samples for its partitions."""


class Masters(Model):
    """NameNode and scheduler."""

    speed: float
    """Speed of a core, relative to the one that parameters are stated for."""
    protection: Literal["none", "ft"]
    """Whether they run in lockstep with a shadow."""


class ScenarioProgram(Model):
    """One workload; what its kind does not have is left out."""

    kind: str
    """Its name on the command line."""
    rows: int | None = None
    """Rows to generate, sort or validate."""
    maps: int | None = None
    """Map tasks."""
    reduces: int | None = None
    """Reduce tasks."""
    replication: int | None = None
    """Replicas of its files."""
    files: int | None = None
    """Files of dfsio."""
    file_bytes: int | None = None
    """Bytes of each."""
    samples: int | None = None
    """Points of each map of pi."""


class Written(Model):
    """What is written down beside the summary."""

    tasks: bool
    """A row for every task attempt."""
    sample_interval_s: float | None
    """Samples of every machine, so far apart; none where it is None."""


class Scenario(Model):
    """Everything that a simulated run depends on."""

    hosts: tuple[Hosts, ...]
    """The hosts that carry workers, in the plan's order."""
    hdfs: SimulatedHdfs
    """The file system."""
    scheduling: Scheduling
    """How tasks come to workers."""
    job: JobSettings
    """A job's settings."""
    masters: Masters
    """NameNode and scheduler."""
    workloads: tuple[ScenarioProgram, ...]
    """What runs, one after another."""
    hbase: SimulatedHBase | None = None
    """HBase, where that is what is asked; then no other workload runs."""
    parameters: dict[str, float]
    """What a calibration says; the other parameters have their defaults."""
    seed: int
    """Seed of everything random."""
    record: Written
    """What is written down."""
    quick: bool = False
    """Whether a few hosts may stand for all, where these are alike."""

    @property
    def text(self) -> str:
        """The scenario as the simulator reads it."""
        return self.model_dump_json(exclude_none=True)

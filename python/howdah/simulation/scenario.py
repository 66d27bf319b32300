"""What the simulator reads, as sent to it; `crates/howdah-sim/src` defines each field and its meaning.

A test compares names, types and words with Rust's. Sizes are bytes, rates bytes or bits per second, times
seconds. Fields that are None are not sent. Rust checks the values, and names the field of a refused one.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from howdah.model.base import Model
from howdah.model.plan import Placement
from howdah.model.workloads.terasort import Codec
from howdah.model.workloads.ycsb_options import Distribution, Durability


class _Sent(Model):
    @property
    def text(self) -> str:
        """The scenario as the simulator reads it."""
        return self.model_dump_json(exclude_none=True)


class OperationShares(Model):
    """Shares of all operations, which sum to one."""

    model_config = ConfigDict(serialize_by_alias=True)

    read: float = 0.0
    update: float = 0.0
    insert: float = 0.0
    scan: float = 0.0
    read_modify_write: float = Field(0.0, alias="read-modify-write")


class AskingProgram(Model):
    """Operations of one program on the table."""

    kind: str
    records: int
    record_bytes: float
    update_bytes: float
    scanned: float
    regions: int
    operations: int
    shares: OperationShares
    distribution: Distribution
    durability: Durability
    clients: int
    threads: int
    target_per_s: float | None = None


class SimulatedHBase(Model):
    """HBase on the scenario's workers, each of which has a RegionServer, and its programs."""

    handlers: int
    block_cache_bytes: float
    page_cache_bytes: float
    memstore_bytes: float
    flush_bytes: float
    compacted_files: int
    log: Literal["fan-out", "pipeline"]
    replication: int
    client_cpus: int
    cpu_quota: float | None = None
    programs: tuple[AskingProgram, ...]


class Directory(Model):
    """What a file system does."""

    read_bytes_per_s: float
    write_bytes_per_s: float
    mixed_share: float


class Doubling(Model):
    """A cost that grows by as much with every doubling of a number."""

    at: float
    cost_s: float
    doubling_s: float


class Costs(Model):
    """CPU seconds for each byte of rows."""

    generate_s: float
    validate_s: float
    read_s: float
    write_s: float


class Packing(Model):
    """What a codec does to blocks of rows."""

    pack_s: float
    unpack_s: float
    ratio: float


class LocalProgram(Model):
    """One program; what its kind does not have is left out."""

    kind: Literal["teragen", "terasort", "teravalidate", "dfsio-write", "dfsio-read"]
    rows: int | None = None
    maps: int | None = None
    reduces: int | None = None
    in_memory_bytes: int | None = None
    sort_s: Doubling | None = None
    merge_s: Doubling | None = None
    codec: Packing | None = None
    files: int | None = None
    file_bytes: int | None = None


class LocalScenario(_Sent):
    """Everything that the simulated run depends on."""

    cpus: float
    directories: tuple[Directory, ...]
    together: Directory
    costs: Costs
    operation_s: float
    request_s: float
    pool_bytes: int
    map_slots: int
    reduce_slots: int
    workloads: tuple[LocalProgram, ...]
    sample_interval_s: float


class Disks(Model):
    """Equal data disks of a host."""

    count: int
    size_bytes: int
    outer_bytes_per_s: float
    inner_bytes_per_s: float
    kind: Literal["hdd", "fasthdd", "ssd"]


class Nics(Model):
    """Equal network ports of a host."""

    count: int
    bits_per_s: float


class Workers(Model):
    """Equal workers of a host."""

    count: int
    vcpus: int
    memory_bytes: int
    disks: int
    local_disks: int | None = None
    numa_nodes: int
    map_slots: int
    reduce_slots: int


class Hosts(Model):
    """Hosts in a row that are equal, and stand in one rack."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    count: int
    rack: int
    sockets: int
    cores_per_socket: int
    threads_per_core: int
    numa_nodes: int
    memory_bytes: int
    speed: float
    disks: tuple[Disks, ...]
    nics: tuple[Nics, ...]
    controller_bytes_per_s: float | None
    is_virtual: bool = Field(alias="virtual")
    workers: tuple[Workers, ...]


class Coding(Model):
    """How files are erasure-coded instead of replicated."""

    data: int
    parity: int
    cell_bytes: int
    encode_s_per_byte: float

    @property
    def units(self) -> int:
        """Units of a group, each on another DataNode."""
        return self.data + self.parity


class SimulatedHdfs(Model):
    """The file system."""

    replication: int
    block_bytes: int
    placement: Placement
    coding: Coding | None = None
    readahead_bytes: int
    drop_behind_writes: bool
    sync_behind_writes: bool


class Scheduling(Model):
    """How tasks come to workers."""

    kind: Literal["slots", "containers"]
    slowstart: float
    heartbeat_s: float
    out_of_band: bool
    round_s: float | None = None
    containers_per_beat: int | None = None
    off_switch_per_beat: int | None = None
    locality_delay_s: float
    speculative: bool
    jvm_reuse: bool
    job_queue: bool = False


class JobSettings(Model):
    """A MapReduce job's settings."""

    io_sort_bytes: int
    io_sort_spill: float
    io_sort_records: float | None = None
    io_sort_factor: int
    parallel_copies: int
    map_heap_bytes: int
    reduce_heap_bytes: int
    shuffle_input_buffer: float
    shuffle_merge: float
    merge_outputs: int | None = None
    reduce_input_buffer: float
    codec: Codec
    compression_ratio: float
    partition_samples: int


class Masters(Model):
    """NameNode and scheduler."""

    speed: float
    protection: Literal["none", "ft"]


class ScenarioProgram(Model):
    """One workload; what its kind does not have is left out."""

    kind: str
    rows: int | None = None
    maps: int | None = None
    reduces: int | None = None
    replication: int | None = None
    files: int | None = None
    file_bytes: int | None = None
    samples: int | None = None


class Written(Model):
    """What is written down beside the summary."""

    tasks: bool
    sample_interval_s: float | None


class Scenario(_Sent):
    """Everything that a simulated run depends on."""

    hosts: tuple[Hosts, ...]
    hdfs: SimulatedHdfs
    scheduling: Scheduling
    job: JobSettings
    masters: Masters
    workloads: tuple[ScenarioProgram, ...]
    hbase: SimulatedHBase | None = None
    parameters: dict[str, float]
    seed: int
    record: Written
    quick: bool = False

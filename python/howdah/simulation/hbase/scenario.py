"""What the simulator is told of HBase: the fields of ``crates/howdah-sim/src/hbase/scenario.rs``."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from howdah.model.base import Model
from howdah.model.workloads.ycsb_options import Distribution, Durability


class OperationShares(Model):
    """Shares of all operations, which sum to one."""

    model_config = ConfigDict(serialize_by_alias=True)

    read: float = 0.0
    """One record is read."""
    update: float = 0.0
    """A record is written anew, in part or as a whole."""
    insert: float = 0.0
    """A record is added."""
    scan: float = 0.0
    """Some records in a row are read."""
    read_modify_write: float = Field(0.0, alias="read-modify-write")
    """A record is read, and then written."""


class AskingProgram(Model):
    """Operations of one program on the table."""

    kind: str
    """The workload's name."""
    records: int
    """Records of the table."""
    record_bytes: float
    """Bytes of a record as HBase keeps it, keys included."""
    update_bytes: float
    """Bytes that an update writes."""
    scanned: float
    """Records that a scan reads on average."""
    regions: int
    """Regions of the table."""
    operations: int
    """Operations of all clients together."""
    shares: OperationShares
    """What they are."""
    distribution: Distribution
    """Which records they are about."""
    durability: Durability
    """What a write waits for."""
    clients: int
    """Machines that ask."""
    threads: int
    """Operations at once of each."""
    target_per_s: float | None = None
    """Operations in a second that all of them ask for together; None: as many as are answered."""


class SimulatedHBase(Model):
    """HBase on the scenario's workers, each of which has a RegionServer, and what is asked of it."""

    handlers: int
    """Operations that a RegionServer works on at once."""
    block_cache_bytes: float
    """Memory of a RegionServer for blocks of its files."""
    page_cache_bytes: float
    """Memory of a worker that is left for the system's page cache."""
    memstore_bytes: float
    """Memory of a RegionServer for what has not been flushed, all regions together."""
    flush_bytes: float
    """What a region holds in memory before it is flushed."""
    compacted_files: int
    """Files of a region that are merged at once."""
    log: Literal["fan-out", "pipeline"]
    """Whether the log goes to all replicas at once, or from each to the next."""
    replication: int
    """Replicas of files and logs."""
    client_cpus: int
    """CPUs of each client."""
    cpu_quota: float | None = None
    """Share of its threads' time that a worker may use, a tenth of a second at a time; None: all of it."""
    programs: tuple[AskingProgram, ...]
    """What runs, one after another, on one table."""

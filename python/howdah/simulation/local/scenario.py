"""One measured machine and its programs, as the simulator takes them.

The same by field as ``crates/howdah-sim/src/local/scenario.rs``.
"""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model


class Directory(Model):
    """What a file system does."""

    read_bytes_per_s: float
    """Reading alone."""
    write_bytes_per_s: float
    """Writing alone."""
    mixed_share: float
    """What is left of the disk's time when it copies."""


class Doubling(Model):
    """A cost that grows by as much with every doubling of a number."""

    at: float
    """The number at which it was measured."""
    cost_s: float
    """The cost there."""
    doubling_s: float
    """What each doubling adds."""


class Costs(Model):
    """CPU seconds for each byte of rows."""

    generate_s: float
    """Making rows."""
    validate_s: float
    """Looking at rows."""
    read_s: float
    """Reading past the page cache."""
    write_s: float
    """Writing past the page cache."""


class Packing(Model):
    """What a codec does to blocks of rows."""

    pack_s: float
    """CPU seconds a byte to pack them."""
    unpack_s: float
    """CPU seconds a byte to unpack them."""
    ratio: float
    """Bytes stored for each byte."""


class LocalProgram(Model):
    """One program; what its kind does not have is left out."""

    kind: Literal["teragen", "terasort", "teravalidate", "dfsio-write", "dfsio-read"]
    """Which of them."""
    rows: int | None = None
    """Rows to make, sort or look at."""
    maps: int | None = None
    """Map tasks."""
    reduces: int | None = None
    """Reduce tasks."""
    in_memory_bytes: int | None = None
    """Memory that sorts the rows without spilling."""
    sort_s: Doubling | None = None
    """CPU seconds to sort a byte of a window, by the rows in it."""
    merge_s: Doubling | None = None
    """CPU seconds to merge a byte out of sorted lists, by their number."""
    codec: Packing | None = None
    """How a sort's intermediate data is compressed, if it is."""
    files: int | None = None
    """Files to write or read."""
    file_bytes: int | None = None
    """Size of each file."""


class LocalScenario(Model):
    """Everything that the simulated run depends on."""

    cpus: float
    """CPUs that the process may keep busy."""
    directories: tuple[Directory, ...]
    """The data directories."""
    together: Directory
    """What all of them do at once."""
    costs: Costs
    """What rows cost."""
    operation_s: float
    """Seconds for a file's making and its last wait for the disk."""
    request_s: float
    """Seconds until a small read is answered, with one under way for each slot."""
    pool_bytes: int
    """Memory that the kernels share."""
    map_slots: int
    """Map tasks at once."""
    reduce_slots: int
    """Reduce tasks at once."""
    workloads: tuple[LocalProgram, ...]
    """What is run, in order."""
    sample_interval_s: float
    """Samples are taken at this interval."""

    @property
    def text(self) -> str:
        """As the simulator reads it."""
        return self.model_dump_json(exclude_none=True)

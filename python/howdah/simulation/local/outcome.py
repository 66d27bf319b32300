"""What the simulator says of a run of the local engine."""

from __future__ import annotations

from howdah.model.base import Model


class RanPhase(Model):
    """A phase; times are nanoseconds since the run's start."""

    name: str
    """Its name."""
    start_ns: int
    """When it began."""
    end_ns: int
    """When it ended."""


class RanTask(Model):
    """A task; times are nanoseconds since the run's start."""

    kind: str
    """``map`` or ``reduce``."""
    task: int
    """Its number within its kind."""
    slot: int
    """The place of its kind it ran in."""
    start_ns: int
    """When it began."""
    end_ns: int
    """When it ended."""
    input_rows: int
    """Rows it read."""
    output_rows: int
    """Rows it wrote."""
    input_bytes: int
    """Bytes it read."""
    output_bytes: int
    """Bytes it wrote."""
    spilled_bytes: int
    """Bytes of intermediate data it wrote or read back."""


class Ran(Model):
    """A workload; times are nanoseconds since the run's start."""

    start_ns: int
    """When it began."""
    end_ns: int
    """When it ended."""
    phases: tuple[RanPhase, ...]
    """In the order they began."""
    tasks: tuple[RanTask, ...]
    """In no order."""
    in_memory: bool | None
    """Whether a sort needed no intermediate files."""
    spilled_bytes: int
    """Intermediate bytes written."""
    spill_read_bytes: int
    """Intermediate bytes read back."""


class Sampled(Model):
    """Counters since the run's start."""

    time_ns: tuple[int, ...]
    """When each was read."""
    cpu_s: tuple[float, ...]
    """CPU seconds used."""
    read_bytes: tuple[tuple[float, ...], ...]
    """Bytes read, by directory."""
    written_bytes: tuple[tuple[float, ...], ...]
    """Bytes written, by directory."""


class LocalOutcome(Model):
    """A simulated run."""

    workloads: tuple[Ran, ...]
    """In the order they ran."""
    samples: Sampled
    """What a sampler would have seen."""

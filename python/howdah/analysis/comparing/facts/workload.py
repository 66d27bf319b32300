"""What a run was asked to do, sizes left out: these are the amounts of its workloads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from howdah.model.comparison import Aspect, Fact
from howdah.model.run import RunRecord
from howdah.model.workload import Workload
from howdah.units import format_memory

_PLAIN = (
    ("maps", "map tasks"),
    ("reduces", "reduce tasks"),
    ("files", "files"),
    ("codec", "codec"),
    ("replication", "replicas"),
    ("slowstart", "slow start of reduces"),
    ("partition_samples", "keys sampled for partitions"),
)


def workload_facts(record: RunRecord) -> Iterator[Fact]:
    """Every parameter of every workload."""
    seen: Counter[str] = Counter()
    for workload in record.suite.workloads:
        kind = workload.kind.value
        seen[kind] += 1
        name = kind if seen[kind] == 1 else f"{kind} #{seen[kind]}"
        for what, value in _parameters(workload):
            yield Fact(aspect=Aspect.WORKLOAD, name=f"{what} of {name}", value=value)


def _parameters(workload: Workload) -> Iterator[tuple[str, str]]:
    for field, what in _PLAIN:
        value = getattr(workload, field)
        if value is not None:
            yield what, f"{value:,}" if isinstance(value, int) else str(value)
    if workload.block_bytes is not None:
        yield "block size", format_memory(workload.block_bytes)
    if workload.inputs is not None:
        yield "input", ", ".join(workload.inputs)

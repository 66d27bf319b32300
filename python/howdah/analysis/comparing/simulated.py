"""What a simulated workload used, as the simulator counts it: of the whole cluster and exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.analysis.comparing.resource import resource
from howdah.analysis.evidence import PhaseTime, WorkloadTime
from howdah.model.comparison import Reading
from howdah.model.simulated import PhaseUse, WorkUse

_BYTES = (
    ("read from disks", "disk_read_bytes"),
    ("written to disks", "disk_written_bytes"),
    ("received", "received_bytes"),
    ("sent", "sent_bytes"),
)
_SHARES = (
    ("CPU busy", "cpu_busy"),
    ("NameNode busy", "namenode_busy"),
    ("scheduler busy", "scheduler_busy"),
)


def simulated_readings(time: WorkloadTime, used: WorkUse) -> Iterator[Reading]:
    """The phases that are told apart, and all of them together."""
    lengths = {phase.name: phase for phase in time.phases}
    told = {phase.name for phase in time.told_apart}
    yield resource(time.workload, None, "read from other hosts", used.remote_read_bytes)
    for name, field in _BYTES:
        total = sum(getattr(phase, field) for phase in used.phases)
        yield resource(time.workload, None, name, total)
    for name, field in _SHARES:
        yield resource(time.workload, None, name, _mean(used.phases, field, lengths), "share")
    for phase in used.phases:
        if phase.phase in told:
            for name, field in _BYTES:
                yield resource(time.workload, phase.phase, name, getattr(phase, field))
            for name, field in _SHARES:
                yield resource(time.workload, phase.phase, name, getattr(phase, field), "share")


def _mean(phases: Sequence[PhaseUse], field: str, lengths: dict[str, PhaseTime]) -> float:
    """A share over several phases, each counting as long as it took."""
    weighed = [
        (getattr(phase, field), lengths[phase.phase].elapsed_s) for phase in phases if phase.phase in lengths
    ]
    whole = sum(seconds for _, seconds in weighed)
    return sum(share * seconds for share, seconds in weighed) / whole if whole > 0 else 0.0

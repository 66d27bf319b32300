"""What faults and their protection cost as measures of a run: times without an answer, bytes to journals."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import WorkloadTime
from howdah.analysis.journal import journal_loads
from howdah.analysis.stalls import fault_stalls
from howdah.analysis.timeline import Timeline
from howdah.model.comparison import Measure, Reading
from howdah.model.reported import Unit
from howdah.model.run import RunRecord

NO_ANSWER = "no answer to "
"""How the measure of each operation that was probed begins: the longest time without an answer."""
JOURNAL_RATE = "to each JournalNode, per second"
JOURNAL_PER_BLOCK = "to each JournalNode, per block"


def unanswered_readings(record: RunRecord, times: tuple[WorkloadTime, ...]) -> Iterator[Reading]:
    """The longest time without an answer to each kind of operation, of the workload that was hit first.

    None of a run that nothing was probed in, or not before its first fault; 0 where all was answered within a
    second. Where faults were done, what did not begin with one of them is none of theirs.
    """
    stalls = [stalls.own for stalls in fault_stalls(record) if stalls.own is not None]
    begun = [fault.begun_s for fault in record.faults if fault.begun_s is not None]
    hit = [time for time in times if begun and time.start_s <= min(begun) <= time.end_s]
    workload = (hit or list(times))[:1]
    longest: dict[str, float] = {}
    for probe in record.probes:
        if begun and probe.start_s > min(begun):
            continue
        mine = (
            outage.elapsed_s
            for outage in probe.outages
            if not begun or any(stall.start_s <= outage.start_s <= stall.end_s for stall in stalls)
        )
        worst = max(mine, default=0.0)
        longest[probe.operation] = max(longest.get(probe.operation, 0.0), worst)
    for operation, seconds in longest.items():
        for time in workload:
            yield _reading(time.workload, f"{NO_ANSWER}{operation}", seconds, "s")


def journal_readings(timeline: Timeline, time: WorkloadTime) -> Iterator[Reading]:
    """What went to each JournalNode, of a run on two NameNodes whose daemons were sampled."""
    for load in journal_loads(timeline, (time,)):
        yield _reading(time.workload, JOURNAL_RATE, load.bytes_per_s, "B/s")
        if load.bytes_per_block is not None:
            yield _reading(time.workload, JOURNAL_PER_BLOCK, load.bytes_per_block, "B")


def _reading(workload: str, name: str, value: float, unit: Unit) -> Reading:
    return Reading(measure=Measure(workload=workload, kind="resource", name=name, unit=unit), value=value)

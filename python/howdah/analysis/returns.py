"""Operations that failed, and answers that clients had to ask for again."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.wording import listed, number, percent
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.units import format_count

OK = "OK"
"""YCSB's word for an operation that did what it should."""


def find_failed_operations(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A warning for each workload of which not all operations returned what they should."""
    for time in evidence.workloads:
        said, numbers = [], []
        for count in record.workloads[time.index].operations:
            ended = sum(count.returns.values())
            failed = {word: many for word, many in count.returns.items() if word != OK and many}
            if not failed:
                continue
            each = listed([f"{format_count(many)} {word}" for word, many in failed.items()])
            share = percent(sum(failed.values()) / ended)
            said.append(f"of {format_count(ended)} times {count.operation} {each} ({share})")
            numbers += [number(f"{count.operation}, {word}", many, "1") for word, many in failed.items()]
        if said:
            yield Finding(
                id="failed-operations",
                severity="warning",
                workload=time.workload,
                text=f"{time.workload}: not all operations did what they should: {'; '.join(said)}",
                sure="measured",
                origin=record.origin,
                numbers=tuple(numbers),
            )


def find_exceptions(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What RegionServers answered with exceptions, after most of which clients wait and ask again."""
    for workload in dict.fromkeys(use.workload for use in evidence.region_servers):
        mine = [use for use in evidence.region_servers if use.workload == workload]
        every, busy, moved = (
            round(sum(getattr(use, name) for use in mine))
            for name in ("exceptions", "too_busy", "not_serving")
        )
        if not every:
            continue
        why = [f"{format_count(busy)} since memstores were full"] if busy else []
        why += [f"{format_count(moved)} since regions were elsewhere"] if moved else []
        yield Finding(
            id="exceptions",
            severity="warning" if busy else "note",
            workload=workload,
            text=f"{workload}: RegionServers answered {format_count(every)} calls with exceptions, after "
            f"most of which clients wait and ask again{': ' if why else ''}{listed(why)}",
            sure="measured",
            origin=record.origin,
            numbers=(
                number("exceptions", every, "1"),
                number("for full memstores", busy, "1"),
                number("for regions elsewhere", moved, "1"),
            ),
        )

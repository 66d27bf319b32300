"""What protecting the NameNode costs: edits, and the bytes of them that go to every JournalNode."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence, JournalLoad, WorkloadTime
from howdah.analysis.timeline import Timeline
from howdah.analysis.wording import number, seconds
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.units import format_bytes, format_counted, format_rate

_EDITS, _SYNC, _BLOCKS = "namenode/edits", "namenode/edit_sync_s", "namenode/added_blocks"
_SENT, _BATCHES = "journalnode/written_bytes", "journalnode/batches"


def journal_loads(timeline: Timeline, times: tuple[WorkloadTime, ...]) -> tuple[JournalLoad, ...]:
    """One for each workload; none of a run without JournalNodes, or whose daemons were not asked."""
    return tuple(load for time in times if (load := _load(timeline, time)) is not None)


def _load(timeline: Timeline, time: WorkloadTime) -> JournalLoad | None:
    sent, edits = _grown(timeline, time, _SENT), _grown(timeline, time, _EDITS)
    if not sent or not edits or time.elapsed_s <= 0:
        return None
    namenode = max(edits, key=edits.__getitem__)
    busiest = max(sent, key=sent.__getitem__)
    lots = _grown(timeline, time, _BATCHES).get(busiest, 0.0)
    waited = _grown(timeline, time, _SYNC).get(namenode)
    blocks = _grown(timeline, time, _BLOCKS).get(namenode, 0.0)
    return JournalLoad(
        workload=time.workload,
        namenode=namenode,
        edits_per_s=edits[namenode] / time.elapsed_s,
        bytes_per_s=sent[busiest] / time.elapsed_s,
        journals=len(sent),
        sync_s=waited / lots if waited is not None and lots else None,
        bytes_per_block=sent[busiest] / blocks if blocks >= 1 else None,
    )


def _grown(timeline: Timeline, time: WorkloadTime, metric: str) -> dict[str, float]:
    """How much a counter grew in a workload, by machine."""
    tracks = {machine: timeline.track(machine, metric) for machine in timeline.hosts}
    return {
        machine: track.growth(time.start_s, time.end_s)
        for machine, track in tracks.items()
        if track is not None
    }


def find_journal(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One note for each workload: the counterpart of what Fault Tolerance sends to a shadow."""
    for load in evidence.journals:
        text = (
            f"{load.workload}: {load.edits_per_s:.3g} edits a second of the NameNode on {load.namenode} "
            f"went to {format_counted(load.journals, 'JournalNode')}, {format_rate(load.bytes_per_s)} to each"
        )
        if load.bytes_per_block is not None:
            text += f", {format_bytes(round(load.bytes_per_block))} for each block written"
        if load.sync_s is not None:
            text += f"; {seconds(load.sync_s)} until a lot was durable"
        yield Finding(
            id="journal",
            severity="note",
            workload=load.workload,
            text=text,
            sure="measured",
            origin=record.origin,
            numbers=(
                number("edits per second", load.edits_per_s, "1/s"),
                number("to one JournalNode", load.bytes_per_s, "B/s"),
                *([] if load.sync_s is None else [number("until durable", load.sync_s, "s")]),
                *(
                    []
                    if load.bytes_per_block is None
                    else [number("for each block", load.bytes_per_block, "B")]
                ),
            ),
        )

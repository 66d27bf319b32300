"""Masters: how busy their processes were, failovers, and the edits sent to JournalNodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import JournalLoad, MasterChange, MasterLoad, MasterLoss
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.fault_effects import was_meant
from howdah.analysis.machines import Timeline
from howdah.analysis.phases import attempts_of, grouped, names_machine
from howdah.analysis.wording import conclude, named, percent, seconds
from howdah.hadoop.daemons import DAEMONS, PAIRED
from howdah.model.cluster import Event
from howdah.model.comparison import Finding
from howdah.model.plan import Role
from howdah.model.run import Outcome, RunRecord, TaskAttempt
from howdah.model.tables import RunData

_EDITS, _SYNC, _BLOCKS = "namenode/edits", "namenode/edit_sync_s", "namenode/added_blocks"
_SENT, _BATCHES = "journalnode/written_bytes", "journalnode/batches"


def journal_loads(timeline: Timeline, times: tuple[WorkloadTime, ...]) -> tuple[JournalLoad, ...]:
    """One for each workload; none of a run without JournalNodes, or whose daemons were not asked."""
    loads = []
    for time in times:
        sent, edits, lots, waited, blocks = (
            timeline.grown(metric, time.start_s, time.end_s)
            for metric in (_SENT, _EDITS, _BATCHES, _SYNC, _BLOCKS)
        )
        if not sent or not edits or time.elapsed_s <= 0:
            continue
        namenode, busiest = max(edits, key=edits.__getitem__), max(sent, key=sent.__getitem__)
        synced, added = lots.get(busiest), blocks.get(namenode, 0.0)
        loads.append(
            JournalLoad(
                workload=time.workload,
                namenode=namenode,
                edits_per_s=edits[namenode] / time.elapsed_s,
                bytes_per_s=sent[busiest] / time.elapsed_s,
                journals=len(sent),
                sync_s=waited[namenode] / synced if namenode in waited and synced else None,
                bytes_per_block=sent[busiest] / added if added >= 1 else None,
            )
        )
    return tuple(loads)


def find_journal(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One note for each workload: the counterpart of what Fault Tolerance sends to a shadow."""
    for load in evidence.journals:
        block = load.bytes_per_block
        yield conclude("journal", load, block_bytes=None if block is None else round(block))


_MASTERS = {role.value: DAEMONS[role].name for role in PAIRED}
_UNSEEN = 0.05  # What a master did is unknown if it was not sampled for this share of a workload.

_DAEMONS = {DAEMONS[role].name: role.value for role in (Role.NAMENODE, Role.RESOURCEMANAGER)}


def master_loads(timeline: Timeline, times: tuple[WorkloadTime, ...]) -> tuple[MasterLoad, ...]:
    """Every master of every workload; none of a run whose daemons were not asked for their CPU time."""
    loads = []
    for time, (name, daemon), machine in product(times, _MASTERS.items(), timeline.hosts):
        used, calls = (
            timeline.track(machine, metric) for metric in (f"jvm/{daemon}/cpu_s", f"{daemon}/calls")
        )
        if used is None or time.elapsed_s <= 0:
            continue
        # The samples must reach from the start of a workload to its end, or nearly so.
        unseen_s = max(used.times_s[0] - time.start_s, 0.0) + max(time.end_s - used.times_s[-1], 0.0)
        if unseen_s <= _UNSEEN * time.elapsed_s:
            busy = used.growth(time.start_s, time.end_s) / time.elapsed_s
            calls_per_s = calls.growth(time.start_s, time.end_s) / time.elapsed_s if calls else None
            loads.append(MasterLoad(time.workload, name, machine, busy, calls_per_s))
    return tuple(loads)


def find_masters(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One note for each workload: how much of a core every master used."""
    for loads in grouped(evidence.masters, lambda item: item.workload).values():
        yield conclude(
            "masters",
            loads[0],
            numbers=((f"{load.daemon} on {load.machine}", load.busy, "1") for load in loads),
            used=[f"the {load.daemon} on {load.machine} {percent(load.busy)}" for load in loads],
        )


def master_losses(run: RunData, times: tuple[WorkloadTime, ...]) -> tuple[MasterLoss, ...]:
    """What befell masters, in order, each with the workload it happened in or, between two, with the next."""
    result = []
    for change in (change for daemon in _DAEMONS for change in _changes(daemon, run.record.events)):
        time = next((time for time in times if change.since_s <= time.end_s), None)
        if time is not None:
            result.append(_loss(change, time, attempts_of(run, time)))
    return tuple(sorted(result, key=lambda loss: loss.since_s))


def _loss(change: MasterChange, time: WorkloadTime, attempts: Sequence[TaskAttempt]) -> MasterLoss:
    since_s = change.since_s
    failed = (
        attempt for attempt in attempts if attempt.state == Outcome.FAILED.value and attempt.end_s >= since_s
    )
    return MasterLoss(
        **vars(change),
        workload=time.workload,
        phase=time.phase_at(since_s),
        under_way=sum(attempt.start_s <= since_s <= attempt.end_s for attempt in attempts),
        failed=tuple(attempt for attempt in failed if names_machine(attempt.error, change.machine)),
    )


def _changes(daemon: str, events: Sequence[Event]) -> list[MasterChange]:
    name = _DAEMONS[daemon]
    result: list[MasterChange] = []
    for event in sorted((event for event in events if event.kind.startswith(f"{daemon}-")), key=_sign_s):
        at, kind = event.worker, event.kind.removeprefix(f"{daemon}-")
        if kind == "lost":
            result.append(MasterChange(name, at, event.was == "standby", _sign_s(event)))
            continue
        # A master that is back, or took over, is what an earlier loss waited for.
        open_ends = [
            index
            for index, change in enumerate(result)
            if (
                change.machine == at and change.back_s is None and change.lost_s is not None
                if kind == "back"
                else change.machine != at and not change.standby and change.successor is None
            )
        ]
        if open_ends:
            end: dict[str, Any] = {"successor": at, "active_s": event.time_s}
            end = {"back_s": event.time_s} if kind == "back" else end
            result[open_ends[-1]] = replace(result[open_ends[-1]], **end)
        elif kind == "failover":
            result.append(MasterChange(name, at, False, None, successor=at, active_s=event.time_s))
    return result


def _sign_s(event: Event) -> float:
    """When something was the case: a lost master's last sign of life, else when it was noticed."""
    return event.time_s if event.seen_s is None else event.seen_s


def find_master_losses(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One finding for each: a warning where a master that served was lost, and no fault was to do that."""
    for loss in evidence.master_losses:
        began_s, lost_s, back_s = evidence.time_of(loss.workload).start_s, loss.lost_s, loss.back_s
        harmless = lost_s is None or loss.standby or was_meant(record, evidence, loss.machine, lost_s)
        before = f", before {loss.workload} began" if loss.since_s < began_s else ""
        alone = loss.standby and back_s is None
        yield conclude(
            "master-lost" if lost_s is not None else "master-failover",
            loss,
            warns=not harmless,
            place=named(loss.workload, loss.phase),
            role="standby" if loss.standby else "active",
            when=f"at {seconds(loss.since_s)}{before}",
            took_over=None if loss.standby else took_over(loss),
            no_standby="from then on the active one had no standby" if alone else None,
            back_after_s=None if back_s is None or lost_s is None else back_s - lost_s,
            failures=len(loss.failed),
            failed_attempts=len(loss.failed) or None,
            first=next(iter(loss.failed), None),
            unhurt=None if loss.failed else loss.under_way or None,
        )


def took_over(loss: MasterLoss) -> str:
    """Who took over from a lost master, and how soon."""
    if loss.successor is None or loss.active_s is None or loss.lost_s is None:
        return "no other took over"
    return f"the one on {loss.successor} was active {seconds(loss.active_s - loss.lost_s)} later"

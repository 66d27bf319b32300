"""What faults did to a cluster: how long who had no answer, what daemons did about it, and what was lost."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import ClientWait, FaultEffect, FaultStalls, Stall
from howdah.analysis.evidence.operations import LatencyCourse
from howdah.analysis.evidence.use import StretchUse
from howdah.analysis.machines import setting_s
from howdah.analysis.operation_steps import SOON_S, fault_stalls, longest_wait_s
from howdah.analysis.wording import conclude, seconds
from howdah.model.comparison import Finding
from howdah.model.faults import (
    CELLS_LOST,
    CELLS_READ,
    LEDGER_UNREAD,
    SEVERAL,
    Action,
    FaultReport,
    RecoveryStep,
)
from howdah.model.run import RunRecord, RunWarning
from howdah.units import format_count, format_counted, listed

_SETTLING_S = 60.0  # How long a daemon that was started again may take until it answers.
_SILENT_S = 15.0  # A daemon may have been heard so long before it was lost: samples are seconds apart.
_EARLY_S = 2.0  # A daemon that is being hit may fail to answer a moment before the fault is reported as done.


def machines_hit(evidence: Evidence, fault: FaultReport) -> set[str]:
    """The machines that a fault hit, and their hosts, whose links are theirs."""
    names = {hit.rpartition(" on ")[2] for hit in fault.hit}
    return names | {machine.host for machine in evidence.machines if machine.name in names}


def _within(fault: FaultReport, start_s: float) -> bool:
    """Whether something began while a fault lasted, or while what it hit came back."""
    if fault.begun_s is None:
        return False
    return fault.begun_s - _EARLY_S <= start_s <= (fault.ended_s or math.inf) + _SETTLING_S


def cause_of_gap(record: RunRecord, evidence: Evidence, warning: RunWarning) -> FaultReport | None:
    """The fault that kept a daemon or a machine from being sampled; None where any gap has no such cause."""
    hits = [fault for fault in record.faults if warning.machine in machines_hit(evidence, fault)]
    causes = [next((fault for fault in hits if _within(fault, gap.start_s)), None) for gap in warning.gaps]
    return causes[0] if causes and None not in causes else None


def was_meant(record: RunRecord, evidence: Evidence, machine: str, lost_s: float) -> bool:
    """Whether a machine, or a daemon on it, was lost to a fault, a little after its last sign of life."""
    return any(
        _within(fault, lost_s + _SILENT_S) and machine in machines_hit(evidence, fault)
        for fault in record.faults
    )


def cause_of_drops(
    record: RunRecord, evidence: Evidence, use: StretchUse, machine: str
) -> FaultReport | None:
    """The fault that had hit a machine, or one on it, while packets were dropped there; None without one."""
    return next(
        (
            fault
            for fault in record.faults
            if fault.begun_s is not None
            and fault.begun_s <= use.end_s
            and use.start_s <= (fault.ended_s or math.inf) + _SETTLING_S
            and machine in machines_hit(evidence, fault)
        ),
        None,
    )


def consequences(record: RunRecord, evidence: Evidence, fault: FaultReport) -> Iterator[str]:
    """What of a run followed from a fault as a matter of course, in words."""
    for warning in dict.fromkeys(record.warnings):
        if warning.gaps and cause_of_gap(record, evidence, warning) == fault:
            yield warning.text.partition(": ")[0]
    dropped: defaultdict[str, float] = defaultdict(float)
    for use in evidence.use:
        for host in use.hosts:
            if use.phase is None and cause_of_drops(record, evidence, use, host.host) == fault:
                dropped[host.host] += sum(nic.drops for nic in host.nics)
    for machine, drops in dropped.items():
        if drops >= 1:
            yield f"{machine} dropped {format_count(round(drops))} packets"


_BACKOFF = (1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200)
_SILENT = frozenset(
    {Action.PAUSE, Action.LOSE, Action.CUT_LINK, Action.CUT_LINK_IN, Action.CUT_LINK_OUT, Action.SLOW_LINK}
)  # What leaves a daemon that does not even refuse a connection.


def _action(fault: FaultReport) -> Action:
    return Action(fault.fault.split()[0])


def hbase_retry(record: RunRecord, fault: FaultReport, stall_s: float) -> str:
    """What HBase's client waits for when a stall of so many seconds is over."""
    if _action(fault) in _SILENT:
        return _named(record, "it awaits an answer of a silent RegionServer for", "hbase.rpc.timeout")
    pause_s = setting_s(record, "hbase.client.pause")
    ends = accumulate(pause_s * factor for factor in _BACKOFF)
    factor = next(
        (candidate for candidate, end in zip(_BACKOFF, ends, strict=True) if end > stall_s), _BACKOFF[-1]
    )
    return (
        f"after so long it pauses {seconds(factor * pause_s)} between two attempts "
        f"({factor} × hbase.client.pause, {seconds(pause_s)})"
    )


def hdfs_retry(record: RunRecord, fault: FaultReport, steps: Sequence[RecoveryStep]) -> str | None:
    """What HDFS's client waits for; None where no NameNode was hit, nor anything that does not answer."""
    silent = _action(fault) in _SILENT
    if not any("namenode" in hit for hit in fault.hit) and not any("NameNode" in step.name for step in steps):
        key = "dfs.client.socket-timeout"
        return _named(record, "it awaits an answer of a silent DataNode for", key) if silent else None
    if silent:
        return _named(record, "it awaits an answer of a silent NameNode for", "ipc.client.rpc-timeout.ms")
    key = "dfs.client.failover.sleep.max.millis"
    return _named(record, "between two attempts to fail over it pauses up to", key)


def _named(record: RunRecord, action: str, key: str) -> str:
    return f"{action} {seconds(setting_s(record, key))} ({key})"


_AT_ONCE_S = 2.0  # What comes so soon after a revert comes of it, most likely: clients ask every two seconds.
_WORTH_S = 1.0  # Shorter waits are not reported, nor reasons for waits hardly longer than the probes'.
HDFS_CLIENT = "a client of HDFS"


def fault_effects(record: RunRecord, courses: Sequence[LatencyCourse] = ()) -> tuple[FaultEffect, ...]:
    """Every fault that was done, in the order of time; ``courses`` are those of the workloads' requests."""
    return tuple(_effect(record, stalls, courses) for stalls in fault_stalls(record))


def _effect(record: RunRecord, stalls: FaultStalls, courses: Sequence[LatencyCourse]) -> FaultEffect:
    fault, begun_s, until_s, own = stalls.fault, stalls.begun_s, stalls.until_s, stalls.stall
    asking = [probe for probe in record.probes if probe.start_s <= until_s and probe.end_s >= begun_s]
    back_s = own.end_s - begun_s if own else 0.0
    # What is logged later has nothing to do with it: regions are moved at any time.
    looked_s = begun_s + back_s + SOON_S if asking else until_s
    steps = _steps(record.recovery, begun_s, min(until_s, looked_s))
    return FaultEffect(
        **vars(stalls),
        probes=len(asking),
        clients=tuple(_waits(record, fault, own, courses, steps)) if own else (),
        # A program that is to probe waits itself for a cluster that is hit while it starts.
        blind_s=max(0.0, min((probe.start_s - begun_s for probe in asking), default=0.0)),
        steps=steps,
    )


def _waits(
    record: RunRecord,
    fault: FaultReport,
    stall: Stall,
    courses: Sequence[LatencyCourse],
    steps: Sequence[RecoveryStep],
) -> Iterator[ClientWait]:
    """What the workload's own clients waited for, and those of HDFS that kept the ledger."""
    stretch = stall.start_s, stall.end_s
    lasted_s = stall.end_s - stall.start_s
    for course in courses:
        if course.requests and (waited_s := longest_wait_s(course, stretch)) >= _WORTH_S:
            longer = waited_s >= stall.longest_s + _WORTH_S
            retry = hbase_retry(record, fault, lasted_s) if longer else None
            yield ClientWait(f"a request of {course.workload}", waited_s, retry)
    ledger = record.ledger
    if ledger is not None and ledger.longest_at_s is not None and ledger.longest_s is not None:
        at_s, waited_s = ledger.longest_at_s, ledger.longest_s
        if at_s <= stretch[1] and at_s + waited_s >= stretch[0]:
            # HDFS's probes retry as its clients do, so that what these waited for is in both.
            yield ClientWait(HDFS_CLIENT, waited_s, hdfs_retry(record, fault, steps))


def _steps(steps: Sequence[RecoveryStep], begun_s: float, until_s: float) -> tuple[RecoveryStep, ...]:
    """One of each name, in order."""
    first: dict[str, RecoveryStep] = {}
    for step in steps:
        if begun_s <= step.time_s < until_s and (step.name not in first or step.name in SEVERAL):
            first[step.name] = step
    since_fault = [step.model_copy(update={"time_s": step.time_s - begun_s}) for step in first.values()]
    return tuple(sorted(since_fault, key=lambda step: step.time_s))


def find_faults(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One for each fault that was done; a warning for what was still out when probes ended."""
    for effect in evidence.fault_effects:
        fault, stall, back_s = effect.fault, effect.stall, effect.back_s
        steps = [f"{step.name} after {seconds(step.time_s)}" for step in effect.steps]
        late_s = math.inf
        if stall is not None and back_s is not None and fault.ended_s is not None:
            late_s = effect.begun_s + back_s - fault.ended_s
        yield conclude(
            "fault",
            effect,
            words="unprobed" if not effect.probes else "answered" if stall is None else "stalled",
            warns=back_s is None or not all(later.ended for later in effect.later),
            numbers=(
                ("longest without an answer", effect.longest_s, "s"),
                *((f"longest wait of {wait.client}", wait.longest_s, "s") for wait in effect.clients),
                ("all answered again after", back_s, "s"),
                *(("longest of a later stall", later.longest_s, "s") for later in effect.later),
                *((step.name, step.time_s, "s") for step in effect.steps),
            ),
            hit=f"{fault.fault} hit {listed(fault.hit)} at {seconds(effect.begun_s)}",
            blind_s=effect.blind_s or None,
            always="" if effect.later else "always ",
            usual_s=effect.usual_s or None,
            ended="ended" if back_s is None else None,
            # The last answer came with the undoing, so that without it there would have been none yet.
            undone=" (not before it was undone)" if 0 <= late_s <= _AT_ONCE_S else None,
            steps=f" ({listed(steps)})" if steps else "",
            followed="".join(f"; {clause}" for clause in _followed(record, evidence, effect)),
        )


def _followed(record: RunRecord, evidence: Evidence, effect: FaultEffect) -> Iterator[str]:
    """What clients waited for, stalls that began later, and what followed as a matter of course."""
    for wait in effect.clients:
        retry = f": {wait.retry}" if wait.retry else ""
        yield f"{wait.client} waited up to {seconds(wait.longest_s)}{retry}"
    for stall in effect.later:
        yield (
            f"a separate stall of {seconds(stall.longest_s)}, of {format_counted(stall.probes, 'probe')}, "
            f"began {seconds(stall.start_s - effect.begun_s)} after it{_beginning(record, effect, stall)}"
        )
    followed = list(consequences(record, evidence, effect.fault))
    if followed:
        yield f"as was to be expected, {listed(followed)}"


def find_not_done(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A warning for each fault that did not happen, or was not undone."""
    for fault in record.faults:
        if fault.state in ("not happened", "not undone"):
            yield conclude("fault-state", fault, words=fault.state.replace(" ", "_"))


def find_kept(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Whether anything that was acknowledged is lost, of rows and of what clients wrote to HDFS."""
    counted, ledger = kept(record), record.ledger
    if counted is not None:
        read, lost = counted
        yield conclude(
            "acknowledged",
            words="cells",
            warns=bool(lost),
            numbers=((CELLS_READ, read, "1"), (CELLS_LOST, lost, "1")),
            read=read,
            lost=f"{format_count(lost)} are" if lost else "none is",
        )
    if ledger is not None:
        broken = [f"{listed(names)} {name}" for name, names in ledger.broken.items()]
        yield conclude(
            "acknowledged",
            words="ledger",
            warns=bool(broken),
            numbers=(("acknowledged", ledger.acknowledged, "1"), ("failed", ledger.failed, "1")),
            ledger=ledger,
            broken="; ".join(broken) or "all is as HDFS promises",
        )


def in_short(record: RunRecord, evidence: Evidence) -> str:
    """What happened, how long nothing worked, and whether anything was lost; empty without faults."""
    effects = evidence.fault_effects
    if not effects:
        return ""
    text = f"after {listed([effect.fault.fault.split(' at ')[0] for effect in effects])}"
    if any(effect.probes for effect in effects):
        text += f": {_worst(effects)}"
    counted = kept(record)
    if counted is not None and counted[1]:
        return f"{text}, {format_count(counted[1])} acknowledged writes lost"
    if record.ledger is not None and not record.ledger.sound:
        return f"{text}, HDFS lost or changed acknowledged data"
    if any(warning.code == LEDGER_UNREAD for warning in record.warnings):
        return f"{text}, acknowledged data not read back"
    return text if counted is None and record.ledger is None else f"{text}, nothing acknowledged lost"


def kept(record: RunRecord) -> tuple[int, int] | None:
    """Fields whose last acknowledged write was sought, and those that lost it; None if nobody looked."""
    metrics = {metric.name: round(metric.value) for result in record.workloads for metric in result.metrics}
    return (metrics[CELLS_READ], metrics[CELLS_LOST]) if CELLS_READ in metrics else None


def _worst(effects: Sequence[FaultEffect]) -> str:
    worst = max(effects, key=lambda effect: effect.longest_s)
    blind_s = max(effect.blind_s for effect in effects)
    later_s = max((stall.longest_s for effect in effects for stall in effect.later), default=0.0)
    if worst.stall is not None:
        waits = [f"{seconds(wait.longest_s)} for {wait.client}" for wait in worst.clients]
        return f"up to {listed([f'{seconds(worst.longest_s)} without an answer to probes', *waits])}"
    if blind_s:
        return f"nothing was asked for the first {seconds(blind_s)}"
    apart = f", and a separate stall of {seconds(later_s)}" if later_s else ""
    return f"no time without an answer{apart}"


def _beginning(record: RunRecord, effect: FaultEffect, stall: Stall) -> str:
    """What else was going on when a stall began: a fault that was undone, or one still active."""
    for fault in record.faults:
        if fault.ended_s is not None and -_AT_ONCE_S <= stall.start_s - fault.ended_s <= SOON_S:
            return f", as {fault.fault} was undone"
    ended_s = effect.fault.ended_s
    if effect.fault.state != "done" and (ended_s is None or stall.start_s < ended_s):
        return ", before it was undone"
    return ""

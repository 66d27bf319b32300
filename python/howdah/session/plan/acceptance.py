"""Checks a plan against the rules before it is written: refuses fatal findings, reports doubtful ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howdah.audit.audit import plan_faults
from howdah.errors import UserError
from howdah.model.check import CheckVerdict
from howdah.model.plan import Advice, ClusterPlan, value_text
from howdah.planner.rule import Severity

_SHOWN = 3
"""As many faults as one message names."""


class _Fault(NamedTuple):
    """What is wrong with one key of a plan, and how much that matters."""

    key: str
    advice: Advice
    fix: str


def held_plan(plan: ClusterPlan, file: str = "", *, force: bool) -> ClusterPlan:
    """The plan with all that is fatal or doubtful in it as advice, where its values do not say so themselves.

    Raises UserError for what is fatal unless it is forced; ``file`` is the plan's, where it was planned
    before.
    """
    faults = tuple(_faults(plan))
    fatal = [fault for fault in faults if fault.advice.severity == Severity.MUST.value]
    if fatal and not force:
        raise _refusal(plan, fatal, file)
    return _advised(plan, [fault.advice for fault in faults])


def _faults(plan: ClusterPlan) -> Iterator[_Fault]:
    """What a check of the plan's files would find, then what only the plan's own values say."""
    printed: set[str] = set()
    for check in plan_faults(plan):
        printed.add(check.rule)
        severity = Severity.MUST if check.verdict is CheckVerdict.FAIL else Severity.SHOULD
        text = f"{check.about}: {check.found}; expected {check.expected}"
        yield _Fault(check.about, _advice(check.rule, severity, text, check.source), check.fix)
    for setting in plan.settings:
        for breach in setting.breaks:
            if breach.severity != Severity.MAY.value and breach.rule not in printed:
                text = f"{setting.key}: {value_text(setting.value)}; {breach.says}"
                severity = Severity(breach.severity)
                fix = f"leave {setting.key} out"
                yield _Fault(setting.key, _advice(breach.rule, severity, text, setting.source), fix)


def _advice(rule: str, severity: Severity, text: str, source: str) -> Advice:
    return Advice(rule=rule, severity=severity.value, text=text, source=source)


def _refusal(plan: ClusterPlan, fatal: Sequence[_Fault], file: str) -> UserError:
    """One message for all that is fatal, each key once, in the words of a check."""
    by_key = {fault.key: fault for fault in reversed(fatal)}
    first, *others = (by_key[key] for key in dict.fromkeys(fault.key for fault in fatal))
    what = first.advice.text.removeprefix(f"{first.key}: ")
    if others:
        named = "; ".join(fault.advice.text for fault in others[: _SHOWN - 1])
        more = len(others) - _SHOWN + 1
        what += f". Also fatal: {named}{f'; and {more} more' if more > 0 else ''}"
    return UserError(
        f"{file}: {first.key}" if file else _flag(plan, first.key),
        f"breaks {first.advice.rule}, which is fatal: {what}",
        f"{first.fix}; or give --force to write the plan anyway",
    )


def _flag(plan: ClusterPlan, key: str) -> str:
    """What the user gave a key with, or else the only value they gave, which then is what breaks it."""
    request = plan.cluster.request
    flags = {override.key: f"--set {override.key}={override.value}" for override in request.overrides}
    if request.replication is not None:
        flags["dfs.replication"] = f"--replication {request.replication}"
    if key in flags:
        return flags[key]
    return f"{next(iter(flags.values()))}: {key}" if len(flags) == 1 else key


def _advised(plan: ClusterPlan, printed: Sequence[Advice]) -> ClusterPlan:
    """The plan with this advice before its own; what a value already breaks by itself is not said again."""
    cluster = plan.cluster
    broken_rules = {breach.rule for setting in plan.settings for breach in setting.breaks}
    broken_rules |= {advice.rule for advice in cluster.advice}
    fresh = tuple(advice for advice in dict.fromkeys(printed) if advice.rule not in broken_rules)
    return plan.model_copy(
        update={"cluster": cluster.model_copy(update={"advice": (*fresh, *cluster.advice)})}
    )

"""How a broken rule's severity reads as a verdict, and what a check of it says."""

from __future__ import annotations

from howdah.model.check import Check, CheckVerdict
from howdah.planner.rule import Rule, Severity

_BROKEN = {
    Severity.MUST: CheckVerdict.FAIL,
    Severity.SHOULD: CheckVerdict.WARN,
    Severity.MAY: CheckVerdict.PASS,
}


def verdict(rule: Rule, ok: bool | None) -> CheckVerdict:
    """What an answer means: a broken MUST fails, a broken SHOULD warns, and a MAY is only mentioned."""
    if ok is None:
        return CheckVerdict.UNKNOWN
    return CheckVerdict.PASS if ok else _BROKEN[rule.severity]


def cannot_tell(rule: Rule, missing: str, *, about: str, where: str = "", actual: str = "") -> Check:
    """A rule that needs something that is not known."""
    return Check(
        rule=rule.id,
        verdict=CheckVerdict.UNKNOWN,
        about=about,
        where=where,
        found=actual,
        expected=missing,
        why=rule.says,
        source=rule.source,
    )

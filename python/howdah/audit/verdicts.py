"""How a broken rule's severity reads as a verdict, and what a check of it says."""

from __future__ import annotations

from howdah.model.check import Check, CheckVerdict
from howdah.planner.rule import Rule, Severity

_BROKEN = {
    Severity.MUST: CheckVerdict.FAIL,
    Severity.SHOULD: CheckVerdict.WARN,
    Severity.MAY: CheckVerdict.PASS,
}


def verdict(rule: Rule, ok: bool | None, *, default: bool = False) -> CheckVerdict:
    """What an answer means: a broken MUST fails, a broken SHOULD warns, and a MAY is only mentioned.

    ``default`` is whether the release's own value is in use: that a better one could be chosen is advice.
    """
    if ok is None:
        return CheckVerdict.UNKNOWN
    if not ok and default and rule.severity is Severity.SHOULD:
        return CheckVerdict.ADVICE
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

"""A rule as one explains it to an administrator: what it gives, when, why, and who says so."""

from __future__ import annotations

from typing import NamedTuple

from howdah.model.plan import Value
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile, Protection
from howdah.planner.facts import CannotTell, Facts
from howdah.planner.literature import KINDS, item
from howdah.planner.rule import Counsel, Decision, FamilyRule, Inspection, Rule, SettingRule, Severity

MEANINGS = {
    Severity.MUST: "breaking it loses data or work, or prevents a daemon from starting",
    Severity.SHOULD: "breaking it costs time",
    Severity.MAY: "there is a better choice",
}

_HELD_AGAINST = ("release", "drift")
"""Subjects whose rules only a check applies: to every property there is."""

_MIX = (Demand(kind="terasuite"), Demand(kind="ycsb"))
_MANY = (*_MIX, Demand(kind="spark"), Demand(kind="tez"))
_REQUESTS = (
    PlanRequest(),
    PlanRequest(workloads=_MANY),
    PlanRequest(workloads=(Demand(kind="ycsb"),)),
    PlanRequest(profile=Profile.PAPER),
    PlanRequest(workloads=_MANY, secure=True, hypervisor=Hypervisor.VSPHERE),
    PlanRequest(workloads=_MIX, secure=True, protection=Protection.HA, hypervisor=Hypervisor.KVM),
)
"""What a rule is asked about, one after the other, until it is about one of them."""


class CitedSource(NamedTuple):
    """One source of a rule: how it is cited, and where it is an item of the literature, the item itself."""

    label: str
    title: str = ""
    kind: str = ""
    says: str = ""


class Explanation(NamedTuple):
    """Everything about a rule.

    ``value`` is empty where no request alone decides it; ``because`` then says what does.
    """

    id: str
    subject: str
    does: str
    severity: Severity
    says: str
    condition: str
    profiles: tuple[Profile, ...]
    key: str
    file: str
    value: Value
    because: str
    today: str
    sources: tuple[CitedSource, ...]


def explain(rule: Rule) -> Explanation:
    """Explain one rule."""
    decision = _decision(rule) if isinstance(rule, SettingRule) else Decision("", "")
    return Explanation(
        id=rule.id,
        subject=rule.subject,
        does=_does(rule),
        severity=rule.severity,
        says=rule.says,
        condition=rule.condition,
        profiles=tuple(sorted(rule.profiles)),
        key=_key(rule),
        file=rule.file if isinstance(rule, SettingRule | FamilyRule) else "",
        value=decision.value,
        because=decision.because,
        today=rule.today,
        sources=tuple(map(spell, rule.sources)),
    )


def spell(source: str) -> CitedSource:
    """Spell one source out."""
    literature_item = item(source)
    if literature_item is None:
        return CitedSource(source)
    return CitedSource(
        literature_item.label, literature_item.title, KINDS[literature_item.kind], literature_item.says
    )


def _key(rule: Rule) -> str:
    match rule:
        case SettingRule():
            return rule.key
        case FamilyRule():
            return rule.family
        case _:
            return ""


def _does(rule: Rule) -> str:
    if rule.subject in _HELD_AGAINST:
        return "inspects what exists"
    match rule:
        case FamilyRule():
            return "sets a value for each"
        case SettingRule():
            return "sets a value" if rule.written else "holds the default"
        case Inspection():
            return "inspects what exists"
        case Counsel():
            return "advises"
        case _:
            return "weighs, sizes and places"


def _decision(rule: SettingRule) -> Decision:
    """What the rule decides where the request alone tells; else an empty value, and what it depends on."""
    missing: CannotTell | None = None
    for holds in (_may_hold, _any_request):
        # A rule that waits for what another one decides holds for no request by itself.
        for request in _REQUESTS:
            facts = Facts(request=request)
            try:
                if holds(rule, facts):
                    return rule.decide(facts)
            except CannotTell as unknown:
                missing = missing or unknown
        if missing is not None:
            return Decision("", f"depends on {str(missing).partition(':')[0]}")
    return Decision("", "")


def _any_request(rule: SettingRule, facts: Facts) -> bool:
    return True


def _may_hold(rule: SettingRule, facts: Facts) -> bool:
    """Whether the rule is about the request, as far as the request tells; its condition says the rest."""
    try:
        return rule.holds(facts)
    except CannotTell:
        return True

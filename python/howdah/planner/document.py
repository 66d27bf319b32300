"""The rules in words: what each requires, and its sources spelt out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from howdah.model import papers
from howdah.model.plan import Value
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile, Protection
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.rule import (
    MEANINGS,
    AdviceRule,
    Decision,
    FamilyRule,
    Inspection,
    Rule,
    SettingRule,
    Severity,
)
from howdah.planner.rules.declare import read_table

_HELD_AGAINST = ("release", "drift")  # Subjects with rules that only a check applies, to every property.
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
"""Requests that are tried until a rule applies to one."""


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

    @property
    def harm(self) -> str:
        """What breaking it does, by its severity."""
        return MEANINGS[self.severity]


_SOURCES = read_table("sources.toml")
_KINDS: Mapping[str, str] = _SOURCES["kinds"]
_RESOLVED = "X"  # A contradiction of papers that is resolved, whose number is of no paper.
PAPERS = {label: paper.title for label, paper in papers.PAPERS.items()}
PAPERS |= {"howdah": "howdah: where the papers disagree"}
GUIDES: Mapping[str, str] = _SOURCES["guides"]


class Item(NamedTuple):
    """One numbered recommendation, configuration, number or warning of one paper."""

    number: str
    kind: str  # A letter, as ``sources.toml`` has them.
    paper: str
    says: str

    @property
    def label(self) -> str:
        """How rules cite it: ``D0 49``, ``X7``."""
        return self.number if self.kind == _RESOLVED else f"{self.paper} {self.number}"

    @property
    def title(self) -> str:
        """The title of its paper, with the year."""
        return PAPERS[self.paper]


def explain(rule: Rule) -> Explanation:
    """Explain one rule."""
    decision, key = Decision("", ""), ""
    if isinstance(rule, SettingRule):
        decision, key = _decision(rule), rule.key
    return Explanation(
        id=rule.id,
        subject=rule.subject,
        does=_does(rule),
        severity=rule.severity,
        says=rule.says,
        condition=rule.condition,
        profiles=tuple(sorted(rule.profiles)),
        key=rule.family if isinstance(rule, FamilyRule) else key,
        file=rule.file if isinstance(rule, SettingRule | FamilyRule) else "",
        value=decision.value,
        because=decision.because,
        today=rule.today,
        sources=tuple(map(spell, rule.sources)),
    )


def spell(source: str) -> CitedSource:
    """Spell one source out."""
    if (cited := item(source)) is None:
        return CitedSource(source)
    return CitedSource(cited.label, cited.title, _KINDS[cited.kind], cited.says)


def _does(rule: Rule) -> str:
    if rule.subject in _HELD_AGAINST or isinstance(rule, Inspection):
        return "inspects what exists"
    if isinstance(rule, SettingRule):
        return "sets a value" if rule.written else "holds the default"
    does = {FamilyRule: "sets a value for each", AdviceRule: "advises"}
    return does.get(type(rule), "weighs, sizes and places")


def _decision(rule: SettingRule) -> Decision:
    """The decision if it follows from the request alone; otherwise an empty value and what it depends on."""
    missing: MissingFact | None = None
    for holds in (_may_hold, lambda rule, facts: True):
        # A rule that waits for what another one decides holds for no request by itself.
        for request in _REQUESTS:
            facts = Facts(request=request)
            try:
                if holds(rule, facts):
                    return rule.decide(facts)
            except MissingFact as unknown:
                missing = missing or unknown
        if missing is not None:
            return Decision("", f"depends on {str(missing).partition(':')[0]}")
    return Decision("", "")


def _may_hold(rule: SettingRule, facts: Facts) -> bool:
    try:
        return rule.holds(facts)
    except MissingFact:
        return True


@cache
def items() -> dict[str, Item]:
    """Every item by the label that rules cite it by, in the literature's order."""
    text = files("howdah.planner.rules").joinpath("literature.json").read_text(encoding="utf-8")
    return {item.label: item for item in (Item(**load) for load in json.loads(text))}


def item(source: str) -> Item | None:
    """The item a source cites; None where it is something else, a release or an issue for instance."""
    cited = re.match(r"(D\d \d+a?|X\d+)(?![\w.])", source)
    return items().get(cited[1]) if cited else None


def source_text(source: str) -> str:
    """What a source is, in a sentence for those who only have the files."""
    if cited := item(source):
        return f"{_KINDS[cited.kind]} of *{cited.title}*: {cited.says}"
    if place := GUIDES.get(source):
        return f"a guide: {place}"
    form, meaning = next(entry for entry in _SOURCES["forms"].items() if re.fullmatch(entry[0], source))
    return re.sub(form, meaning, source, count=1)

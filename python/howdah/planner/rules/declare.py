"""The form in which rules are written: one declaration each, in the order in which they apply.

A module has ``rules = Rules(file="hdfs-site.xml")`` and declares::

    rules.fixed("hdfs.permissions", "dfs.permissions.enabled", True, MUST, written=False).text(
        "Permissions are checked.", "without the check every user may delete everything"
    )

    @rules.setting("hdfs.block-size", "dfs.blocksize", sources="X7, D0 49", accepts=at_least)
    def block_size(facts: Facts) -> Decision:
        '''Blocks of 256 MiB.'''

    @rules.inspection("hdfs.single-replica", MUST, sources="X5")
    def single_replica(reading: Inspected, facts: Facts) -> Iterator[Observation]:
        '''Never one replica of data that cannot be made again.'''

The first paragraph of the function's docstring is the rule's sentence. ``rules.under(when=WITH_HBASE)`` gives
what further declarations have in common.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from inspect import getdoc
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar, Unpack

from howdah.model.plan import Value
from howdah.model.request import Profile
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, is_temporary, path_list
from howdah.planner.rule import (
    AdviceRule,
    Decision,
    FamilyRule,
    Inspection,
    Rule,
    Scope,
    SettingRule,
    Severity,
    always,
)

Decide = Callable[[Facts], Decision]
Members = Callable[[Facts], Mapping[str, Decision]]
Inspect = Callable[[Inspected, Facts], Iterable[Observation]]
Advise = Callable[[Facts], str | None]
_Function = TypeVar("_Function", bound=Callable[..., object])
_Kind = TypeVar("_Kind", bound=Rule)


class Condition(NamedTuple):
    """When a rule holds: in words, by the facts, and in which profiles."""

    text: str
    applies: Callable[[Facts], bool] = always
    profiles: frozenset[Profile] = frozenset(Profile)


class Common(TypedDict, total=False):
    """Fields of any rule.

    ``sources`` are separated by commas. A text for ``when`` replaces only the words of the condition.
    """

    sources: str
    when: Condition | str
    today: str


class Options(Common, total=False):
    """Fields of a rule about a key; SettingRule explains them."""

    file: str
    accepts: Callable[[Value, Decision, Facts], bool]
    scope: Scope
    written: bool
    needs: str
    default_harms: bool
    default_will_do: bool


ALWAYS = Condition("always")
PRODUCTION = Condition("production", profiles=frozenset({Profile.PRODUCTION}))


@dataclass(frozen=True, slots=True)
class Draft(Generic[_Function, _Kind]):
    """A rule without its sentence and its function: decorate the function, or give both."""

    rules: Rules
    kind: type[_Kind]
    role: str
    fields: Mapping[str, Any]

    def __call__(self, function: _Function) -> _Function:
        """Make the rule of a function whose docstring begins with the rule's sentence."""
        sentence = (getdoc(function) or "").partition("\n\n")[0]
        self.by(" ".join(sentence.split()), function)
        return function

    def by(self, sentence: str, function: _Function) -> _Kind:
        """Make the rule of a function that other rules share."""
        fields: dict[str, Any] = {"says": sentence, self.role: function, **self.fields}
        rule = self.kind(**fields)
        self.rules.declared.append(rule)
        return rule


@dataclass(frozen=True, slots=True)
class FixedDraft:
    """A rule of a value that no fact changes, without its texts."""

    draft: Draft[Decide, SettingRule]
    value: Value

    def text(self, sentence: str, reason: str, sources: str = "") -> SettingRule:
        """Make the rule: its sentence, the reason for the value, and the sources of both."""
        decision = Decision(self.value, reason)
        fields = {**self.draft.fields, **({"sources": _split(sources)} if sources else {})}
        return replace(self.draft, fields=fields).by(sentence, lambda facts: decision)


@dataclass(frozen=True, slots=True)
class AdviceDraft(Draft[Advise, AdviceRule]):
    """Advice without its sentence: decorate a function that words it, or give a text for every cluster."""

    def text(self, sentence: str, advice: str) -> AdviceRule:
        """Make advice that no fact changes."""
        return self.by(sentence, lambda facts: advice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of one module in their order, and what their declarations have in common."""

    file: str = ""
    severity: Severity = Severity.SHOULD
    sources: str = ""
    when: Condition = ALWAYS
    scope: Scope = Scope.CLUSTER
    written: bool = True
    declared: list[Rule] = field(default_factory=list)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.declared)

    def under(self, **common: Any) -> Rules:
        """The same list of rules, with other fields in common."""
        return replace(self, **common)

    def fixed(
        self,
        rule_id: str,
        key: str,
        value: Value,
        severity: Severity | None = None,
        **options: Unpack[Options],
    ) -> FixedDraft:
        """Declare a value that is the same for every cluster."""
        return FixedDraft(self.setting(rule_id, key, severity, **options), value)

    def setting(
        self, rule_id: str, key: str, severity: Severity | None = None, **options: Unpack[Options]
    ) -> Draft[Decide, SettingRule]:
        """Declare a value that a function decides."""
        shared = {"file": self.file, "scope": self.scope, "written": self.written}
        return Draft(
            self, SettingRule, "decide", {"key": key, **shared, **self._common(rule_id, severity, **options)}
        )

    def family(
        self, rule_id: str, family: str, severity: Severity | None = None, **options: Unpack[Options]
    ) -> Draft[Members, FamilyRule]:
        """Declare keys that hold the cluster's own names; a function gives each with its value."""
        common = self._common(rule_id, severity, **options)
        return Draft(self, FamilyRule, "members", {"family": family, "file": self.file, **common})

    def inspection(
        self, rule_id: str, severity: Severity | None = None, **common: Unpack[Common]
    ) -> Draft[Inspect, Inspection]:
        """Declare an inspection of what exists."""
        return Draft(self, Inspection, "inspect", self._common(rule_id, severity, **common))

    def advice(self, rule_id: str, severity: Severity | None = None, **common: Unpack[Common]) -> AdviceDraft:
        """Declare advice that a plan gives."""
        return AdviceDraft(self, AdviceRule, "advise", self._common(rule_id, severity, **common))

    def principle(
        self, rule_id: str, sentence: str, severity: Severity | None = None, **common: Unpack[Common]
    ) -> Rule:
        """Declare a rule that the planner's own steps follow."""
        rule = Rule(says=sentence, **self._common(rule_id, severity, **common))
        self.declared.append(rule)
        return rule

    def _common(self, rule_id: str, severity: Severity | None, **options: Unpack[Options]) -> dict[str, Any]:
        when = options.pop("when", self.when)
        condition = self.when._replace(text=when) if isinstance(when, str) else when
        sources = options.pop("sources", self.sources)
        return {
            "id": rule_id,
            "severity": severity or self.severity,
            "sources": _split(sources),
            "condition": condition.text,
            "applies": condition.applies,
            "profiles": condition.profiles,
            **options,
        }


Accepts = Callable[[Value, Decision, Facts], bool]
"""Whether a value that exists will do."""


def _split(sources: str) -> tuple[str, ...]:
    return tuple(sources.split(", "))


@cache
def read_table(name: str) -> Mapping[str, Any]:
    """A file of ``planner/rules`` with values alone, ``consistency/bounds.toml``."""
    return tomllib.loads(files("howdah.planner.rules").joinpath(name).read_text(encoding="utf-8"))


def as_number(value: Value) -> float:
    """A number, also where it was read as text; raises ValueError."""
    return float(str(value))


def at_least(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept the value decided on or a larger number."""
    return as_number(value) >= as_number(decision.value)


def at_most(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept the value decided on or a smaller number."""
    return as_number(value) <= as_number(decision.value)


def between(low: float, high: float) -> Accepts:
    """Accept any number from ``low`` to ``high``."""
    return lambda value, decision, facts: low <= as_number(value) <= high


def within_factor(low: float, high: float) -> Accepts:
    """Accept any number from ``low`` to ``high`` times the one decided on."""

    def accepts(value: Value, decision: Decision, facts: Facts) -> bool:
        planned = as_number(decision.value)
        return low * planned <= as_number(value) <= high * planned

    return accepts


def one_of(*values: Value) -> Accepts:
    """Accept any of ``values``, and whatever was decided on."""
    return lambda value, decision, facts: value == decision.value or value in values


def anything(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept every value: the rule chooses, and other choices are as good."""
    return True


def set_at_all(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept every value but an empty one."""
    return bool(value)


def lasting(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept directories that outlive a reboot."""
    paths = path_list(value)
    return bool(paths) and not any(is_temporary(path) for path in paths)

"""Rules are data: a file of ``planner/rules`` lists those of its subjects, in the order in which they apply::

    [hdfs]
    file = "hdfs-site.xml"

    [hdfs.permissions]
    key = "dfs.permissions.enabled"
    value = true
    severity = "must"
    sentence = "Permissions are checked."
    reason = "without the check every user may delete everything"

A field of a subject is the default of its rules. ``when`` and ``accepts`` are names; ``when`` may list names
that hold together. ``case`` is words alone about when a rule applies. Of several values,
``value.hbase`` and ``value.usual``, each with its reason, the first one whose condition holds is chosen:
``cases.hbase = "with HBase"``. Only what must be computed is Python: the module of the file's name has
``rules = read_rules("hdfs.toml")`` and gives each function its rule's id, or its name in the file::

    @rules.decides("hdfs.block-size")
    def _block_size(facts: Facts) -> Decision: ...

    @rules.accepts("up to 1 GiB")
    def _few_blocks(value: Value, decision: Decision, facts: Facts) -> bool: ...

An inspection by texts is data as well: ``judges`` is the key, or several, ``accepts`` what will do, and
``reads`` the form of texts that are judged, whose groups are values. ``unset`` is shown for a key that is not
set and then judged as an empty text, at the ``place`` of another key or file. With ``of``, ``judges`` is the
form of names in ``effective``, ``properties`` or ``environment``, in ``files`` with names of a form. ``if``
has the forms of other keys' texts; ``several_hosts`` is for configurations of several. ``shown`` is what is
seen where that is not the text.

Words are in the file, also those of rules with a function, which gives the values in braces: the ``reason``
of a decision, with its ``{value}``; ``expected`` and ``fix`` of an inspection, with ``{key}``, ``{found}``
and ``{where}`` of what it saw; ``advice``; ``words`` of what the planner weighs, sizes and places. The
function names one of several: ``reason.small``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, wraps
from importlib.resources import files
from typing import Any, TypeVar

from howdah.model.host import Host
from howdah.model.plan import Advice, Judgement, Value
from howdah.model.request import Profile
from howdah.planner.facts import Facts
from howdah.planner.heap import heap_enough
from howdah.planner.reading import Inspected, Observation, Values, is_temporary, path_list
from howdah.planner.rule import (
    CONDITIONS,
    AdviceRule,
    Decision,
    FamilyRule,
    Inspection,
    Rule,
    Scope,
    SettingRule,
    Severity,
    always,
    equal,
    realm,
)

Accepts = Callable[[Value, Decision, Facts], bool]  # Whether a value that exists will do.
Decide = Callable[[Facts], Decision]
Members = Callable[[Facts], Mapping[str, Decision]]
Inspect = Callable[[Inspected, Facts], Iterable[Observation]]
InspectHost = Callable[[Host, Facts], Iterable[Observation]]
Advise = Callable[[Facts], str | Values | None]
Applies = Callable[[Facts], bool]
_Function = TypeVar("_Function", bound=Callable[..., object])
_Decide = TypeVar("_Decide", bound=Decide)
_Members = TypeVar("_Members", bound=Members)
_Inspect = TypeVar("_Inspect", bound=Inspect)
_Advise = TypeVar("_Advise", bound=Advise)
_Names = TypeVar("_Names", bound=StrEnum)

_OF_ALL = frozenset({
    "sentence", "severity", "sources", "when", "case", "profile", "today", "words",
    "default_harms", "default_will_do",
    "file", "scope",  # Subjects have these for their settings, and so have their other rules.
})  # fmt: skip
_OF_KINDS = {
    kind: frozenset(names.split())
    for kind, names in {
        "key": "key value reason cases accepts written needs",
        "family": "family reason",
        "judges": "judges of files reads accepts unset place if several_hosts shown expected fix",
        "advice": "advice",
        "principle": "principle",
    }.items()
}
"""Fields of a rule by the one that shows its kind; a rule with none of them has a function that shows it."""
_OF_INSPECTIONS = frozenset({"expected", "fix"})
_FIELDS = _OF_ALL.union(_OF_INSPECTIONS, *_OF_KINDS.values())
_TRUTHS = frozenset({"written", "default_harms", "default_will_do", "principle", "several_hosts"})
_SEVERAL = frozenset({"value", "cases", "accepts", "when", "judges", "if"})  # Fields of several forms.
_CHOSEN = _OF_INSPECTIONS | {"reason", "advice", "words"}
"""Fields that may have several texts, each with a name."""
_REALM = "{realm}"  # Stands for the cluster's Kerberos realm in a value.


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """The rules of one file in their order, and the functions that modules give them."""

    file: str
    entries: Mapping[str, Mapping[str, Any]]
    conditions: dict[str, tuple[str, Applies]] = field(default_factory=dict)
    acceptances: dict[str, Accepts] = field(default_factory=dict)
    _functions: dict[str, tuple[str, Callable[..., Any]]] = field(default_factory=dict)
    _made: dict[str, Rule] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Rule]:
        return map(self.__getitem__, self.entries)

    def __getitem__(self, rule_id: str) -> Rule:
        """The rule of an id; raises ValueError where the file has a mistake."""
        if rule_id not in self._made:
            self._made[rule_id] = self._rule(rule_id, self.entries[rule_id])
        return self._made[rule_id]

    def text(self, rule_id: str, words: str = "", /, **values: object) -> str:
        """One of a rule's texts that the planner uses, with values in it."""
        return _words(self.entries[rule_id], "words", words, values)

    def pro(self, rule_id: str, words: str, weight: float = 0.0, /, **values: object) -> Judgement:
        """A pro of a platform in the rule's words."""
        return self[rule_id].pro(self.text(rule_id, words, **values), weight)

    def con(self, rule_id: str, words: str, weight: float = 0.0, /, **values: object) -> Judgement:
        """A con of a platform in the rule's words."""
        return self[rule_id].con(self.text(rule_id, words, **values), weight)

    def refuses(self, rule_id: str, words: str, /, **values: object) -> Judgement:
        """Why a platform is impossible, in the rule's words."""
        return Judgement(rule=rule_id, verdict="refused", text=self.text(rule_id, words, **values))

    def advice(self, rule_id: str, words: str = "", /, **values: object) -> Advice:
        """Advice in the rule's words."""
        return self[rule_id].advice(self.text(rule_id, words, **values))

    def decides(self, *rule_ids: str) -> Callable[[_Decide], _Decide]:
        """Mark a function that decides the value of a key."""
        return self._marks("decide", rule_ids)

    def members(self, *rule_ids: str) -> Callable[[_Members], _Members]:
        """Mark a function that gives keys with the cluster's own names, each with its value."""
        return self._marks("members", rule_ids)

    def inspects(self, *rule_ids: str) -> Callable[[_Inspect], _Inspect]:
        """Mark a function that inspects what exists."""
        return self._marks("inspect", rule_ids)

    def inspects_hosts(
        self, rule_id: str, *, virtual: bool | None = None
    ) -> Callable[[InspectHost], InspectHost]:
        """Mark a function that inspects a host if there is one, or only a ``virtual`` or a physical one."""

        def register(function: InspectHost) -> InspectHost:
            def inspect(reading: Inspected, facts: Facts) -> Iterable[Observation]:
                host = reading.host
                if host is None or virtual not in (None, host.virtualisation.is_virtual):
                    return ()
                return function(host, facts)

            self._marks("inspect", (rule_id,))(inspect)
            return function

        return register

    def advises(self, *rule_ids: str) -> Callable[[_Advise], _Advise]:
        """Mark a function that words the advice of a plan."""
        return self._marks("advise", rule_ids)

    def accepts(self, name: str) -> Callable[[Accepts], Accepts]:
        """Give a name to a function that accepts values."""

        def register(function: Accepts) -> Accepts:
            if name in self.acceptances or name in _ACCEPTANCES:
                raise self._mistake(name, "is accepted by two functions")
            self.acceptances[name] = function
            return function

        return register

    def when(self, name: str, words: str = "") -> Callable[[Applies], Applies]:
        """Give a name to a condition, and the words that readers see where they are others."""

        def register(function: Applies) -> Applies:
            if name in self.conditions or name in CONDITIONS:
                raise self._mistake(name, "is a condition of two functions")
            self.conditions[name] = words or name, function
            return function

        return register

    def _marks(self, role: str, rule_ids: Iterable[str]) -> Callable[[_Function], _Function]:
        def register(function: _Function) -> _Function:
            for rule_id in rule_ids:
                if rule_id not in self.entries:
                    raise self._mistake(rule_id, "has a function and no entry")
                if rule_id in self._functions:
                    raise self._mistake(rule_id, "has two functions")
                self._functions[rule_id] = (role, function)
            return function

        return register

    def _rule(self, rule_id: str, entry: Mapping[str, Any]) -> Rule:
        kind = next((kind for kind in _OF_KINDS if kind in entry), "")
        self._check(rule_id, entry, kind)
        words, applies = self._condition(rule_id, entry.get("when", "always"))
        common: dict[str, Any] = {
            "id": rule_id,
            "says": entry["sentence"],
            "severity": self._named(rule_id, Severity, entry.get("severity", Severity.SHOULD)),
            "sources": tuple(entry["sources"].split(", ")),
            "condition": entry.get("case", words),
            "applies": applies,
            "today": entry.get("today", ""),
            "default_harms": entry.get("default_harms", False),
            "default_will_do": entry.get("default_will_do", False),
        }
        if "profile" in entry:
            common["profiles"] = frozenset({self._named(rule_id, Profile, entry["profile"])})
        role, function = self._functions.get(rule_id, ("", always))
        if kind == "judges" and not role:
            kind, role, function = "", "inspect", self._judging(rule_id, entry)
        match kind, role:
            case "key", _:
                return SettingRule(**common, **self._setting(rule_id, entry))
            case "family", "members":
                return FamilyRule(
                    **common,
                    family=entry["family"],
                    file=entry["file"],
                    members=lambda facts: {
                        key: _with_reason(decision, entry) for key, decision in function(facts).items()
                    },
                )
            case "principle", "":
                return Rule(**common)
            case "advice", "":
                return AdviceRule(**common, advise=lambda facts: str(entry["advice"]))
            case "", "inspect":
                return Inspection(**common, inspect=_worded(function, entry))
            case (("advice" | ""), "advise"):
                return AdviceRule(**common, advise=lambda facts: _advice(function(facts), entry))
            case _:
                raise self._mistake(rule_id, "has no function of its kind")

    def _check(self, rule_id: str, entry: Mapping[str, Any], kind: str) -> None:
        """Raise ValueError for fields that a rule of this kind does not have, or has in another form."""
        allowed = _OF_ALL | _OF_KINDS.get(kind, _OF_INSPECTIONS)
        if unknown := entry.keys() - _FIELDS or entry.keys() - allowed:
            fields = ", ".join(sorted(allowed))
            raise self._mistake(rule_id, f"unknown field {min(unknown)!r}; fields are {fields}")
        for name, value in entry.items():
            form = bool if name in _TRUTHS else str
            forms = (form, dict) if name in _CHOSEN else form
            if name not in _SEVERAL and not isinstance(value, forms):
                raise self._mistake(rule_id, f"{name} is {value!r}, which is no {form.__name__}")
        for name in ("sentence", "sources", *(("file",) if kind in ("key", "family") else ())):
            if not entry.get(name):
                raise self._mistake(rule_id, f"has no {name}")

    def _setting(self, rule_id: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        role, function = self._functions.get(rule_id, ("", always))
        if (role == "decide") is ("value" in entry):
            raise self._mistake(
                rule_id, "has neither a value nor a function" if not role else "has a value and a function"
            )
        if "value" in entry and not entry.get("reason"):
            raise self._mistake(rule_id, "a value in the file has its reason there, and no other")

        def decide(facts: Facts) -> Decision:
            return _with_reason(function(facts), entry)

        return {
            "key": entry["key"],
            "file": entry["file"],
            "decide": decide if role else self._fixed(rule_id, entry),
            "accepts": self._acceptance(rule_id, entry.get("accepts")),
            "scope": self._named(rule_id, Scope, entry.get("scope", Scope.CLUSTER)),
            "written": entry.get("written", True),
            "needs": entry.get("needs", ""),
        }

    def _condition(self, rule_id: str, name: str | list[str]) -> tuple[str, Applies]:
        """What readers see of a condition, or of several that hold together, and its function."""
        if isinstance(name, list):
            parts = [self._condition(rule_id, part) for part in name]
            words = ", ".join(part for part, _ in parts)
            return words, lambda facts: all(applies(facts) for _, applies in parts)
        if name not in self.conditions and name not in CONDITIONS:
            raise self._mistake(rule_id, f"unknown condition {name!r}; words alone are `case`")
        return self.conditions.get(name) or (name, CONDITIONS[name])

    def _fixed(self, rule_id: str, entry: Mapping[str, Any]) -> Decide:
        """The decision in the file; of several, the first one whose case holds, or the one without a case."""
        values, reasons = (
            row if isinstance(row, dict) else {"usual": row} for row in (entry["value"], entry["reason"])
        )
        cases = entry.get("cases", {})
        if values.keys() != reasons.keys() or len(cases.keys() & values.keys()) != len(values) - 1:
            raise self._mistake(rule_id, "several values have a reason each, and all but one a case")
        decisions = {
            name: Decision(tuple(value) if isinstance(value, list) else value, reasons[name])
            for name, value in values.items()
        }
        first = [(self._condition(rule_id, when)[1], decisions.pop(name)) for name, when in cases.items()]
        (usual,) = decisions.values()
        if isinstance(usual.value, str) and _REALM in usual.value:
            return lambda facts: usual._replace(value=str(usual.value).replace(_REALM, realm(facts)))
        return lambda facts: next((decision for applies, decision in first if applies(facts)), usual)

    def _judging(self, rule_id: str, entry: Mapping[str, Any]) -> Inspect:
        """The inspection of texts, those that have the form of ``reads``."""
        accepts = self._acceptance(rule_id, entry.get("accepts"))
        reads = re.compile(entry.get("reads", ".*"), re.DOTALL)
        needed: Mapping[str, str] = entry.get("if", {})

        def inspect(reading: Inspected, facts: Facts) -> Iterator[Observation]:
            if entry.get("several_hosts") and not reading.has_several_hosts:
                return
            if not all(re.fullmatch(form, (reading.text(key) or "").strip()) for key, form in needed.items()):
                return
            for name, text, where, values in _texts(reading, entry):
                if match := reads.fullmatch(text):
                    ok, shown = accepts(text, Decision(""), facts), entry.get("shown", text)
                    shown = shown or entry.get("unset", "")
                    yield Observation(ok, name, shown, where=where, values=values | match.groupdict())

        return inspect

    def _acceptance(self, rule_id: str, form: object) -> Accepts:
        if form is None:
            return equal
        if isinstance(form, list):
            return lambda value, decision, facts: value == decision.value or value in form
        accepts = self.acceptances.get(str(form)) or _ACCEPTANCES.get(str(form)) or _by_form(str(form))
        if accepts is None:
            raise self._mistake(rule_id, f"accepts {form!r}, which is unknown")
        return accepts

    def _named(self, rule_id: str, names: type[_Names], name: str) -> _Names:
        if name not in list(names):
            raise self._mistake(
                rule_id, f"unknown {names.__name__.lower()} {name!r}; one of {', '.join(names)}"
            )
        return names(name)

    def _mistake(self, rule_id: str, problem: str) -> ValueError:
        return ValueError(f"{self.file}: {rule_id}: {problem}")


@cache
def read_rules(name: str) -> Rules:
    """The rules of a file of ``planner/rules``, the same object for all modules with their functions."""
    return Rules(name, entries_of(read_table(name)))


def entries_of(table: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    """The fields of rules by their ids, with those of their subjects where they have none of their own."""
    entries: dict[str, Mapping[str, Any]] = {}
    for subject, rows in table.items():
        shared = {name: row for name, row in rows.items() if not isinstance(row, dict)}
        entries |= {f"{subject}.{name}": shared | row for name, row in rows.items() if isinstance(row, dict)}
    return entries


@cache
def read_table(name: str) -> Mapping[str, Any]:
    """A file of ``planner/rules`` in TOML: rules, or values alone as in ``consistency/limits.toml``."""
    return tomllib.loads(files("howdah.planner.rules").joinpath(name).read_text(encoding="utf-8"))


def pattern(name: str) -> str:
    """A regular expression of ``keys.toml``."""
    return "".join(read_table("keys.toml")["patterns"][name])


def _words(entry: Mapping[str, Any], name: str, chosen: str, values: Values) -> str:
    """The text of a field, the chosen one of several, with values in it; empty where there is none."""
    text = entry.get(name, "")
    return str(text if isinstance(text, str) else text.get(chosen, "")).format_map(values)


def _texts(reading: Inspected, entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str, dict[str, object]]]:
    """The names, texts and places that an inspection judges, and values for its words."""
    judges, of, files, place = (entry.get(name, "") for name in ("judges", "of", "files", "place"))
    for listed in getattr(reading, of) if of else ():
        if re.fullmatch(judges, listed.name) and re.fullmatch(files or ".*", listed.base_name):
            yield listed.name, listed.text.strip(), listed.place, {"file": listed.file}
    for key in () if of else [judges] if isinstance(judges, str) else judges:
        text = reading.text(key)
        if text is not None or "unset" in entry:
            yield key, (text or "").strip(), reading.where(key) or reading.where(place) or place, {}


def _worded(inspect: Inspect, entry: Mapping[str, Any]) -> Inspect:
    """The inspection with the file's words where it gives none."""
    if _OF_INSPECTIONS.isdisjoint(entry):
        return inspect

    @wraps(inspect)
    def inspect_and_word(reading: Inspected, facts: Facts) -> Iterator[Observation]:
        for seen in inspect(reading, facts):
            values = {"key": seen.about, "found": seen.found, "where": seen.where, **seen.values}
            yield seen._replace(
                expected=seen.expected or _words(entry, "expected", seen.words, values),
                fix=seen.fix or _words(entry, "fix", seen.words, values),
                values={},
                words="",
            )

    return inspect_and_word


def _with_reason(decision: Decision, entry: Mapping[str, Any]) -> Decision:
    """The decision with the file's reason where it gives none."""
    values = {"value": decision.value, **decision.values}
    return decision._replace(because=decision.because or _words(entry, "reason", decision.words, values))


def _advice(values: str | Values | None, entry: Mapping[str, Any]) -> str | None:
    """The file's advice with the values of a function, of several texts the one that their ``words`` name."""
    if values is None or isinstance(values, str):
        return values
    return _words(entry, "advice", str(values.get("words", "")), values)


def as_number(value: Value) -> float:
    """A number, also where it was read as text; raises ValueError."""
    return float(str(value))


def protected(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept what encrypts, and what at least keeps messages from being changed."""
    return str(value).lower() in {"privacy", "integrity", "integrity,privacy", "privacy,integrity"}


_ACCEPTANCES: Mapping[str, Accepts] = {
    "anything": lambda value, decision, facts: True,
    "nothing": lambda value, decision, facts: False,
    "at least": lambda value, decision, facts: as_number(value) >= as_number(decision.value),
    "at most": lambda value, decision, facts: as_number(value) <= as_number(decision.value),
    "not empty": lambda value, decision, facts: bool(value),
    "lasting": lambda value, decision, facts: (
        bool(path_list(value)) and not any(map(is_temporary, path_list(value)))
    ),
    "three quarters of the heap": heap_enough,
    # Of any service and realm: hdfs/_HOST@REALM.
    "a principal": lambda value, decision, facts: "/" in str(value) and "@" in str(value),
    "integrity or privacy": protected,
}
"""What rules of several files accept, in addition to what ``_by_form`` reads."""
_RANGE = (
    r"((?P<word>[a-z]+) or |(?P<number>-?\d+) or )?"
    r"(at (?P<end>least|most) (?P<limit>\S+?)|(?P<low>\S+) to (?P<high>\S+?))(?P<times> times)?"
)
_KEY = r"[a-z][\w-]*(\.[\w-]+)+"


def _by_form(form: str) -> Accepts | None:
    """What ``5 to 50``, ``1 to plan``, ``0 or at least 4``, ``0.5 to 2 times`` and ``matches /.*`` accept.

    A limit may also be a key, and stands for its value.
    """
    if form.startswith("matches "):
        pattern = re.compile(form.removeprefix("matches "), re.DOTALL)
        return lambda value, decision, facts: pattern.fullmatch(str(value)) is not None
    match = re.fullmatch(_RANGE, form)
    if match is None:
        return None
    least = match["low"] or (match["limit"] if match["end"] == "least" else "-inf")
    most = match["high"] or (match["limit"] if match["end"] == "most" else "inf")
    try:
        low, high = (_limit(bound, times=bool(match["times"])) for bound in (least, most))
    except ValueError:
        return None

    def accepts(value: Value, decision: Decision, facts: Facts) -> bool:
        if str(value) == match["word"] or (match["number"] and as_number(value) == float(match["number"])):
            return True
        return low(decision, facts) <= as_number(value) <= high(decision, facts)

    return accepts


def _limit(bound: str, *, times: bool) -> Callable[[Decision, Facts], float]:
    if bound == "plan":
        return lambda decision, facts: as_number(decision.value)
    if re.fullmatch(_KEY, bound):
        return lambda decision, facts: facts.number(bound)
    number = float(bound)
    return lambda decision, facts: number * as_number(decision.value) if times else number

"""A rule: data with small pure functions, checked by a machine.

A SettingRule decides the value of a key for a plan (``decide``) and judges an existing value for a check
(``accepts``). An Inspection reads what exists where no single key shows it. An AdviceRule advises. All rules
of one subject are in the module of ``planner.rules`` that is named after it, or in the package of that name;
``planner.rules.declare`` has the form in which they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from howdah.model.plan import Advice, Input, Judgement, Setting, Value
from howdah.model.request import Profile
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation


class Severity(StrEnum):
    """What breaking a rule means: data or work is lost, time is lost, or there was a better choice."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"


MUST, SHOULD, MAY = Severity


class Damage(StrEnum):
    """The damage of a broken rule, the worst first."""

    CLUSTER = "stops a daemon, loses data or opens the cluster"
    JOBS = "fails jobs"
    SPEED = "costs time"


_OF_JOBS = frozenset(
    {
        "mapreduce",
        "sorting",
        "shuffle",
        "jobs",
        "spark",
        "tez",
        "containers",
        "queues",
        "scheduler",
        "executor",
    }
)
_OF_SECURITY = frozenset({"security", "rights", "kerberos", "tls"})


class Scope(StrEnum):
    """For what a setting is decided: once, for each group of hosts, or for each kind of worker."""

    CLUSTER = "cluster"
    HOST = "host"
    WORKER = "worker"


class Decision(NamedTuple):
    """A value, why it is that, and the numbers that went in."""

    value: Value
    because: str
    inputs: tuple[Input, ...] = ()


def always(facts: Facts) -> bool:
    """The condition of a rule that holds everywhere."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What every rule has.

    ``id`` is ``subject.name``; ``says`` is the rule in a sentence; ``sources`` are numbers of the
    literature (``D0 49``, ``X7``), releases, issues or ``howdah``; ``condition`` says in words what
    ``applies`` decides; ``today`` says what time has changed, with the release that changed it.
    ``default_harms`` says that a
    check warns of the release's default, too; otherwise a value that is not set is only advised, and with
    ``default_will_do`` also one that is set to the release's default.
    """

    id: str
    says: str
    sources: tuple[str, ...]
    severity: Severity = Severity.SHOULD
    condition: str = "always"
    applies: Callable[[Facts], bool] = always
    profiles: frozenset[Profile] = frozenset(Profile)
    today: str = ""
    default_harms: bool = False
    default_will_do: bool = False

    @property
    def subject(self) -> str:
        """The module or package of ``planner.rules`` it lives in."""
        return self.id.split(".", 1)[0]

    @property
    def damage(self) -> Damage:
        """The damage of breaking it, by its severity and its subject."""
        if self.severity is Severity.MUST:
            return Damage.JOBS if self.subject in _OF_JOBS else Damage.CLUSTER
        return Damage.CLUSTER if self.subject in _OF_SECURITY else Damage.SPEED

    @property
    def source(self) -> str:
        """The sources in one text."""
        return ", ".join(self.sources)

    def holds(self, facts: Facts) -> bool:
        """Whether the rule is about these facts at all."""
        return facts.request.profile in self.profiles and self.applies(facts)

    def setting(
        self,
        key: str,
        decision: Decision,
        *,
        file: str | None = None,
        worker: str | None = None,
        group: str | None = None,
    ) -> Setting:
        """The decision as a plan keeps it."""
        return Setting(
            key=key,
            value=decision.value,
            reason=decision.because,
            source=self.source,
            rule=self.id,
            file=file,
            worker=worker,
            group=group,
            inputs=decision.inputs,
        )

    def advice(self, text: str) -> Advice:
        """The rule as advice to the administrator."""
        return Advice(rule=self.id, severity=self.severity.value, text=text, source=self.source)

    def pro(self, text: str, weight: float = 0.0) -> Judgement:
        """A pro of a platform; ``weight`` as a fraction of TeraSort's time."""
        return Judgement(rule=self.id, verdict="for", text=text, weight=weight)

    def con(self, text: str, weight: float = 0.0) -> Judgement:
        """A con of a platform; ``weight`` is positive."""
        return Judgement(rule=self.id, verdict="against", text=text, weight=-weight)

    def refuses(self, text: str) -> Judgement:
        """A platform is impossible."""
        return Judgement(rule=self.id, verdict="refused", text=text)


def equal(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept only the value decided on."""
    return value == decision.value


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRule(Rule):
    """A rule about the value of one key.

    ``file`` is the file that holds it in a ConfigSet (``hdfs-site.xml``, ``sysctl.conf``;
    ``howdah.render.text`` has all). ``decide`` may read ``facts.decided`` for keys of rules before it.
    ``accepts`` judges a value that exists, of the same type as the one decided on. Where ``written``
    is false the value is the release's default, so it is judged but not rendered. ``needs`` is the key of
    a rule before it without which this key means nothing: where kinds of workers have that key apart,
    they have this one apart too, so that no file has it alone.
    """

    key: str
    file: str
    decide: Callable[[Facts], Decision]
    accepts: Callable[[Value, Decision, Facts], bool] = equal
    scope: Scope = Scope.CLUSTER
    written: bool = True
    needs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRule(Rule):
    """A rule about keys that hold names of the cluster's own: ``dfs.namenode.rpc-address.<ns>.<id>``.

    ``family`` is the form of the keys, the cluster's names in angle brackets; ``members`` gives every
    key with its value.
    """

    family: str
    file: str
    members: Callable[[Facts], Mapping[str, Decision]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection(Rule):
    """A rule about existing systems that depends on more than one key."""

    inspect: Callable[[Inspected, Facts], Iterable[Observation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceRule(Rule):
    """A rule that becomes advice in a plan: what to buy, to set in firmware or to watch."""

    advise: Callable[[Facts], str | None]

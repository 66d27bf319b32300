"""A rule: data with small pure functions, checked by a machine.

A SettingRule decides the value of a key for a plan (``decide``) and judges an existing value for a check
(``accepts``). An Inspection reads what exists where no single key shows it. An AdviceRule advises. Rules are
listed in the files of ``planner/rules``, whose form ``planner.rules.declare`` shows. Below are the conditions
that rules of many subjects share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from howdah.errors import UserError
from howdah.model.plan import Advice, Breach, Input, Judgement, Role, Setting, Value
from howdah.model.request import Hypervisor, Profile, Protection
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values


class Severity(StrEnum):
    """What breaking a rule means: data or work is lost, time is lost, or there was a better choice."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"


MUST, SHOULD, MAY = Severity
MEANINGS = {
    Severity.MUST: "breaking it loses data or work, or prevents a daemon from starting",
    Severity.SHOULD: "breaking it costs time",
    Severity.MAY: "there is a better choice",
}


class Damage(StrEnum):
    """The damage of a broken rule, the worst first."""

    CLUSTER = "stops a daemon, loses data or opens the cluster"
    JOBS = "fails jobs"
    SPEED = "costs time"


_OF_JOBS = {
    "mapreduce", "sorting", "shuffle", "jobs", "spark", "tez",
    "containers", "queues", "scheduler", "executor",
}  # fmt: skip
_OF_SECURITY = frozenset({"security", "rights", "kerberos", "tls"})


class Scope(StrEnum):
    """For what a setting is decided: once, for each group of hosts, or for each kind of worker."""

    CLUSTER = "cluster"
    HOST = "host"
    WORKER = "worker"


class Decision(NamedTuple):
    """A value, why it is that, and the numbers that went in.

    An empty ``because`` stands for the reason in the rule's file, the one called ``words`` of several, with
    ``values`` in it.
    """

    value: Value
    because: str = ""
    inputs: tuple[Input, ...] = ()
    values: Values = MappingProxyType({})
    words: str = ""


def inputs_of(*rows: tuple[str, int | float] | tuple[str, int | float, str]) -> tuple[Input, ...]:
    """Numbers that went into a decision or an observation: the name of each, the number and any unit."""
    return tuple(Input(name=row[0], value=row[1], unit=row[2] if len(row) == 3 else "") for row in rows)


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
        """What it is about: a page of the documentation."""
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

    def setting(self, key: str, decision: Decision, **place: Any) -> Setting:
        """The decision as a plan keeps it; its place is any ``file``, ``worker`` and ``group``."""
        value, reason, inputs, *_ = decision
        source = self.source
        return Setting(
            key=key, value=value, reason=reason, source=source, rule=self.id, inputs=inputs, **place
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


def with_user_value(setting: Setting, value: Value, breaks: tuple[Breach, ...] = ()) -> Setting:
    """The setting with a value of the user's instead, and the rules that it breaks."""
    source = {"origin": "user", "reason": "given by the user", "source": "command line"}
    return setting.model_copy(update={**source, "value": value, "breaks": breaks})


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


def in_study(facts: Facts) -> bool:
    """Whether a study is to be reproduced as it ran."""
    return facts.request.profile is Profile.PAPER


def shuffles_in_nodemanagers(facts: Facts) -> bool:
    """Whether NodeManagers serve shuffle files of Spark's executors, as they do for dynamic allocation."""
    dynamic, service = (
        str(facts.decided.get(f"spark.{key}.enabled")).lower() == "true"
        for key in ("dynamicAllocation", "shuffle.service")
    )
    return facts.request.spark_used and (service or (dynamic and not tracks_shuffles(facts)))


def tracks_shuffles(facts: Facts) -> bool:
    """Whether Spark keeps the executors whose shuffle files jobs still need, its default since 3.4.

    A plan prefers the shuffle service, which lets these executors end.
    """
    tracked = facts.decided.get("spark.dynamicAllocation.shuffleTracking.enabled")
    return not facts.planned if tracked is None else str(tracked).lower() == "true"


def runs(role: Role, at_least: int = 1, at_most: int | None = None) -> Callable[[Facts], bool]:
    """Whether the cluster has so many of a daemon."""

    def applies(facts: Facts) -> bool:
        many = len(facts.cluster.addresses(role))
        return many >= at_least and (at_most is None or many <= at_most)

    return applies


def is_paired(role: Role) -> Callable[[Facts], bool]:
    """Whether the cluster has two of a daemon."""
    return runs(role, at_least=2)


def in_pair(role: Role) -> Callable[[Facts], bool]:
    """Whether there are two of a daemon; where no cluster is known, whether the configuration has pairs."""

    def applies(facts: Facts) -> bool:
        if facts.planned:
            return is_paired(role)(facts)
        if role is Role.RESOURCEMANAGER:
            return facts.decided.get("yarn.resourcemanager.ha.enabled") is True
        return facts.request.protection is Protection.HA

    return applies


def several_ports(facts: Facts) -> bool:
    """Whether a host has more than one network port."""
    return sum(nic.count for nic in facts.group.nics) > 1


def under_vsphere(facts: Facts) -> bool:
    """Whether workers are virtual machines under vSphere."""
    return facts.request.dividing is Hypervisor.VSPHERE and facts.cluster.virtual


def under_kvm(facts: Facts) -> bool:
    """Whether workers are virtual machines under KVM."""
    return facts.request.hypervisor is Hypervisor.KVM and facts.cluster.virtual


def secured_mapreduce(facts: Facts) -> bool:
    """Whether MapReduce runs on a secure cluster."""
    return facts.request.secure and facts.request.mapreduce


def secured_hbase(facts: Facts) -> bool:
    """Whether HBase runs on a secure cluster."""
    return facts.request.secure and facts.request.hbase_used


def secured_pair(facts: Facts) -> bool:
    """Whether masters are paired on a secure cluster."""
    return facts.request.secure and facts.request.protection is Protection.HA


def realm(facts: Facts) -> str:
    """The Kerberos realm: the one asked for, or the hosts' domain in capitals; raises UserError."""
    if facts.request.realm:
        return facts.request.realm
    domain = facts.cluster.domain
    if not domain:
        problem = "the hosts share no domain that a Kerberos realm could be named after"
        raise UserError("--realm", problem, "give the realm, for instance --realm EXAMPLE.COM")
    return domain.upper()


CONDITIONS: Mapping[str, Callable[[Facts], bool]] = {
    "always": always,
    "a study is reproduced": in_study,
    "with MapReduce": lambda facts: facts.request.mapreduce,
    "with HBase": lambda facts: facts.request.hbase_used,
    "without HBase": lambda facts: not facts.request.hbase_used,
    "with Spark": lambda facts: facts.request.spark_used,
    "with Spark and dynamic allocation of executors": shuffles_in_nodemanagers,
    "with Hive on Tez": lambda facts: facts.request.tez_used,
    "with --secure": lambda facts: facts.request.secure,
    "without --secure": lambda facts: not facts.request.secure,
    "with high availability": lambda facts: facts.request.protection is Protection.HA,
    "without high availability": lambda facts: facts.request.protection is not Protection.HA,
    "with --secure and MapReduce": secured_mapreduce,
    "with --secure and HBase": secured_hbase,
    "with --secure and ha": secured_pair,
    "a host has more than one port": several_ports,
    "workers are virtual machines under vSphere": under_vsphere,
    "workers are virtual machines under KVM": under_kvm,
}
"""Those that files of rules name; a module adds conditions of its own."""

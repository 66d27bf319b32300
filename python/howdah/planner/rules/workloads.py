"""Rules that hold where MapReduce runs, or where HBase does, and what a study is given."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.request import Profile
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Scope, SettingRule, Severity
from howdah.planner.values import Accepts


def with_mapreduce(facts: Facts) -> bool:
    """Whether MapReduce runs on the cluster."""
    return facts.request.mapreduce


def with_hbase(facts: Facts) -> bool:
    """Whether HBase runs on the cluster."""
    return facts.request.hbase_used


def in_study(facts: Facts) -> bool:
    """Whether a study is to be reproduced as it ran."""
    return facts.request.profile is Profile.PAPER


def mapreduce_rule(
    rule_id: str,
    file: str,
    key: str,
    says: str,
    *,
    decide: Callable[[Facts], Decision],
    accepts: Accepts,
    sources: tuple[str, ...],
    severity: Severity = Severity.SHOULD,
    applies: Callable[[Facts], bool] = with_mapreduce,
    condition: str = "with MapReduce",
    scope: Scope = Scope.CLUSTER,
    written: bool = True,
    today: str = "",
) -> SettingRule:
    """A rule that holds where MapReduce runs."""
    return SettingRule(
        id=rule_id,
        says=says,
        sources=sources,
        severity=severity,
        applies=applies,
        condition=condition,
        key=key,
        file=file,
        decide=decide,
        accepts=accepts,
        scope=scope,
        written=written,
        today=today,
    )


def hbase_rule(
    rule_id: str,
    file: str,
    key: str,
    says: str,
    *,
    decide: Callable[[Facts], Decision],
    accepts: Accepts,
    sources: tuple[str, ...],
    severity: Severity = Severity.SHOULD,
    applies: Callable[[Facts], bool] = with_hbase,
    condition: str = "with HBase",
    scope: Scope = Scope.CLUSTER,
    written: bool = True,
    today: str = "",
) -> SettingRule:
    """A rule that holds where HBase runs."""
    return mapreduce_rule(
        rule_id,
        file,
        key,
        says,
        decide=decide,
        accepts=accepts,
        sources=sources,
        severity=severity,
        applies=applies,
        condition=condition,
        scope=scope,
        written=written,
        today=today,
    )

"""Rules that hold where MapReduce runs, or where HBase does, and what a study is given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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


def _rule(
    rule_id: str,
    file: str,
    key: str,
    says: str,
    *,
    decide: Callable[[Facts], Decision],
    accepts: Accepts,
    sources: tuple[str, ...],
    severity: Severity = Severity.SHOULD,
    applies: Callable[[Facts], bool],
    condition: str,
    scope: Scope = Scope.CLUSTER,
    written: bool = True,
    today: str = "",
) -> SettingRule:
    """A setting rule, its most telling parts first."""
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


mapreduce_rule = partial(_rule, applies=with_mapreduce, condition="with MapReduce")
"""A rule that holds where MapReduce runs."""
hbase_rule = partial(_rule, applies=with_hbase, condition="with HBase")
"""A rule that holds where HBase runs."""

"""Kerberos principals and keytabs of every service."""

from __future__ import annotations

from howdah.planner.conditions import secured, secured_pair
from howdah.planner.facts import Facts
from howdah.planner.rules.declare import read_rules

rules = read_rules("kerberos.toml")

_SECONDARY = "dfs.namenode.secondary.http-address"


@rules.when("with --secure, without ha, if a SecondaryNameNode has a host")
def _has_secondary(facts: Facts) -> bool:
    """Whether the cluster is planned with a SecondaryNameNode, or a configuration names its host."""
    named = facts.planned or not str(facts.decided.get(_SECONDARY, "0.0.0.0")).startswith("0.0.0.0")
    return secured(facts) and not secured_pair(facts) and named

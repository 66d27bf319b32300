"""Spark with Kerberos: who its history server is, and who sees and stops which application."""

from __future__ import annotations

from functools import partial

from howdah.planner.conditions import secured, spark_rule, with_spark
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Severity, equal
from howdah.planner.rules.security.settings import KEYTABS, realm
from howdah.planner.values import fixed, set_at_all


def _with_kerberos(facts: Facts) -> bool:
    return with_spark(facts) and secured(facts)


_rule = partial(
    spark_rule,
    sources=("Spark: security", "Spark: monitoring"),
    # The history server may have a file of its own, which whoever checks a client's cannot see.
    severity=Severity.SHOULD,
    applies=_with_kerberos,
    condition="with --secure and Spark",
)

RULES: tuple[Rule, ...] = (
    _rule(
        id="spark.history-kerberos",
        key="spark.history.kerberos.enabled",
        says="The history server proves who it is.",
        decide=fixed(True, "HDFS lets nobody in without: it would start and show nothing"),
        accepts=equal,
    ),
    _rule(
        id="spark.history-principal",
        key="spark.history.kerberos.principal",
        says="The history server has a principal of its own.",
        decide=lambda facts: Decision(
            f"spark@{realm(facts)}",
            "without the host's name, which the history server does not fill in for _HOST",
        ),
        accepts=lambda value, decision, facts: "@" in str(value) and "_HOST" not in str(value),
    ),
    _rule(
        id="spark.history-keytab",
        key="spark.history.kerberos.keytab",
        says="The history server finds its key.",
        decide=fixed(f"{KEYTABS}/spark.headless.keytab", "readable by the user spark alone"),
        accepts=set_at_all,
    ),
    _rule(
        id="spark.history-lists",
        key="spark.history.ui.acls.enable",
        says="The history server shows applications to their owners only.",
        decide=fixed(True, "it reads all logs, and by itself shows them to whoever asks"),
        accepts=equal,
    ),
    _rule(
        id="spark.lists",
        key="spark.acls.enable",
        says="An application is seen and stopped by its owner and administrators only.",
        decide=fixed(True, "its page shows its configuration and queries, and has a button that stops jobs"),
        accepts=equal,
    ),
)

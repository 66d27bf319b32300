"""Spark with Kerberos: who its history server is, and who sees and stops which application."""

from __future__ import annotations

from howdah.planner.conditions import secured, with_spark
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import Condition, Rules
from howdah.planner.rules.security.settings import KEYTABS, realm
from howdah.planner.values import set_at_all

rules = Rules()


def _with_kerberos(facts: Facts) -> bool:
    return with_spark(facts) and secured(facts)


# The history server may have a file of its own, which whoever checks a client's cannot see.

_rule = rules.under(
    when=Condition("with --secure and Spark", _with_kerberos),
    file="spark-defaults.conf",
    sources="Spark: security, Spark: monitoring",
)

_rule.fixed("spark.history-kerberos", "spark.history.kerberos.enabled", True).text(
    "The history server proves who it is.", "HDFS lets nobody in without: it would start and show nothing"
)
_rule.setting(
    "spark.history-principal",
    "spark.history.kerberos.principal",
    accepts=lambda value, decision, facts: "@" in str(value) and "_HOST" not in str(value),
).by(
    "The history server has a principal of its own.",
    lambda facts: Decision(
        f"spark@{realm(facts)}",
        "without the host's name, which the history server does not fill in for _HOST",
    ),
)
_rule.fixed(
    "spark.history-keytab",
    "spark.history.kerberos.keytab",
    f"{KEYTABS}/spark.headless.keytab",
    accepts=set_at_all,
).text("The history server finds its key.", "readable by the user spark alone")
_rule.fixed("spark.history-lists", "spark.history.ui.acls.enable", True).text(
    "The history server shows applications to their owners only.",
    "it reads all logs, and by itself shows them to whoever asks",
)
_rule.fixed("spark.lists", "spark.acls.enable", True).text(
    "An application is seen and stopped by its owner and administrators only.",
    "its page shows its configuration and queries, and has a button that stops jobs",
)

"""Rules about container-executor.cfg: on whose behalf the program that starts secure tasks may act.

The program runs as root and reads this file alone, none of Hadoop's own.
"""

from __future__ import annotations

from howdah.model.plan import Value
from howdah.planner.conditions import secured_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules

rules = read_rules("executor.toml")

FILE = "container-executor.cfg"
_CLASS = "yarn.nodemanager.container-executor.class"
_DAEMONS = frozenset({"hdfs", "yarn", "mapred"})
"""Users that no task may run as; the least user id excludes other users of the system."""


@rules.when("with --secure and MapReduce: NodeManagers run LinuxContainerExecutor")
def _in_use(facts: Facts) -> bool:
    """Whether NodeManagers start tasks by this program: a file as it is shipped lies in every release."""
    return secured_mapreduce(facts) and (
        facts.planned or str(facts.decided.get(_CLASS)).endswith(".LinuxContainerExecutor")
    )


@rules.accepts("a group")
def _names_a_group(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept any group: a separate rule compares it with that of yarn-site.xml."""
    return bool(str(value).strip()) and not str(value).startswith("#")


rules.accepts("all daemons")(
    lambda value, decision, facts: isinstance(value, tuple) and set(value) >= _DAEMONS
)

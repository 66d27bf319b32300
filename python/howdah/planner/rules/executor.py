"""Rules about container-executor.cfg: on whose behalf the program that starts secure tasks may act.

The program runs as root and reads this file alone, none of Hadoop's own.
"""

from __future__ import annotations

from howdah.model.plan import Value
from howdah.planner.conditions import SECURE_MODE, secured_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.rule import MUST, Decision
from howdah.planner.rules.declare import Condition, Rules, as_number

FILE = "container-executor.cfg"
_LEAST_USER_ID = 1000
"""Where distributions begin to number people; below are the system's own users."""
_LEAST_USER_ID_ONCE = 500
"""The same in distributions before 2014."""
_CLASS = "yarn.nodemanager.container-executor.class"
_DAEMONS = frozenset({"hdfs", "yarn", "mapred"})
"""Users that no task may run as; the least user id excludes other users of the system."""
rules = Rules()


def _in_use(facts: Facts) -> bool:
    """Whether NodeManagers start tasks by this program: a file as it is shipped lies in every release."""
    return secured_mapreduce(facts) and (
        facts.planned or str(facts.decided.get(_CLASS)).endswith(".LinuxContainerExecutor")
    )


executor = rules.under(
    when=Condition("with --secure and MapReduce: NodeManagers run LinuxContainerExecutor", _in_use),
    sources=SECURE_MODE,
    severity=MUST,
    file=FILE,
)


def _names_a_group(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept any group: a separate rule compares it with that of yarn-site.xml."""
    return bool(str(value).strip()) and not str(value).startswith("#")


executor.fixed(
    "executor.group", "yarn.nodemanager.linux-container-executor.group", "hadoop", accepts=_names_a_group
).text(
    "The NodeManager's group, and no other, may start tasks as other users.",
    "the group that owns the program and that the NodeManager's user belongs to",
)


executor.fixed(
    "executor.banned-users",
    "banned.users",
    ("hdfs", "yarn", "mapred", "hbase", "bin"),
    accepts=lambda value, decision, facts: isinstance(value, tuple) and set(value) >= _DAEMONS,
).text("No task runs as a daemon's user.", "as one of these a task could read all data")
executor.fixed(
    "executor.least-user",
    "min.user.id",
    _LEAST_USER_ID,
    accepts=lambda value, decision, facts: as_number(value) >= _LEAST_USER_ID_ONCE,
).text("No task runs as one of the system's users.", "ids of people start at 1000; root is 0")

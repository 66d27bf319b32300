"""Rules about container-executor.cfg: on whose behalf the program that starts secure tasks may act.

The program runs as root and reads this file alone, none of Hadoop's own.
"""

from __future__ import annotations

from functools import partial

from howdah.model.plan import Value
from howdah.planner.conditions import secure_mapreduce_rule, secured_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule
from howdah.planner.values import as_number, fixed

FILE = "container-executor.cfg"
_LEAST_USER_ID = 1000
"""Where distributions begin to number people; below are the system's own users."""
_LEAST_USER_ID_ONCE = 500
"""The same in distributions before 2014."""
_CLASS = "yarn.nodemanager.container-executor.class"
_DAEMONS = frozenset({"hdfs", "yarn", "mapred"})
"""Users whom no task may run as; of others the least number of a user keeps tasks."""


def _in_use(facts: Facts) -> bool:
    """Whether NodeManagers start tasks by this program: a file as it is shipped lies in every release."""
    planned = facts.known_cluster is not None
    return secured_mapreduce(facts) and (
        planned or str(facts.decided.get(_CLASS)).endswith(".LinuxContainerExecutor")
    )


def _bans_daemons(value: Value, decision: Decision, facts: Facts) -> bool:
    return isinstance(value, tuple) and set(value) >= _DAEMONS


def _names_a_group(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept any group: whether it is yarn-site.xml's is a rule of its own."""
    return bool(str(value).strip()) and not str(value).startswith("#")


_executor_rule = partial(
    secure_mapreduce_rule,
    file=FILE,
    applies=_in_use,
    condition="with --secure and MapReduce, where NodeManagers run LinuxContainerExecutor",
)

RULES: tuple[Rule, ...] = (
    _executor_rule(
        id="executor.group",
        key="yarn.nodemanager.linux-container-executor.group",
        says="The NodeManager's group, and no other, may start tasks as other users.",
        decide=fixed("hadoop", "the group that owns the program and that the NodeManager's user belongs to"),
        accepts=_names_a_group,
    ),
    _executor_rule(
        id="executor.banned-users",
        key="banned.users",
        says="No task runs as a daemon's user.",
        decide=fixed(
            ("hdfs", "yarn", "mapred", "hbase", "bin"), "as one of these a task could read all data"
        ),
        accepts=_bans_daemons,
    ),
    _executor_rule(
        id="executor.least-user",
        key="min.user.id",
        says="No task runs as one of the system's users.",
        decide=fixed(_LEAST_USER_ID, "people are numbered from 1000 on; root is 0"),
        accepts=lambda value, decision, facts: as_number(value) >= _LEAST_USER_ID_ONCE,
    ),
)

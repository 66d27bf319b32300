"""Rules about container-executor.cfg: on whose behalf the program that starts secure tasks may act.

The program runs as root and reads this file alone, none of Hadoop's own.
"""

from __future__ import annotations

from collections.abc import Callable

from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, SettingRule
from howdah.planner.rules.security import secure_rule, secured_mapreduce
from howdah.planner.values import fixed

FILE = "container-executor.cfg"
_LEAST_USER_ID = 1000
"""Where distributions begin to number people; below are the system's own users."""


def _rule(name: str, key: str, says: str, *, decide: Callable[[Facts], Decision]) -> SettingRule:
    return secure_rule(
        f"executor.{name}",
        FILE,
        key,
        says,
        decide=decide,
        applies=secured_mapreduce,
        condition="with --secure and MapReduce",
    )


RULES: tuple[Rule, ...] = (
    _rule(
        "group",
        "yarn.nodemanager.linux-container-executor.group",
        "The NodeManager's group, and no other, may start tasks as other users.",
        decide=fixed("hadoop", "the group that owns the program and that the NodeManager's user belongs to"),
    ),
    _rule(
        "banned-users",
        "banned.users",
        "No task runs as a daemon's user.",
        decide=fixed(
            ("hdfs", "yarn", "mapred", "hbase", "bin"), "as one of these a task could read all data"
        ),
    ),
    _rule(
        "least-user",
        "min.user.id",
        "No task runs as one of the system's users.",
        decide=fixed(_LEAST_USER_ID, "people are numbered from 1000 on; root is 0"),
    ),
)

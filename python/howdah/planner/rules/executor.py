"""Rules about container-executor.cfg: on whose behalf the program that starts secure tasks may act.

The program runs as root and reads this file alone, none of Hadoop's own.
"""

from __future__ import annotations

from howdah.planner.conditions import secure_mapreduce_rule
from howdah.planner.rule import Rule
from howdah.planner.values import fixed

FILE = "container-executor.cfg"
_LEAST_USER_ID = 1000
"""Where distributions begin to number people; below are the system's own users."""


RULES: tuple[Rule, ...] = (
    secure_mapreduce_rule(
        id="executor.group",
        file=FILE,
        key="yarn.nodemanager.linux-container-executor.group",
        says="The NodeManager's group, and no other, may start tasks as other users.",
        decide=fixed("hadoop", "the group that owns the program and that the NodeManager's user belongs to"),
    ),
    secure_mapreduce_rule(
        id="executor.banned-users",
        file=FILE,
        key="banned.users",
        says="No task runs as a daemon's user.",
        decide=fixed(
            ("hdfs", "yarn", "mapred", "hbase", "bin"), "as one of these a task could read all data"
        ),
    ),
    secure_mapreduce_rule(
        id="executor.least-user",
        file=FILE,
        key="min.user.id",
        says="No task runs as one of the system's users.",
        decide=fixed(_LEAST_USER_ID, "people are numbered from 1000 on; root is 0"),
    ),
)

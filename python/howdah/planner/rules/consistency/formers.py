"""Names of files and variables that scripts of former releases read."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rules.declare import Rules

_DAEMONS = ("NAMENODE", "DATANODE", "SECONDARYNAMENODE", "JOURNALNODE", "ZKFC", "BALANCER")
_VARIABLES = {
    **{
        f"{software}_{name}": f"HADOOP_{name}"
        for software in ("HADOOP_HDFS", "HADOOP_MAPRED", "YARN")
        for name in ("LOG_DIR", "LOGFILE", "NICENESS", "PID_DIR", "ROOT_LOGGER", "IDENT_STRING")
    },
    **{f"HADOOP_{daemon}_OPTS": f"HDFS_{daemon}_OPTS" for daemon in _DAEMONS},
    "HADOOP_JOB_HISTORYSERVER_OPTS": "MAPRED_HISTORYSERVER_OPTS",
    "YARN_CONF_DIR": "HADOOP_CONF_DIR",
    "YARN_OPTS": "HADOOP_OPTS",
    "HADOOP_SECURE_DN_USER": "HDFS_DATANODE_SECURE_USER",
    "HADOOP_PREFIX": "HADOOP_HOME",
    "HADOOP_SLAVES": "HADOOP_WORKERS",
    "YARN_SLAVES": "HADOOP_WORKERS",
}
"""Of Hadoop 2, with what Hadoop 3 reads (HADOOP-11460, HADOOP-9902, HADOOP-13209)."""
_LATER = {
    today: former
    for former, today in _VARIABLES.items()
    if today.startswith("HDFS_") or today == "MAPRED_HISTORYSERVER_OPTS"
}
"""Of Hadoop 3, with what Hadoop 2 reads in their place."""
rules = Rules()


def _later_variables(reading: Reading) -> Iterator[Observation]:
    """Variables of Hadoop 3 in the scripts of Hadoop 2, which give daemons nothing."""
    variables = {entry.name: entry for entry in (reading.config.environment if reading.config else ())}
    for name, variable in variables.items():
        if name in _LATER and _LATER[name] not in variables:
            yield entry_verdict(
                variable,
                False,
                about=name,
                found="a variable that scripts of Hadoop 2 do not read",
                expected=f"{_LATER[name]}: the daemon starts without these options and with a default heap",
                fix=f"rename {name} to {_LATER[name]} in {variable.place}",
            )


@rules.inspection("consistency.former-variables", sources="HADOOP-11460, HADOOP-9902")
def _variables(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Scripts are given the variables that those of the release read."""
    if facts.request.hadoop.startswith("2."):
        yield from _later_variables(reading)
        return
    environment = reading.config.environment if reading.config else ()
    for name, variable in {entry.name: entry for entry in environment}.items():
        if name in _VARIABLES and not variable.base_name.startswith("hbase"):
            yield entry_verdict(
                variable,
                False,
                about=name,
                found="a variable of Hadoop 2's scripts",
                expected=f"{_VARIABLES[name]}: the former name is warned of at every start, and goes away",
                fix=f"rename {name} to {_VARIABLES[name]} in {variable.place}",
            )


@rules.inspection(
    "consistency.workers-file", sources="HADOOP-13209", when="where there is a file called slaves"
)
def _slaves(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """The file of workers has the name that scripts read."""
    files = {file.rpartition("/")[2] for file in reading.config.files} if reading.config else set()
    if "slaves" in files and not facts.request.hadoop.startswith("2."):
        yield Observation(
            ok="workers" in files,
            about="slaves",
            found="a file that Hadoop 3's scripts do not read",
            expected="a file called workers, or start-dfs.sh starts no DataNode",
            fix="rename slaves to workers",
            where="slaves",
        )

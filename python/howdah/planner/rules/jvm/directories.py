"""Where daemons keep logs and process ids."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Value
from howdah.planner.conditions import WITH_HBASE
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict, is_temporary
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import Rules

_KEPT = ("HADOOP_LOG_DIR", "HADOOP_PID_DIR", "HADOOP_SECURE_PID_DIR", "HBASE_LOG_DIR", "HBASE_PID_DIR")
_LOGS = "the default is below the software's own directory, which an upgrade replaces"
_PROCESS_IDS = (
    "the default is /tmp: once a cleaner took the file, the scripts cannot stop the daemon; what is in /run "
    "ends with the boot, as the daemons do"
)
rules = Rules()


def _below_run(path: str) -> bool:
    return path.startswith("/run/")


def _is_kept(value: Value, decision: Decision, facts: Facts) -> bool:
    path = str(value)
    for_a_boot = str(decision.value).startswith("/run/")
    return not path or not is_temporary(path) or "${" in path or (for_a_boot and _below_run(path))


hadoop = rules.under(file="hadoop-env.sh", sources="Hadoop: hadoop-env.sh, howdah")
hbase = rules.under(file="hbase-env.sh", sources="HBase: hbase-env.sh, howdah", when=WITH_HBASE)
hadoop.fixed("jvm.hadoop-logs", "HADOOP_LOG_DIR", "/var/log/hadoop", accepts=_is_kept).text(
    "Hadoop's logs outlive upgrades.", _LOGS
)
hadoop.fixed("jvm.hadoop-process-ids", "HADOOP_PID_DIR", "/run/hadoop", accepts=_is_kept).text(
    "No cleaner takes Hadoop's process ids.", _PROCESS_IDS
)
hbase.fixed("jvm.hbase-logs", "HBASE_LOG_DIR", "/var/log/hbase", accepts=_is_kept).text(
    "HBase's logs outlive upgrades.", _LOGS
)
hbase.fixed("jvm.hbase-process-ids", "HBASE_PID_DIR", "/run/hbase", accepts=_is_kept).text(
    "No cleaner takes HBase's process ids.", _PROCESS_IDS
)


@rules.inspection("jvm.kept-directories", sources="howdah")
def _kept(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Logs and process ids are not in a directory for temporary files."""
    for variable in reading.config.environment if reading.config else ():
        if variable.name in _KEPT:
            own = "log" if "LOG" in variable.name else "run"
            whose = "hbase" if variable.name.startswith("HBASE") else "hadoop"
            yield entry_verdict(
                variable,
                not is_temporary(variable.text)
                or "${" in variable.text
                or (own == "run" and _below_run(variable.text)),
                expected="a directory that no cleaner empties: logs are lost, and scripts cannot stop "
                "daemons whose files of process ids are gone",
                fix=f"set {variable.name} to /var/{own}/{whose} in {variable.place}",
            )

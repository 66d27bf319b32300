"""Where daemons keep logs and process ids."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Value
from howdah.planner.conditions import hbase_rule
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, is_temporary
from howdah.planner.rule import Decision, Inspection, Rule, SettingRule
from howdah.planner.values import fixed

_KEPT = ("HADOOP_LOG_DIR", "HADOOP_PID_DIR", "HADOOP_SECURE_PID_DIR", "HBASE_LOG_DIR", "HBASE_PID_DIR")
_LOGS = "the default is below the software's own directory, which an upgrade replaces"
_PROCESS_IDS = (
    "the default is /tmp: once a cleaner took the file, the scripts cannot stop the daemon; what is in /run "
    "ends with the boot, as the daemons do"
)


def _below_run(path: str) -> bool:
    return path.startswith("/run/")


def _kept(reading: Reading, facts: Facts) -> Iterator[Observation]:
    for variable in reading.config.environment if reading.config else ():
        if variable.name in _KEPT:
            own = "log" if "LOG" in variable.name else "run"
            whose = "hbase" if variable.name.startswith("HBASE") else "hadoop"
            yield Observation(
                ok=not is_temporary(variable.text)
                or "${" in variable.text
                or (own == "run" and _below_run(variable.text)),
                about=variable.name,
                found=variable.text,
                expected="a directory that no cleaner empties: logs are lost, and scripts cannot stop "
                "daemons whose files of process ids are gone",
                fix=f"set {variable.name} to /var/{own}/{whose} in {variable.place}",
                where=variable.place,
            )


def _kept_directory(name: str, variable: str, says: str, folder: str, because: str) -> SettingRule:
    """Where the scripts of Hadoop or HBase keep logs or process ids."""
    software = variable.partition("_")[0].lower()
    return (SettingRule if software == "hadoop" else hbase_rule)(
        id=f"jvm.{software}-{name}",
        says=says,
        sources=(f"{software.capitalize().replace('Hb', 'HB')}: {software}-env.sh", "howdah"),
        key=variable,
        file=f"{software}-env.sh",
        decide=fixed(folder, because),
        accepts=_is_kept,
    )


def _is_kept(value: Value, decision: Decision, facts: Facts) -> bool:
    path = str(value)
    for_a_boot = str(decision.value).startswith("/run/")
    return not path or not is_temporary(path) or "${" in path or (for_a_boot and _below_run(path))


RULES: tuple[Rule, ...] = (
    _kept_directory("logs", "HADOOP_LOG_DIR", "Hadoop's logs outlive upgrades.", "/var/log/hadoop", _LOGS),
    _kept_directory(
        "process-ids", "HADOOP_PID_DIR", "No cleaner takes Hadoop's process ids.", "/run/hadoop", _PROCESS_IDS
    ),
    _kept_directory("logs", "HBASE_LOG_DIR", "HBase's logs outlive upgrades.", "/var/log/hbase", _LOGS),
    _kept_directory(
        "process-ids", "HBASE_PID_DIR", "No cleaner takes HBase's process ids.", "/run/hbase", _PROCESS_IDS
    ),
    Inspection(
        id="jvm.kept-directories",
        says="Logs and process ids are not in a directory for temporary files.",
        sources=("howdah",),
        inspect=_kept,
    ),
)

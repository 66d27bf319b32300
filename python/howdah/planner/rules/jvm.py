"""Java: which one a release runs on, and what it must be told there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from howdah import releases
from howdah.errors import UserError
from howdah.model.found import Found, FoundProperty
from howdah.model.heap import heap_bytes
from howdah.model.plan import Value
from howdah.planner.conditions import hbase_rule, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.reading import ConfigurationReading, is_temporary
from howdah.planner.rule import Decision, Inspection, Observation, Rule, SettingRule, Severity
from howdah.planner.values import fixed
from howdah.releases import DEFAULT_HBASE, line_of
from howdah.units import MIB

_JAVA = {"3.3": (8, 11), "3.4": (8, 11), "3.5": (17,)}
"""Majors that the servers of a line of Hadoop run on."""
_HBASE_JAVA = {"2.5": (8, 11), "2.6": (8, 11, 17)}
"""Likewise for HBase; its guide has reservations about 2.5 on Java 17."""
_MAJOR = re.compile(r'(?:.*\bversion )?"?(?:1\.)?(\d+)')
_HOME_MAJOR = re.compile(r"/(?:java|jdk|jre|temurin|zulu)[a-z-]*(?:1\.)?(\d{1,2})(?!\d)[^/]*/?(?:jre/?)?$")
"""The major in the name of a directory: ``/usr/lib/jvm/java-17-openjdk``, ``/opt/jdk1.8.0_402``."""
_HOME_OF_ITSELF = ("${JAVA_HOME}", "$JAVA_HOME")
_OPENS = "mapreduce.jvm.add-opens-as-default"
_ADD_OPENS_FROM = 17
_REMOVED = (
    "-XX:+UseConcMarkSweepGC",
    "-XX:+UseParNewGC",
    "-XX:+UseParallelOldGC",
    "-XX:CMSInitiatingOccupancyFraction",
    "-XX:+UseCMSInitiatingOccupancyOnly",
    "-XX:MaxPermSize",
    "-XX:PermSize",
    "-XX:+AggressiveOpts",
    "-XX:+PrintGCDateStamps",
    "-XX:+PrintGCTimeStamps",
    "-XX:+PrintGCApplicationStoppedTime",
    "-XX:+PrintTenuringDistribution",
    "-XX:+UseGCLogFileRotation",
    "-XX:NumberOfGCLogFiles",
    "-XX:GCLogFileSize",
    "-d32",
    "-d64",
)
_REMOVED_IN = 14

TASK_OPTIONS = (
    "mapreduce.map.java.opts",
    "mapreduce.reduce.java.opts",
    "mapred.child.java.opts",
    "mapreduce.admin.map.child.java.opts",
    "mapreduce.admin.reduce.child.java.opts",
    "yarn.app.mapreduce.am.command-opts",
    "yarn.app.mapreduce.am.admin-command-opts",
)
"""Properties that hold options of Java for tasks and their application master."""

_LEAST_HEAP = 16 * MIB
_LEAST_GIVEN = re.compile(r"-Xms(?=\d)")
_COLLECTOR = re.compile(r"-XX:\+Use(?:G1|Parallel|Serial|Z|Shenandoah|ConcMarkSweep)GC(?!\S)")
_DEBUGGER = re.compile(r"-(?:agentlib:jdwp|Xrunjdwp)\S*")
_OPEN_JMX = re.compile(r"-Dcom\.sun\.management\.jmxremote\.authenticate=false(?!\S)")
_JMX_PORT = re.compile(r"-Dcom\.sun\.management\.jmxremote\.port=\d+")
_KEPT = ("HADOOP_LOG_DIR", "HADOOP_PID_DIR", "HADOOP_SECURE_PID_DIR", "HBASE_LOG_DIR", "HBASE_PID_DIR")


def supported(facts: Facts) -> tuple[int, ...]:
    """The majors of Java that all asked-for software runs on; raises UserError where there is none."""
    request = facts.request
    hadoop = _JAVA[line_of(request.hadoop)]
    if not request.hbase_used:
        return hadoop
    both = tuple(major for major in hadoop if major in _HBASE_JAVA[line_of(request.hbase)])
    if not both:
        raise UserError(
            f"--hbase {request.hbase}",
            f"runs on no Java that Hadoop {request.hadoop} runs on",
            f"plan with --hbase {DEFAULT_HBASE}, or with --hadoop 3.4.2",
        )
    return both


def java_major(text: str) -> int | None:
    """The major of a version as Java says it: 8 of ``1.8.0_402``, 17 of ``openjdk version "17.0.10"``."""
    match = _MAJOR.match(text.strip())
    return int(match.group(1)) if match else None


def _version(facts: Facts) -> Decision:
    majors = supported(facts)
    names = f"Hadoop {facts.request.hadoop}" + (
        f" and HBase {facts.request.hbase}" if facts.request.hbase_used else ""
    )
    return Decision(
        str(max(majors)),
        f"the servers of {names} run on Java {' or '.join(str(major) for major in majors)}",
    )


def _opens(facts: Facts) -> bool:
    """Whether the release knows of modules at all: 3.3 runs on no Java that closes them."""
    return releases.hadoop(facts.request.hadoop).find(_OPENS) is not None


def _open_modules(facts: Facts) -> Decision:
    value = max(supported(facts)) >= _ADD_OPENS_FROM
    return Decision(
        value,
        "tasks on Java 17 need java.base opened to them; the servers' own scripts do it for themselves"
        if value
        else "Java 11 and before need none of it",
    )


def _java_home(found: Found, facts: Facts) -> Iterable[Observation]:
    reading = ConfigurationReading(found)
    home = reading.variable("JAVA_HOME") or ""
    major = _HOME_MAJOR.search(home)
    if major is not None:
        majors = supported(facts)
        wanted = " or ".join(map(str, majors))
        yield Observation(
            ok=int(major.group(1)) in majors,
            about="JAVA_HOME",
            found=home,
            expected=f"Java {wanted}, which Hadoop {facts.request.hadoop} runs on",
            fix=f"set JAVA_HOME to Java {wanted} in {reading.variable_where('JAVA_HOME')}",
            where=reading.variable_where("JAVA_HOME"),
        )


def _home_given(found: Found, facts: Facts) -> Iterable[Observation]:
    reading = ConfigurationReading(found)
    home = reading.variable("JAVA_HOME")
    if home is not None:
        yield Observation(
            ok=home not in _HOME_OF_ITSELF,
            about="JAVA_HOME",
            found=home,
            expected="a directory: over ssh and under systemd there is no JAVA_HOME to take",
            fix=f"set JAVA_HOME to Java's directory in {reading.variable_where('JAVA_HOME')}",
            where=reading.variable_where("JAVA_HOME"),
        )


def _removed_options(found: Found, facts: Facts) -> Iterable[Observation]:
    if max(supported(facts)) < _REMOVED_IN:
        return
    for option in java_options(found):
        dead = [
            removed
            for removed in _REMOVED
            if any(word.partition("=")[0] == removed for word in option.text.split())
        ]
        what = "every one of the tasks fails" if option.name in TASK_OPTIONS else "the daemon does not start"
        yield Observation(
            ok=not dead,
            about=option.name,
            found=" ".join(dead) or option.text,
            expected=f"no option that Java {max(supported(facts))} does not know: {what}",
            fix=f"remove {' '.join(dead)} from {option.name} in {option.place}: -XX:+UseG1GC is today's "
            "collector, -Xlog:gc* its log",
            where=option.place,
        )


def daemon_options(found: Found) -> Iterator[FoundProperty]:
    """Variables of daemons' Java options, each as the last line leaves it."""
    environment = found.config.environment if found.config else ()
    last = {variable.name: variable for variable in environment}
    yield from (entry for entry in last.values() if entry.name.endswith("_OPTS"))


def java_options(found: Found) -> Iterator[FoundProperty]:
    """All options of Java that were found, those of daemons and those of tasks."""
    yield from daemon_options(found)
    config = found.config
    if config is not None:
        yield from (entry for key in TASK_OPTIONS if (entry := config.property(key)) is not None)


def _heaps(found: Found, facts: Facts) -> Iterator[Observation]:
    for option in java_options(found):
        most, least = (
            heap_bytes(option.text),
            heap_bytes(_LEAST_GIVEN.sub("-Xmx", _without_most(option.text))),
        )
        cut = [word for word in option.text.split() if word in ("-Xmx", "-Xms", "-Xmn")]
        if most is None and not cut:
            continue
        given = [word for word in option.text.split() if word.startswith(("-Xmx", "-Xms"))]
        yield Observation(
            ok=not cut and most is not None and most >= _LEAST_HEAP and (least or 0) <= most,
            about=option.name,
            found=" ".join(given),
            expected="-Xms no larger than -Xmx, both with a size and its unit and no blank: Java does not "
            "start otherwise",
            fix=f"give -Xms and -Xmx one size and unit in {option.name}: -Xms4096m -Xmx4096m, for instance",
            where=option.place,
        )


def _without_most(options: str) -> str:
    return " ".join(word for word in options.split() if not word.startswith("-Xmx"))


def _collectors(found: Found, facts: Facts) -> Iterator[Observation]:
    for option in java_options(found):
        chosen = sorted(set(_COLLECTOR.findall(option.text)))
        if chosen:
            yield Observation(
                ok=len(chosen) == 1,
                about=option.name,
                found=" ".join(chosen),
                expected="one garbage collector: Java does not start with several",
                fix=f"keep -XX:+UseG1GC in {option.name} and remove the others",
                where=option.place,
            )


def _open_ports(found: Found, facts: Facts) -> Iterator[Observation]:
    for option in daemon_options(found):
        doors = _DEBUGGER.findall(option.text)
        if _JMX_PORT.search(option.text):
            doors += _OPEN_JMX.findall(option.text)
        if doors:
            yield Observation(
                ok=False,
                about=option.name,
                found=" ".join(doors),
                expected="no port through which anybody who reaches it can run code as the daemon",
                fix=f"remove {' '.join(doors)} from {option.name}; metrics are at the daemon's /jmx page",
                where=option.place,
            )


def _below_run(path: str) -> bool:
    return path.startswith("/run/")


def _kept(found: Found, facts: Facts) -> Iterator[Observation]:
    for variable in found.config.environment if found.config else ():
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


_LOGS = "the default is below the software's own directory, which an upgrade replaces"
_PROCESS_IDS = (
    "the default is /tmp: once a cleaner took the file, the scripts cannot stop the daemon; what is in /run "
    "ends with the boot, as the daemons do"
)

RULES: tuple[Rule, ...] = (
    _kept_directory("logs", "HADOOP_LOG_DIR", "Hadoop's logs outlive upgrades.", "/var/log/hadoop", _LOGS),
    _kept_directory(
        "process-ids", "HADOOP_PID_DIR", "No cleaner takes Hadoop's process ids.", "/run/hadoop", _PROCESS_IDS
    ),
    _kept_directory("logs", "HBASE_LOG_DIR", "HBase's logs outlive upgrades.", "/var/log/hbase", _LOGS),
    _kept_directory(
        "process-ids", "HBASE_PID_DIR", "No cleaner takes HBase's process ids.", "/run/hbase", _PROCESS_IDS
    ),
    SettingRule(
        id="jvm.version",
        says="Java is one that the release's servers run on.",
        sources=("X7", "D0 70", "D2 112", "D4 134", "Hadoop 3.5.0: release notes"),
        severity=Severity.MUST,
        key="java.version",
        file="java",
        decide=_version,
        accepts=lambda value, decision, facts: java_major(str(value)) in supported(facts),
        today="The papers ran Java 6 and 7. Hadoop 3.5 needs 17; 3.3 and 3.4 run on 8 and 11; HBase 2.5 on 8 "
        "and 11, 2.6 on 8, 11 and 17.",
    ),
    SettingRule(
        id="jvm.open-modules",
        says="Tasks on Java 17 are started with java.base opened.",
        sources=("MAPREDUCE-7449", "HADOOP-19310"),
        severity=Severity.MUST,
        applies=lambda facts: with_mapreduce(facts) and _opens(facts),
        condition="with MapReduce, where the release has the placeholder",
        key=_OPENS,
        file="mapred-site.xml",
        decide=_open_modules,
        accepts=lambda value, decision, facts: value is True or decision.value is False,
        today="Clients and NodeManagers must be of one release: an older NodeManager does not know the "
        "placeholder.",
    ),
    Inspection(
        id="jvm.removed-options",
        says="No daemon and no task is given an option that its Java no longer knows.",
        sources=("JEP 363", "JEP 122", "JEP 271"),
        severity=Severity.MUST,
        inspect=_removed_options,
    ),
    Inspection(
        id="jvm.home",
        says="JAVA_HOME is of a Java that the release's servers run on.",
        sources=("Hadoop 3.5.0: release notes",),
        severity=Severity.MUST,
        condition="where JAVA_HOME's name says which Java it is",
        inspect=_java_home,
    ),
    Inspection(
        id="jvm.home-given",
        says="JAVA_HOME is a directory, not what the environment may have or not.",
        sources=("Hadoop 3.5.0: ClusterSetup",),
        condition="where JAVA_HOME is set",
        inspect=_home_given,
    ),
    Inspection(
        id="jvm.heap-options",
        says="Heaps are given so that Java starts with them.",
        sources=("Java 17",),
        severity=Severity.MUST,
        inspect=_heaps,
    ),
    Inspection(
        id="jvm.one-collector",
        says="A daemon or a task has one garbage collector.",
        sources=("Java 17",),
        severity=Severity.MUST,
        inspect=_collectors,
    ),
    Inspection(
        id="jvm.open-ports",
        says="No daemon listens for debuggers, or for JMX without a password.",
        sources=("howdah",),
        inspect=_open_ports,
    ),
    Inspection(
        id="jvm.kept-directories",
        says="Logs and process ids are not in a directory for temporary files.",
        sources=("howdah",),
        inspect=_kept,
    ),
)

"""The options that environment files give to daemons, and the directories they name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import Found, FoundProperty
from howdah.model.heap import heap_bytes
from howdah.planner.directories import is_temporary
from howdah.planner.facts import Facts
from howdah.planner.rule import Inspection, Observation, Rule, Severity
from howdah.units import MIB

_LEAST_HEAP = 16 * MIB
_LEAST_GIVEN = re.compile(r"-Xms(?=\d)")
_COLLECTOR = re.compile(r"-XX:\+Use(?:G1|Parallel|Serial|Z|Shenandoah|ConcMarkSweep)GC(?!\S)")
_DEBUGGER = re.compile(r"-(?:agentlib:jdwp|Xrunjdwp)\S*")
_OPEN_JMX = re.compile(r"-Dcom\.sun\.management\.jmxremote\.authenticate=false(?!\S)")
_JMX_PORT = re.compile(r"-Dcom\.sun\.management\.jmxremote\.port=\d+")
_KEPT = ("HADOOP_LOG_DIR", "HADOOP_PID_DIR", "HADOOP_SECURE_PID_DIR", "HBASE_LOG_DIR", "HBASE_PID_DIR")


def _options(found: Found) -> Iterator[FoundProperty]:
    """Variables of Java options, each as the last line leaves it."""
    environment = found.config.environment if found.config else ()
    last = {one.name: one for one in environment}
    yield from (one for one in last.values() if one.name.endswith("_OPTS"))


def variables(found: Found) -> Iterator[tuple[str, str]]:
    """Every variable of Java options with what it holds."""
    yield from ((one.name, one.text) for one in _options(found))


def _heaps(found: Found, facts: Facts) -> Iterator[Observation]:
    for one in _options(found):
        most, least = heap_bytes(one.text), heap_bytes(_LEAST_GIVEN.sub("-Xmx", _without_most(one.text)))
        if most is None:
            continue
        given = [word for word in one.text.split() if word.startswith(("-Xmx", "-Xms"))]
        yield Observation(
            ok=most >= _LEAST_HEAP and (least or 0) <= most,
            about=one.name,
            found=" ".join(given),
            expected="-Xms no larger than -Xmx, and both with a unit: Java does not start otherwise",
            fix=f"give -Xms and -Xmx one size and unit in {one.name}: -Xms4096m -Xmx4096m, for instance",
            where=one.place,
        )


def _without_most(options: str) -> str:
    return " ".join(word for word in options.split() if not word.startswith("-Xmx"))


def _collectors(found: Found, facts: Facts) -> Iterator[Observation]:
    for one in _options(found):
        chosen = sorted(set(_COLLECTOR.findall(one.text)))
        if chosen:
            yield Observation(
                ok=len(chosen) == 1,
                about=one.name,
                found=" ".join(chosen),
                expected="one garbage collector: Java does not start with several",
                fix=f"keep -XX:+UseG1GC in {one.name} and remove the others",
                where=one.place,
            )


def _open_ports(found: Found, facts: Facts) -> Iterator[Observation]:
    for one in _options(found):
        doors = _DEBUGGER.findall(one.text)
        if _JMX_PORT.search(one.text):
            doors += _OPEN_JMX.findall(one.text)
        if doors:
            yield Observation(
                ok=False,
                about=one.name,
                found=" ".join(doors),
                expected="no port through which whoever reaches it runs code as the daemon",
                fix=f"remove {' '.join(doors)} from {one.name}; metrics are at the daemon's /jmx page",
                where=one.place,
            )


def _below_run(path: str) -> bool:
    return path.startswith("/run/")


def _kept(found: Found, facts: Facts) -> Iterator[Observation]:
    for one in found.config.environment if found.config else ():
        if one.name in _KEPT:
            own = "log" if "LOG" in one.name else "run"
            whose = "hbase" if one.name.startswith("HBASE") else "hadoop"
            yield Observation(
                ok=not is_temporary(one.text) or "${" in one.text or (own == "run" and _below_run(one.text)),
                about=one.name,
                found=one.text,
                expected="a directory that no cleaner empties: logs are lost, and scripts cannot stop "
                "daemons whose files of process ids are gone",
                fix=f"set {one.name} to /var/{own}/{whose} in {one.place}",
                where=one.place,
            )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="jvm.heap-options",
        says="Heaps are given so that Java starts with them.",
        sources=("Java 17",),
        severity=Severity.MUST,
        inspect=_heaps,
    ),
    Inspection(
        id="jvm.one-collector",
        says="A daemon has one garbage collector.",
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

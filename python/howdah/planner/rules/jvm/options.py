"""Options of Java that daemons and tasks have: ones that it knows, one collector, heaps it starts with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from howdah.model.found import FoundProperty
from howdah.model.heap import heap_bytes
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.jvm.versions import supported
from howdah.units import MIB

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
rules = Rules()


def daemon_options(reading: Reading) -> Iterator[FoundProperty]:
    """Variables of daemons' Java options, each as the last line leaves it."""
    environment = reading.config.environment if reading.config else ()
    last = {variable.name: variable for variable in environment}
    yield from (entry for entry in last.values() if entry.name.endswith("_OPTS"))


def java_options(reading: Reading) -> Iterator[FoundProperty]:
    """All options of Java that were found, those of daemons and those of tasks."""
    yield from daemon_options(reading)
    config = reading.config
    if config is not None:
        yield from (entry for key in TASK_OPTIONS if (entry := config.property(key)) is not None)


def removed_options(text: str) -> list[str]:
    """The options of a text that Java 14 and later do not know."""
    words = {word.partition("=")[0] for word in text.split()}
    return [removed for removed in _REMOVED if removed in words]


@rules.inspection("jvm.removed-options", MUST, sources="JEP 363, JEP 122, JEP 271")
def _removed_options(reading: Reading, facts: Facts) -> Iterable[Observation]:
    """No daemon and no task is given an option that its Java no longer knows."""
    if facts.release_assumed or max(supported(facts)) < _REMOVED_IN:
        # Which Java runs is not known where the release is not.
        return
    for option in java_options(reading):
        dead = removed_options(option.text)
        what = "every one of the tasks fails" if option.name in TASK_OPTIONS else "the daemon does not start"
        yield entry_verdict(
            option,
            not dead,
            found=" ".join(dead) or option.text,
            expected=f"no option that Java {max(supported(facts))} does not know: {what}",
            fix=f"remove {' '.join(dead)} from {option.name} in {option.place}: -XX:+UseG1GC is today's "
            "collector, -Xlog:gc* its log",
        )


@rules.inspection("jvm.heap-options", MUST, sources="Java 17")
def _heaps(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Heaps are given so that Java starts with them."""
    for option in java_options(reading):
        most, least = (
            heap_bytes(option.text),
            heap_bytes(_LEAST_GIVEN.sub("-Xmx", _without_most(option.text))),
        )
        cut = [word for word in option.text.split() if word in ("-Xmx", "-Xms", "-Xmn")]
        if most is None and not cut:
            continue
        given = [word for word in option.text.split() if word.startswith(("-Xmx", "-Xms"))]
        yield entry_verdict(
            option,
            not cut and most is not None and most >= _LEAST_HEAP and (least or 0) <= most,
            found=" ".join(given),
            expected="-Xms no larger than -Xmx, both with a size and its unit and no blank: Java does not "
            "start otherwise",
            fix=_heap_fix(option, most),
        )


def _heap_fix(option: FoundProperty, most: int | None) -> str:
    small = re.search(r"-Xmx(\d+)[kK]\b", option.text)
    if small is not None and (most or 0) < _LEAST_HEAP:
        return f"write -Xmx{small[1]}m in {option.name}, if it is meant in MB"
    return f"give -Xms and -Xmx in {option.name} one size with its unit, as -Xmx2g is written"


def _without_most(options: str) -> str:
    return " ".join(word for word in options.split() if not word.startswith("-Xmx"))


@rules.inspection("jvm.one-collector", MUST, sources="Java 17")
def _collectors(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A daemon or a task has one garbage collector."""
    for option in java_options(reading):
        chosen = sorted(set(_COLLECTOR.findall(option.text)))
        if chosen:
            yield entry_verdict(
                option,
                len(chosen) == 1,
                found=" ".join(chosen),
                expected="one garbage collector: Java does not start with several",
                fix=f"keep -XX:+UseG1GC in {option.name} and remove the others",
            )


@rules.inspection("jvm.open-ports", sources="howdah")
def _open_ports(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """No daemon listens for debuggers, or for JMX without a password."""
    for option in daemon_options(reading):
        doors = _DEBUGGER.findall(option.text)
        if _JMX_PORT.search(option.text):
            doors += _OPEN_JMX.findall(option.text)
        if doors:
            yield entry_verdict(
                option,
                False,
                found=" ".join(doors),
                expected="no port through which anybody who reaches it can run code as the daemon",
                fix=f"remove {' '.join(doors)} from {option.name}; metrics are at the daemon's /jmx page",
            )

"""Java: which one a release runs on, and what it must be told there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from howdah.model.found import Found
from howdah.planner.facts import Facts
from howdah.planner.inspecting import java_options
from howdah.planner.inspecting.reading import Reading
from howdah.planner.rule import Decision, Inspection, Observation, Rule, SettingRule, Severity

_JAVA = {"3.5.0": (17,), "3.4.2": (8, 11)}
"""Majors that a release's servers run on."""
_HBASE_JAVA = (8, 11, 17)
_MAJOR = re.compile(r'(?:.*\bversion )?"?(?:1\.)?(\d+)')
_HOME_MAJOR = re.compile(r"/(?:java|jdk|jre|temurin|zulu)[a-z-]*(?:1\.)?(\d{1,2})(?!\d)[^/]*/?(?:jre/?)?$")
"""The major in the name of a directory: ``/usr/lib/jvm/java-17-openjdk``, ``/opt/jdk1.8.0_402``."""
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
)
_REMOVED_IN = 14


def supported(facts: Facts) -> tuple[int, ...]:
    """The majors of Java that all asked-for software runs on."""
    hadoop = _JAVA.get(facts.request.hadoop, (17,))
    if not facts.request.hbase_used:
        return hadoop
    return tuple(major for major in hadoop if major in _HBASE_JAVA)


def java_major(text: str) -> int | None:
    """The major of a version as Java says it: 8 of ``1.8.0_402``, 17 of ``openjdk version "17.0.10"``."""
    match = _MAJOR.match(text.strip())
    return int(match.group(1)) if match else None


def _version(facts: Facts) -> Decision:
    majors = supported(facts)
    releases = f"Hadoop {facts.request.hadoop}" + (
        f" and HBase {facts.request.hbase}" if facts.request.hbase_used else ""
    )
    return Decision(
        str(max(majors)),
        f"the servers of {releases} run on Java {' or '.join(str(major) for major in majors)}",
    )


def _open_modules(facts: Facts) -> Decision:
    value = max(supported(facts)) >= _ADD_OPENS_FROM
    return Decision(
        value,
        "tasks on Java 17 need java.base opened to them; the servers' own scripts do it for themselves"
        if value
        else "Java 11 and before need none of it",
    )


def _java_home(found: Found, facts: Facts) -> Iterable[Observation]:
    reading = Reading(found)
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


def _removed_options(found: Found, facts: Facts) -> Iterable[Observation]:
    if max(supported(facts)) < _REMOVED_IN:
        return
    reading = Reading(found)
    for name, options in java_options.variables(found):
        dead = [option for option in _REMOVED if option in options]
        yield Observation(
            ok=not dead,
            about=name,
            found=" ".join(dead) or options,
            expected=f"no option that Java {max(supported(facts))} does not know: the daemon does not start",
            fix=f"remove {' '.join(dead)} from {name}: -XX:+UseG1GC is today's collector, -Xlog:gc* its log",
            where=reading.variable_where(name),
        )


RULES: tuple[Rule, ...] = (
    SettingRule(
        id="jvm.version",
        says="Java is one that the release's servers run on.",
        sources=("X7", "D0 70", "D2 112", "D4 134", "Hadoop 3.5.0: release notes"),
        severity=Severity.MUST,
        key="java.version",
        file="java",
        decide=_version,
        accepts=lambda found, decision, facts: java_major(str(found)) in supported(facts),
        today="The papers ran Java 6 and 7. Hadoop 3.5 needs 17; 3.4 runs on 8 and 11; HBase 2.6 on 8, 11 "
        "and 17.",
    ),
    SettingRule(
        id="jvm.open-modules",
        says="Tasks on Java 17 are started with java.base opened.",
        sources=("MAPREDUCE-7449", "HADOOP-19310"),
        severity=Severity.MUST,
        applies=lambda facts: facts.request.mapreduce,
        condition="with MapReduce",
        key="mapreduce.jvm.add-opens-as-default",
        file="mapred-site.xml",
        decide=_open_modules,
        accepts=lambda found, decision, facts: found is True or decision.value is False,
        today="Clients and NodeManagers must be of one release: an older NodeManager does not know the "
        "placeholder.",
    ),
    Inspection(
        id="jvm.removed-options",
        says="No daemon is given an option that its Java no longer knows.",
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
    *java_options.RULES,
)

"""Which Java a release runs on, and whether that is the one there is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from howdah import releases
from howdah.errors import UserError
from howdah.model.found import FoundProperty
from howdah.planner.conditions import with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST, Decision
from howdah.planner.rules.declare import Condition, Rules
from howdah.releases import DEFAULT_HBASE, line_of

_JAVA = {"2": (7, 8), "3.0": (8,), "3.1": (8,), "3.2": (8,), "3.3": (8, 11), "3.4": (8, 11), "3.5": (17,)}
"""Majors that the servers of a line of Hadoop run on."""
_HADOOPS = ("hadoop-env.sh", "hdfs-env.sh", "yarn-env.sh", "mapred-env.sh", "kms-env.sh", "httpfs-env.sh")
_HBASE_JAVA = {"2.5": (8, 11), "2.6": (8, 11, 17)}
"""Likewise for HBase; its guide has reservations about 2.5 on Java 17."""
_HBASE_1_JAVA = (7, 8)
"""Of the HBase that clusters of Hadoop 2 have."""
_MAJOR = re.compile(r'(?:.*\bversion )?"?(?:1\.)?(\d+)')
_HOME_MAJOR = re.compile(r"/(?:java|jdk|jre|temurin|zulu)[a-z-]*(?:1\.)?(\d{1,2})(?!\d)[^/]*/?(?:jre/?)?$")
"""The major in the name of a directory: ``/usr/lib/jvm/java-17-openjdk``, ``/opt/jdk1.8.0_402``."""
_HOME_OF_ITSELF = ("${JAVA_HOME}", "$JAVA_HOME")
_OPENS = "mapreduce.jvm.add-opens-as-default"
_ADD_OPENS_FROM = 17
rules = Rules(file="java")


def java_of_hadoop(version: str) -> tuple[int, ...]:
    """The majors of Java that the servers of a release run on."""
    return _JAVA.get(line_of(version)) or _JAVA[version.partition(".")[0]]


def supported(facts: Facts) -> tuple[int, ...]:
    """The majors of Java that all asked-for software runs on; raises UserError where there is none."""
    request = facts.request
    hadoop = java_of_hadoop(request.hadoop)
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


@rules.setting(
    "jvm.version",
    "java.version",
    MUST,
    sources="X7, D0 70, D2 112, D4 134, Hadoop 3.5.0: release notes",
    accepts=lambda value, decision, facts: java_major(str(value)) in supported(facts),
    today="The papers ran Java 6 and 7. Hadoop 3.5 needs 17; 3.3 and 3.4 run on 8 and 11; HBase 2.5 on 8 "
    "and 11, 2.6 on 8, 11 and 17.",
)
def _version(facts: Facts) -> Decision:
    """Java is one that the release's servers run on."""
    majors = supported(facts)
    names = f"Hadoop {facts.request.hadoop}" + (
        f" and HBase {facts.request.hbase}" if facts.request.hbase_used else ""
    )
    return Decision(
        str(max(majors)),
        f"the servers of {names} run on Java {' or '.join(str(major) for major in majors)}",
    )


def _opens(facts: Facts) -> bool:
    """Whether the release knows of modules at all: 3.3 runs on no Java that closes them.

    Where the release is only assumed, so is its Java, and what is not set is no fault.
    """
    if facts.release_assumed and facts.decided.get(_OPENS) is not True:
        return False
    return releases.hadoop(facts.request.hadoop).find(_OPENS) is not None


@rules.setting(
    "jvm.open-modules",
    _OPENS,
    MUST,
    sources="MAPREDUCE-7449, HADOOP-19310",
    when=Condition(
        "with MapReduce, where the release has the placeholder",
        lambda facts: with_mapreduce(facts) and _opens(facts),
    ),
    file="mapred-site.xml",
    accepts=lambda value, decision, facts: value is True or decision.value is False,
    today="Clients and NodeManagers must be of one release: an older NodeManager does not know the "
    "placeholder.",
)
def _open_modules(facts: Facts) -> Decision:
    """Tasks on Java 17 are started with java.base opened."""
    value = max(supported(facts)) >= _ADD_OPENS_FROM
    return Decision(
        value,
        "tasks on Java 17 need java.base opened to them; the servers' own scripts do it for themselves"
        if value
        else "Java 11 and before need none of it",
    )


def home_major(home: str) -> int | None:
    """The major that the name of Java's directory has: 8 of ``/usr/lib/jvm/java-1.8.0``."""
    match = _HOME_MAJOR.search(home)
    return int(match.group(1)) if match else None


def java_homes(variables: Iterable[FoundProperty]) -> Iterable[FoundProperty]:
    """The last JAVA_HOME of every script: each is read by its own services.

    A line that sets the variable to itself changes nothing, and is returned where a script has no other one.
    """
    homes = [entry for entry in variables if entry.name == "JAVA_HOME"]
    homes.sort(key=lambda entry: entry.text not in _HOME_OF_ITSELF)
    return {entry.file: entry for entry in homes}.values()


def _homes(reading: Reading) -> Iterable[FoundProperty]:
    return java_homes(reading.config.environment if reading.config else ())


def _runs_on(script: str, facts: Facts) -> tuple[str, tuple[int, ...]] | None:
    """The software that a script starts, and the majors of Java that it runs on; None for others' scripts."""
    request = facts.request
    if script in _HADOOPS:
        return f"Hadoop {request.hadoop}", java_of_hadoop(request.hadoop)
    if script == "hbase-env.sh" and request.hadoop.startswith("2."):
        return "HBase 1", _HBASE_1_JAVA
    if script == "hbase-env.sh":
        return f"HBase {request.hbase}", _HBASE_JAVA[line_of(request.hbase)]
    return None


@rules.inspection(
    "jvm.home",
    MUST,
    sources="Hadoop 3.5.0: release notes",
    when="where JAVA_HOME's name says which Java it is",
)
def _java_home(reading: Reading, facts: Facts) -> Iterable[Observation]:
    """JAVA_HOME is of a Java that the release's servers run on."""
    for entry in _homes(reading):
        major, software = home_major(entry.text), _runs_on(entry.base_name, facts)
        if major is None or software is None:
            continue
        name, majors = software
        wanted = " or ".join(map(str, majors))
        yield entry_verdict(
            entry,
            major in majors,
            about="JAVA_HOME",
            expected=f"Java {wanted}, which {name} runs on: its daemons do not start otherwise",
            fix=f"set JAVA_HOME to Java {wanted} in {entry.place}",
        )


@rules.inspection("jvm.home-given", sources="Hadoop 3.5.0: ClusterSetup", when="where JAVA_HOME is set")
def _home_given(reading: Reading, facts: Facts) -> Iterable[Observation]:
    """JAVA_HOME is a directory, not what the environment may have or not."""
    for entry in _homes(reading):
        # Hadoop 2 ships yarn-env.sh with a line that passes on what it is given.
        yield entry_verdict(
            entry,
            entry.text not in _HOME_OF_ITSELF or entry.base_name == "yarn-env.sh",
            about="JAVA_HOME",
            expected="a directory: over ssh and under systemd there is no JAVA_HOME to take",
            fix=f"set JAVA_HOME to Java's directory in {entry.place}",
        )

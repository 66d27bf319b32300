"""Java: which one a release runs on, and the options that it needs there or must not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from howdah.errors import UserError
from howdah.hadoop.config_files import HADOOP_SCRIPTS
from howdah.model.existing import FoundProperty
from howdah.model.plan import Value
from howdah.model.request import DEFAULT_HBASE
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict, is_temporary
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules, read_table
from howdah.releases import catalogue
from howdah.releases.catalogue import line_of
from howdah.releases.values import heap_bytes, initial_heap_bytes
from howdah.units import GIB, MIB

rules = read_rules("jvm.toml")

_KEPT = ("HADOOP_LOG_DIR", "HADOOP_PID_DIR", "HADOOP_SECURE_PID_DIR", "HBASE_LOG_DIR", "HBASE_PID_DIR")
_JAVA = {"2": (7, 8), "3.0": (8,), "3.1": (8,), "3.2": (8,), "3.3": (8, 11), "3.4": (8, 11), "3.5": (17,)}
"""Majors that the servers of a line of Hadoop run on."""
_HBASE_JAVA = {"2.5": (8, 11), "2.6": (8, 11, 17)}
"""Likewise for HBase; its guide has reservations about 2.5 on Java 17."""
_HBASE_1_JAVA = (7, 8)  # Of the HBase that clusters of Hadoop 2 have.
_HOME_MAJOR = r"/(?:java|jdk|jre|temurin|zulu)[a-z-]*(?:1\.)?(\d{1,2})(?!\d)[^/]*/?(?:jre/?)?$"
"""The major in the name of a directory: ``/usr/lib/jvm/java-17-openjdk``, ``/opt/jdk1.8.0_402``."""
_HOME_OF_ITSELF = ("${JAVA_HOME}", "$JAVA_HOME")
_OPENS = "mapreduce.jvm.add-opens-as-default"
_ADD_OPENS_FROM = 17
_REMOVED_IN = 14
TASK_OPTIONS = (
    "mapreduce.map.java.opts", "mapreduce.reduce.java.opts", "mapred.child.java.opts",
    "mapreduce.admin.map.child.java.opts", "mapreduce.admin.reduce.child.java.opts",
    "yarn.app.mapreduce.am.command-opts", "yarn.app.mapreduce.am.admin-command-opts",
)  # fmt: skip
"""Properties that hold options of Java for tasks and their application master."""
_LEAST_HEAP = 16 * MIB
_COLLECTOR = r"-XX:\+Use(?:G1|Parallel|Serial|Z|Shenandoah|ConcMarkSweep)GC(?!\S)"


@rules.accepts("outlives a reboot")
def _is_kept(value: Value, decision: Decision, facts: Facts) -> bool:
    path = str(value)
    for_a_boot = str(decision.value).startswith("/run/")
    return not path or not is_temporary(path) or "${" in path or (for_a_boot and path.startswith("/run/"))


@rules.inspects("jvm.kept-directories")
def _kept(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for variable in reading.environment:
        if variable.name in _KEPT:
            own = "log" if "LOG" in variable.name else "run"
            product = "hbase" if variable.name.startswith("HBASE") else "hadoop"
            lasting = not is_temporary(variable.text) or "${" in variable.text
            ok = lasting or (own == "run" and variable.text.startswith("/run/"))
            yield entry_verdict(variable, ok, own=own, product=product)


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
        problem = f"has no Java version in common with Hadoop {request.hadoop}"
        hint = f"plan with --hbase {DEFAULT_HBASE}, or with --hadoop 3.4.2"
        raise UserError(f"--hbase {request.hbase}", problem, hint)
    return both


def java_major(text: str) -> int | None:
    """The major of a version as Java says it: 8 of ``1.8.0_402``, 17 of ``openjdk version "17.0.10"``."""
    match = re.match(r'(?:.*\bversion )?"?(?:1\.)?(\d+)', text.strip())
    return int(match.group(1)) if match else None


rules.accepts("a supported Java")(lambda value, decision, facts: java_major(str(value)) in supported(facts))


@rules.decides("jvm.version")
def _version(facts: Facts) -> Decision:
    majors = supported(facts)
    hbase = f" and HBase {facts.request.hbase}" if facts.request.hbase_used else ""
    names = {"hadoop": facts.request.hadoop, "hbase": hbase, "versions": " or ".join(map(str, majors))}
    return Decision(str(max(majors)), values=names)


@rules.when("with MapReduce, if the release has the placeholder")
def _opens(facts: Facts) -> bool:
    """Whether the release knows of modules at all: 3.3 runs on no Java that closes them.

    Where the release is only assumed, so is its Java, and what is not set is no fault.
    """
    if not facts.request.mapreduce or (facts.release_assumed and facts.decided.get(_OPENS) is not True):
        return False
    return catalogue.hadoop(facts.request.hadoop).find(_OPENS) is not None


rules.accepts("opened where needed")(lambda value, decision, facts: value is True or decision.value is False)


@rules.decides("jvm.open-modules")
def _open_modules(facts: Facts) -> Decision:
    value = max(supported(facts)) >= _ADD_OPENS_FROM
    return Decision(value, words="needed" if value else "older")


def home_major(home: str) -> int | None:
    """The major that the name of Java's directory has: 8 of ``/usr/lib/jvm/java-1.8.0``."""
    match = re.search(_HOME_MAJOR, home)
    return int(match.group(1)) if match else None


def java_homes(variables: Iterable[FoundProperty]) -> Iterable[FoundProperty]:
    """The last JAVA_HOME of every script: each is read by its own services.

    A line that sets the variable to itself changes nothing, and is returned where a script has no other one.
    """
    homes = [entry for entry in variables if entry.name == "JAVA_HOME"]
    homes.sort(key=lambda entry: entry.text not in _HOME_OF_ITSELF)
    return {entry.file: entry for entry in homes}.values()


def _runs_on(script: str, facts: Facts) -> tuple[str, tuple[int, ...]] | None:
    """The software that a script starts, and the majors of Java that it runs on; None for others' scripts."""
    request = facts.request
    if script in HADOOP_SCRIPTS:
        return f"Hadoop {request.hadoop}", java_of_hadoop(request.hadoop)
    if script == "hbase-env.sh" and request.hadoop.startswith("2."):
        return "HBase 1", _HBASE_1_JAVA
    if script == "hbase-env.sh":
        return f"HBase {request.hbase}", _HBASE_JAVA[line_of(request.hbase)]
    return None


@rules.inspects("jvm.home")
def _java_home(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    for entry in java_homes(reading.environment):
        major, software = home_major(entry.text), _runs_on(entry.base_name, facts)
        if major is None or software is None:
            continue
        name, majors = software
        versions = " or ".join(map(str, majors))
        yield entry_verdict(entry, major in majors, about="JAVA_HOME", versions=versions, name=name)


@rules.inspects("jvm.home-given")
def _home_given(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    for entry in java_homes(reading.environment):
        # Hadoop 2 ships yarn-env.sh with a line that passes on what it is given.
        ok = entry.text not in _HOME_OF_ITSELF or entry.base_name == "yarn-env.sh"
        yield entry_verdict(entry, ok, about="JAVA_HOME")


def daemon_options(reading: Inspected) -> Iterator[FoundProperty]:
    """Variables of daemons' Java options, each as the last line leaves it."""
    last = {variable.name: variable for variable in reading.environment}
    return (entry for entry in last.values() if entry.name.endswith("_OPTS"))


def java_options(reading: Inspected) -> Iterator[FoundProperty]:
    """All options of Java that were found, those of daemons and those of tasks."""
    yield from daemon_options(reading)
    yield from filter(None, map(reading.config.property, TASK_OPTIONS))


def removed_options(text: str) -> list[str]:
    """The options of a text that Java 14 and later do not know."""
    words = {word.partition("=")[0] for word in text.split()}
    return [removed for removed in read_table("java.toml")["removed"] if removed in words]


@rules.inspects("jvm.removed-options")
def _removed_options(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if facts.release_assumed or max(supported(facts)) < _REMOVED_IN:
        # Which Java runs is not known where the release is not.
        return
    for option in java_options(reading):
        dead = removed_options(option.text)
        consequence = "every task fails" if option.name in TASK_OPTIONS else "the daemon does not start"
        values = {"java": max(supported(facts)), "consequence": consequence, "dead": " ".join(dead)}
        yield entry_verdict(option, not dead, found=" ".join(dead) or option.text, values=values)


@rules.inspects("jvm.heap-options")
def _heaps(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in java_options(reading):
        most, least = heap_bytes(option.text), initial_heap_bytes(option.text)
        cut = [word for word in option.text.split() if word in ("-Xmx", "-Xms", "-Xmn")]
        if most is None and not cut:
            continue
        sizes = [word for word in option.text.split() if word.startswith(("-Xmx", "-Xms"))]
        ok = not cut and most is not None and most >= _LEAST_HEAP and (least or 0) <= most
        small = re.search(r"-Xmx(\d+)[kK]\b", option.text) if (most or 0) < _LEAST_HEAP else None
        words = "small" if small else "sizes"
        yield entry_verdict(option, ok, found=" ".join(sizes), words=words, small=small)


@rules.inspects("jvm.one-collector")
def _collectors(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in java_options(reading):
        chosen = sorted(set(re.findall(_COLLECTOR, option.text)))
        if chosen:
            yield entry_verdict(option, len(chosen) == 1, found=" ".join(chosen))


@rules.inspects("jvm.open-ports")
def _open_ports(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in daemon_options(reading):
        doors = re.findall(r"-(?:agentlib:jdwp|Xrunjdwp)\S*", option.text)
        if re.search(r"-Dcom\.sun\.management\.jmxremote\.port=\d+", option.text):
            doors += re.findall(r"-Dcom\.sun\.management\.jmxremote\.authenticate=false(?!\S)", option.text)
        if doors:
            yield entry_verdict(option, False, found=" ".join(doors))


_MOST = r"-Xmx\S+"
_GROWN_FROM = 4 * GIB  # Smaller heaps grow to their full size quickly.
_GROWTH = 2  # A heap that may grow to this many times its first size is one that is not given in full.
_SHORT_UP_TO, _WORTH_IT = 32 * GIB, 46 * GIB
_OF_YARN = "YARN_RESOURCEMANAGER_OPTS, YARN_NODEMANAGER_OPTS and so on"
_OF_ALL = f"HDFS_NAMENODE_OPTS, HDFS_DATANODE_OPTS, {_OF_YARN}"
_NAMENODES = "a NameNode needs many times the heap of a DataNode or client", _OF_ALL
_MANAGERS = "a ResourceManager of many hosts needs several times the heap of a NodeManager", _OF_YARN
_SHARED = {"HADOOP_HEAPSIZE": _NAMENODES, "HADOOP_HEAPSIZE_MAX": _NAMENODES, "YARN_HEAPSIZE": _MANAGERS}


@rules.inspects("heaps.short-pointers")
def _wide_pointers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in java_options(reading):
        most = heap_bytes(option.text)
        if most is None or re.search(r"ObjectAlignmentInBytes|UseCompressedOops|UseZGC", option.text):
            continue
        (last,) = re.findall(_MOST, option.text)[-1:] or ("-Xmx",)
        yield entry_verdict(option, not _SHORT_UP_TO <= most < _WORTH_IT, found=last)


@rules.inspects("heaps.given-once")
def _given_once(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in java_options(reading):
        sizes = re.findall(_MOST, option.text)
        if sizes:
            yield entry_verdict(option, len(set(sizes)) == 1, found=" ".join(sizes), last=sizes[-1])


@rules.inspects("heaps.in-full")
def _in_full(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in daemon_options(reading):
        most, least = heap_bytes(option.text), initial_heap_bytes(option.text)
        if most is None or least is None or most < _GROWN_FROM or least > most:
            # More at first than at most is a rule of its own, jvm.heap-options.
            continue
        (last,) = re.findall(_MOST, option.text)[-1:]
        shown = " ".join(word for word in option.text.split() if word.startswith(("-Xms", "-Xmx")))
        size = last.removeprefix("-Xmx")
        yield entry_verdict(option, least * _GROWTH > most, found=shown, size=size)


@rules.inspects("heaps.own")
def _of_all(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    last = {entry.name: entry for entry in reading.environment if entry.name in _SHARED}
    for name, variable in last.items():
        if variable.text:
            former = "; its name since Hadoop 3.0 is HADOOP_HEAPSIZE_MAX" if name == "HADOOP_HEAPSIZE" else ""
            why, variables = _SHARED[name]
            yield entry_verdict(variable, False, why=why, former=former, variables=variables)

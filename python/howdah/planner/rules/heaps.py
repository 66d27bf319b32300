"""Heaps of daemons and tasks: given once, each to its own program, and to daemons in full from the start."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.jvm import daemon_options, java_options
from howdah.releases.values import heap_bytes
from howdah.units import GIB

rules = read_rules("heaps.toml")

_MOST = re.compile(r"-Xmx\S+")
_LEAST = re.compile(r"-Xms(?=\d)")
_GROWN_FROM = 4 * GIB
"""Smaller heaps grow to their full size quickly."""
_GROWTH = 2
"""A heap that may grow to this many times its first size is one that is not given in full."""
_SHORT_UP_TO, _WORTH_IT = 32 * GIB, 46 * GIB
_POINTERS = re.compile(r"ObjectAlignmentInBytes|UseCompressedOops|UseZGC")
_OF_YARN = "YARN_RESOURCEMANAGER_OPTS, YARN_NODEMANAGER_OPTS and so on"
_OF_ALL = f"HDFS_NAMENODE_OPTS, HDFS_DATANODE_OPTS, {_OF_YARN}"
_SHARED = ("HADOOP_HEAPSIZE", "HADOOP_HEAPSIZE_MAX", "YARN_HEAPSIZE")
_OWN = dict.fromkeys(_SHARED, _OF_ALL) | {"YARN_HEAPSIZE": _OF_YARN}
_DIFFER = dict.fromkeys(_SHARED, "a NameNode needs many times the heap of a DataNode or client") | {
    "YARN_HEAPSIZE": "a ResourceManager of many hosts needs several times the heap of a NodeManager"
}


@rules.inspects("heaps.short-pointers")
def _wide_pointers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in java_options(reading):
        most = heap_bytes(option.text)
        if most is None or _POINTERS.search(option.text):
            continue
        (last,) = _MOST.findall(option.text)[-1:] or ("-Xmx",)
        yield entry_verdict(
            option,
            not _SHORT_UP_TO <= most < _WORTH_IT,
            found=last,
            expected="-Xmx31g, or 48g at least: from 32 GiB on every pointer takes twice the space, and "
            "a heap below 48 GiB holds less than a heap of 31 GiB",
            fix=f"set {last} to -Xmx31g in {option.name} in {option.place}",
        )


@rules.inspects("heaps.given-once")
def _given_once(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in java_options(reading):
        sizes = _MOST.findall(option.text)
        if sizes:
            yield entry_verdict(
                option,
                len(set(sizes)) == 1,
                found=" ".join(sizes),
                expected=f"one -Xmx: Java uses the last, {sizes[-1]}, and ignores the others",
                fix=f"keep only the intended -Xmx in {option.name} in {option.place}",
            )


@rules.inspects("heaps.in-full")
def _in_full(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for option in daemon_options(reading):
        most = heap_bytes(option.text)
        words = (word for word in option.text.split() if not word.startswith("-Xmx"))
        least = heap_bytes(_LEAST.sub("-Xmx", " ".join(words)))
        if most is None or least is None or most < _GROWN_FROM or least > most:
            # More at first than at most is a rule of its own, jvm.heap-options.
            continue
        (last,) = _MOST.findall(option.text)[-1:]
        yield entry_verdict(
            option,
            least * _GROWTH > most,
            found=" ".join(word for word in option.text.split() if word.startswith(("-Xms", "-Xmx"))),
            expected="-Xms as large as -Xmx: otherwise a daemon's heap grows through collections that stop "
            "it, and the memory may be taken by then",
            fix=f"set -Xms to {last.removeprefix('-Xmx')} in {option.name} in {option.place}",
        )


@rules.inspects("heaps.own")
def _of_all(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    environment = reading.environment
    for name, variable in {entry.name: entry for entry in environment}.items():
        if name in _SHARED and variable.text:
            former = "; its name since Hadoop 3.0 is HADOOP_HEAPSIZE_MAX" if name == "HADOOP_HEAPSIZE" else ""
            yield entry_verdict(
                variable,
                False,
                about=name,
                expected=f"a heap for each daemon: {_DIFFER[name]}, and this value applies to every daemon "
                f"without its own{former}",
                fix=f"remove {name} from {variable.place}, and give each daemon its -Xmx: {_OWN[name]}",
            )

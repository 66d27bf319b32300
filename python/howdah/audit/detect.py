"""The release of Hadoop that a configuration is for, by its names, ports and Java."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.model.existing import FoundConfig, FoundProperty
from howdah.model.host import Host
from howdah.planner.rules.jvm import home_major, java_homes, java_major, java_of_hadoop, removed_options
from howdah.releases.catalogue import HADOOP_VERSIONS, hadoop, line_of

_ARCHIVE = re.compile(r"hadoop-(\d+\.\d+\.\d+)(?![\d.])")
_BEFORE_2_7 = re.compile(r"2\.[0-6]\.")
_HDP = re.compile(r"/hdp/(\d)\.(\d+)|HDP-(\d)\.(\d+)")
_CDH = re.compile(r"CDH-(\d+)\.(\d+)|/cdh(\d)\b", re.IGNORECASE)
_OF_HDP = {"2": "2.7", "3": "3.1"}
_OF_CDH = {"5": "2.7", "6": "3.1", "7": "3.1"}  # The line of Hadoop that is nearest to a distribution's.
_OLD_PORT = re.compile(r":(50070|50470|50090|50075|50010|50020|50475|50091)\b")
_NEW_PORT = re.compile(r":(9870|9871|9868|9864|9866|9867|9865|9869)\b")
_OLD_VARIABLES = re.compile(
    r"YARN_(CONF_DIR|LOG_DIR|OPTS|HEAPSIZE|ROOT_LOGGER)|HADOOP_(NAMENODE|DATANODE)_OPTS|HADOOP_PREFIX"
)
_NEW_VARIABLES = re.compile(r"HADOOP_OS_TYPE|(HDFS|YARN|MAPRED)_[A-Z]+_(USER|OPTS)|HADOOP_DAEMON_ROOT_LOGGER")
_OLD_OPTS = re.compile(r"YARN_(RESOURCEMANAGER|NODEMANAGER|TIMELINESERVER|PROXYSERVER)_OPTS")
_OF_TRACKERS = re.compile(
    r"mapred\.(job\.tracker|jobtracker|task\.tracker|tasktracker|fairscheduler)(\..*)?"
    r"|mapreduce\.(jobtracker|tasktracker)\..*|dfs\.support\.append"
)
"""Keys of daemons that Hadoop 2 replaced, which its configurations took over from the first."""
_LEAST_TRACKER_KEYS = 3
_FOR_JAVA_17 = "mapreduce.jvm.add-opens-as-default"


class Detected(NamedTuple):
    """A release and its evidence; the evidence is empty if nothing names a release."""

    hadoop: str
    because: str


class _Clue(NamedTuple):
    """Releases that fit, and the evidence."""

    fits: frozenset[str]
    because: str


def detect(config: FoundConfig | None, hosts: Sequence[Host], assumed: str) -> Detected:
    """The newest release that fits all clues, the strongest clues first; ``assumed`` without clues.

    A release that a path names is used as it is; other clues choose among the known releases.
    """
    named = _named(config)
    if named is not None:
        return named
    candidates = list(HADOOP_VERSIONS)
    because = ""
    for clue in (*_of_files(config), *_of_java(config, hosts), *_of_options(config), *_of_keys(config)):
        remaining = [version for version in candidates if version in clue.fits]
        if remaining and remaining != candidates:
            newest = remaining[-1] != candidates[-1]
            candidates = remaining
            because = clue.because if newest or not because else because
    if candidates[-1] == HADOOP_VERSIONS[-1]:
        # Clues that include the newest release do not determine the release.
        strong = candidates[0] == HADOOP_VERSIONS[-1]
        return Detected(assumed, because if strong else "")
    return Detected(candidates[-1], because)


def _texts(config: FoundConfig | None) -> tuple[FoundProperty, ...]:
    return (*config.properties, *config.environment) if config is not None else ()


def _named(config: FoundConfig | None) -> Detected | None:
    """The release that a path names; None if none does, or if several differ."""
    releases: dict[str, str] = {}
    for entry in _texts(config):
        for match in _ARCHIVE.finditer(entry.text):
            if any(line_of(version) == line_of(match[1]) for version in HADOOP_VERSIONS):
                releases.setdefault(match[1], f"{match[0]} in {entry.place}")
            elif _BEFORE_2_7.match(match[1]):
                # Older releases count as the oldest known one.
                releases.setdefault(line_of(HADOOP_VERSIONS[0]), f"{match[0]} in {entry.place}")
        if (hdp := _HDP.search(entry.text)) and (line := _OF_HDP.get(hdp[1] or hdp[3])):
            releases.setdefault(line, f"HDP's {hdp[0].strip('/')} in {entry.place}")
        if (cdh := _CDH.search(entry.text)) and (line := _OF_CDH.get(cdh[1] or cdh[3])):
            releases.setdefault(line, f"{cdh[0].strip('/')} in {entry.place}")
    if len(releases) != 1:
        return None
    ((version, because),) = releases.items()
    of_line = (release for release in HADOOP_VERSIONS if release.startswith(f"{version}."))
    return Detected(next(of_line, version), because)


def _before_3() -> frozenset[str]:
    return frozenset(version for version in HADOOP_VERSIONS if version.startswith("2."))


def _of_files(config: FoundConfig | None) -> Iterator[_Clue]:
    if config is None:
        return
    old, everything = _before_3(), frozenset(HADOOP_VERSIONS)
    names = {PurePosixPath(file).name: file for file in config.files}
    for entry in config.environment:
        if _NEW_VARIABLES.fullmatch(entry.name) and not _OLD_OPTS.fullmatch(entry.name):
            yield _Clue(everything - old, f"{entry.name} in {entry.place}")
    if "workers" in names and "slaves" not in names:
        yield _Clue(everything - old, f"the file {names['workers']}")
    for entry in config.properties:
        if entry.name == _FOR_JAVA_17:
            since = frozenset(version for version in everything if hadoop(version).find(_FOR_JAVA_17))
            yield _Clue(since, f"{_FOR_JAVA_17} in {entry.place}")
        if match := _NEW_PORT.search(entry.text):
            yield _Clue(everything - old, f"port {match[1]} in {entry.place}")
        if match := _OLD_PORT.search(entry.text):
            yield _Clue(old, f"port {match[1]} in {entry.place}")
    if "slaves" in names and "workers" not in names:
        yield _Clue(old, f"the file {names['slaves']}")
    for entry in config.environment:
        if _OLD_VARIABLES.fullmatch(entry.name) and not entry.base_name.startswith(("hbase", "spark")):
            yield _Clue(old, f"{entry.name} in {entry.place}")


def _of_keys(config: FoundConfig | None) -> Iterator[_Clue]:
    """Keys of JobTrackers and TaskTrackers, if nothing else shows the age."""
    entries = config.properties if config is not None else ()
    tracker_keys = [entry for entry in entries if _OF_TRACKERS.fullmatch(entry.name)]
    if len(tracker_keys) >= _LEAST_TRACKER_KEYS:
        yield _Clue(_before_3(), f"{tracker_keys[0].name} in {tracker_keys[0].place}")


def _of_java(config: FoundConfig | None, hosts: Sequence[Host]) -> Iterator[_Clue]:
    """The releases that run on the Java of all scripts and hosts; different ones are no clue."""
    scripts = config.environment if config is not None else ()
    majors = {home_major(entry.text): entry.place for entry in java_homes(scripts)}
    for host in hosts:
        majors.setdefault(java_major(host.software.java or ""), host.name)
    named = [(major, place) for major, place in majors.items() if major is not None]
    if len(named) == 1:
        ((major, place),) = named
        yield _Clue(_on(major), f"Java {major} in {place}")


def _of_options(config: FoundConfig | None) -> Iterator[_Clue]:
    """The releases that run on a Java that still has the configured options."""
    for entry in _texts(config):
        removed = removed_options(entry.text)
        if removed and not entry.base_name.startswith("hbase"):
            yield _Clue(_on(8), f"{removed[0]} in {entry.place}")


def _on(major: int) -> frozenset[str]:
    return frozenset(version for version in HADOOP_VERSIONS if major in java_of_hadoop(version))

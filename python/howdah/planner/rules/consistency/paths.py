"""Paths where paths are read and URIs where URIs are, in the form that their readers take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import Found
from howdah.planner.facts import Facts
from howdah.planner.named_hosts import has_several_hosts
from howdah.planner.reading import ConfigurationReading
from howdah.planner.rule import Inspection, Observation, Rule, Severity
from howdah.releases.similar import similar_text

_STORAGES = ("DISK", "SSD", "ARCHIVE", "RAM_DISK", "PROVIDED", "NVDIMM")
_TAG = re.compile(r"\s*\[([^\]]*)\]")
_DATA = "dfs.datanode.data.dir"
_WORKING = "hadoop.tmp.dir"
_BELOW_WORKING = ("dfs.namenode.name.dir", _DATA)
_PATHS = re.compile(
    r"hadoop\.tmp\.dir|dfs\.(journalnode\.edits\.dir(\..*)?|domain\.socket\.path|hosts|hosts\.exclude)"
    r"|dfs\.datanode\.(keytab\.file|replica\.cache\.root\.dir)|dfs\.namenode\.keytab\.file"
    r"|.*\.(keytab|keytab\.file|keytab-file)|net\.topology\.(script|table)\.file\.name"
    r"|dfs\.ha\.fencing\.ssh\.private-key-files"
    r"|hbase\.local\.dir|io\.seqfile\.local\.dir|mapreduce\.cluster\.local\.dir"
    r"|yarn\.nodemanager\.(linux-container-executor\.path|health-checker\.script\.path)"
    r"|ssl\.(server|client)\..*\.location|hadoop\.security\.auth_to_local\.file|dataDir|dataLogDir"
)
"""Keys whose readers open the text as a file of the host's own."""
_LISTS = re.compile(
    r"dfs\.(namenode\.(name|edits|checkpoint)\.dir|datanode\.data\.dir)|yarn\.nodemanager\.(local|log)-dirs"
    r"|mapreduce\.cluster\.local\.dir"
)
"""Lists of directories with commas between them."""
_FILE_SYSTEMS = re.compile(r"fs\.defaultFS|hbase\.rootdir|hbase\.wal\.dir")
_OF_ALL = re.compile(
    r"yarn\.nodemanager\.remote-app-log-dir|yarn\.app\.mapreduce\.am\.staging-dir"
    r"|mapreduce\.jobhistory\.(intermediate-)?done-dir|hbase\.wal\.dir|mapreduce\.jobtracker\.system\.dir"
)
"""Directories that hosts share."""
_LOCAL = re.compile(r"file:/{0,2}(/(?!.*(mnt|net|nfs|share|gpfs|lustre)).*)", re.IGNORECASE)
"""A path of a host's own disks; other hosts may have the same mount below the names in brackets."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(/{0,3})(.*)", re.IGNORECASE | re.DOTALL)
_HOSTS = re.compile(
    r"yarn\.(resourcemanager|nodemanager|timeline-service)\.hostname(\..+)?|dfs\.datanode\.hostname"
)


def _plain_paths(found: Found, facts: Facts) -> Iterator[Observation]:
    reading = ConfigurationReading(found)
    for entry in found.config.effective if found.config else ():
        match = _SCHEME.fullmatch(entry.text)
        foreign = _LISTS.fullmatch(entry.name) and match is not None and match[1].lower() != "file"
        if match is None or not (foreign or _PATHS.fullmatch(entry.name)):
            continue
        if entry.name == _WORKING and all(map(reading.text, _BELOW_WORKING)):
            # HDFS makes URIs of it where its own directories are not given; others take it as it is.
            continue
        path = "/" + match[3].lstrip("/")
        yield Observation(
            ok=False,
            about=entry.name,
            found=entry.text,
            expected="a path without a scheme: what reads it makes a path or another URI of it and ends, "
            "or looks for "
            "a file of this name",
            fix=f"set {entry.name} to {path} in {entry.place}",
            where=entry.place,
        )


def _shared_places(found: Found, facts: Facts) -> Iterator[Observation]:
    """Whether what all hosts read and write is in the file system that they share."""
    shared = ConfigurationReading(found).text("fs.defaultFS") or ""
    if not shared.startswith("hdfs://") or not has_several_hosts(found):
        return
    for entry in found.config.effective if found.config else ():
        if _OF_ALL.fullmatch(entry.name) and (match := _LOCAL.fullmatch(entry.text.strip())):
            yield Observation(
                ok=False,
                about=entry.name,
                found=entry.text,
                expected="a path of the file system that all hosts share: each host has its own disks there, "
                "and what a host writes no other finds",
                fix=f"set {entry.name} to {match[1]} in {entry.place}",
                where=entry.place,
            )


def _data_tags(found: Found, facts: Facts) -> Iterator[Observation]:
    reading = ConfigurationReading(found)
    for part in (reading.text(_DATA) or "").split(","):
        match = _TAG.match(part)
        if match and match[1].upper() not in _STORAGES:
            tag = match[1].upper()
            longer = next((storage for storage in _STORAGES if tag and storage.startswith(f"{tag}_")), "DISK")
            near = similar_text(tag, _STORAGES) or longer
            yield Observation(
                ok=False,
                about=_DATA,
                found=part.strip(),
                expected=f"one of {', '.join(_STORAGES)} in brackets: no DataNode starts with {match[1]}",
                fix=f"write [{near}] for [{match[1]}] in {reading.where(_DATA)}",
                where=reading.where(_DATA),
            )


def _commas(found: Found, facts: Facts) -> Iterator[Observation]:
    """Whether directories are listed with commas, for anything else is part of a name."""
    for entry in found.config.effective if found.config else ():
        if _LISTS.fullmatch(entry.name) is None:
            continue
        marks = [
            (name, parts)
            for name, form in (
                ("semicolon", r"\s*;\s*"),
                ("colon", r":(?=/(?!/))(?<!file:)"),
                ("blank", r"\s+"),
            )
            for part in entry.text.split(",")
            if len(parts := [one for one in re.split(form, part.strip()) if one]) > 1
            and all(re.match(r"(\[\w+\])?(file:)?/", one) for one in parts)
        ]
        if marks:
            mark, parts = marks[0]
            directories = re.split(r"[;,\s]+" if mark != "colon" else r"(?<!file):|,", entry.text)
            yield Observation(
                ok=False,
                about=entry.name,
                found=entry.text,
                expected=f"a comma between directories: with a {mark} {len(parts)} of them are a single "
                "one, on one disk",
                fix=f"set {entry.name} to {','.join(filter(None, directories))} in {entry.place}",
                where=entry.place,
            )


def _uris(found: Found, facts: Facts) -> Iterator[Observation]:
    for entry in found.config.effective if found.config else ():
        if _FILE_SYSTEMS.fullmatch(entry.name) is None or "${" in entry.text or not entry.text:
            continue
        match = _SCHEME.fullmatch(entry.text)
        scheme, slashes, rest = match.groups() if match else ("", "", entry.text)
        by_port = match is not None and rest.partition("/")[0].isdigit() and not slashes
        by_name = match is None and (entry.name != "fs.defaultFS" or "/" not in entry.text)
        if by_port or by_name:
            # Hadoop takes host:port for HDFS's, and HBase a path for one of the default file system.
            continue
        missing = match is None or (scheme.lower() == "hdfs" and len(slashes) < 2)
        yield Observation(
            ok=not missing,
            about=entry.name,
            found=entry.text,
            expected="a URI such as hdfs://prod: the NameNode is not found otherwise",
            fix=f"set {entry.name} to hdfs://{rest.lstrip('/')} in {entry.place}",
            where=entry.place,
        )


def _bare_hosts(found: Found, facts: Facts) -> Iterator[Observation]:
    for entry in found.config.effective if found.config else ():
        if _HOSTS.fullmatch(entry.name) and re.search(r"://|:\d+$", entry.text) and entry.text.count(":") < 3:
            host = re.sub(r"^\w+://|:\d+/?$", "", entry.text)
            yield Observation(
                ok=False,
                about=entry.name,
                found=entry.text,
                expected="a host alone: addresses are made by adding a port to it",
                fix=f"set {entry.name} to {host} in {entry.place}",
                where=entry.place,
            )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="consistency.shared-places",
        says="What all hosts read and write is in the file system that they share.",
        sources=("Hadoop 3.5.0: mapred-default.xml", "howdah"),
        severity=Severity.MUST,
        condition="where fs.defaultFS is HDFS and there are several hosts",
        inspect=_shared_places,
    ),
    Inspection(
        id="consistency.plain-paths",
        says="Keys that are read as paths have no scheme.",
        sources=(
            "Hadoop 3.5.0: NameNode",
            "Hadoop 3.5.0: JournalNode",
            "Hadoop 3.5.0: HostsFileReader",
        ),
        severity=Severity.MUST,
        inspect=_plain_paths,
    ),
    Inspection(
        id="consistency.storage-tags",
        says="DataNodes' directories are tagged with storage types that there are.",
        sources=("Hadoop 3.5.0: StorageLocation",),
        severity=Severity.MUST,
        inspect=_data_tags,
    ),
    Inspection(
        id="consistency.directory-lists",
        says="Directories of a list have commas between them.",
        sources=("Hadoop 3.5.0: Configuration.getTrimmedStrings",),
        severity=Severity.MUST,
        inspect=_commas,
    ),
    Inspection(
        id="consistency.file-system-uris",
        says="File systems are named by URIs.",
        sources=("Hadoop 3.5.0: FileSystem",),
        severity=Severity.MUST,
        inspect=_uris,
    ),
    Inspection(
        id="consistency.bare-hosts",
        says="Keys of hosts have neither a scheme nor a port.",
        sources=("Hadoop 3.5.0: yarn-default.xml",),
        severity=Severity.MUST,
        inspect=_bare_hosts,
    ),
)

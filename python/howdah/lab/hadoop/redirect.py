"""Rendered files with the changes that a lab needs: paths, jars, marks; without root addresses and ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Comment, Element, SubElement, TreeBuilder, XMLParser

from howdah.hadoop import config_files, daemons
from howdah.hadoop.config_files import site_values
from howdah.hadoop.daemons import DAEMONS, ELECTION_PORTS, NODEMANAGER_PORT, default_port
from howdah.lab.registry import MACHINE, VARIABLE
from howdah.lab.state import LabSystem
from howdah.model.cluster import Deviation, Isolation, Scaling
from howdah.model.plan import ConfigSet, Role
from howdah.releases.values import read_list

_FOLDERS = ("hadoop", "hbase")  # For masters, clients, and workers if their kinds do not differ.
SITES = (*config_files.SITES, config_files.HBASE_SITE)
"""The files of properties that a configuration directory may have."""
_CONF = daemons.conf_folder("hadoop")
_FILES = (
    "dfs.domain.socket.path", "net.topology.script.file.name", *daemons.INCLUDES, *daemons.EXCLUDES
)  # fmt: skip
DIRECTORIES = tuple(dict.fromkeys(entry.key for entry in daemons.DIRECTORIES if entry.key not in _FILES))
"""The keys of directories, local ones unless they begin with hdfs://; daemons do not create all of them."""
_BELOW = "every machine of a lab keeps its files in its own directory"
_JARS = "tasks use Hadoop's jars from this machine"
_TASKS = (
    "sets the planned worker's number of CPUs, because Java would count fewer in part of one, and leaves no "
    "file in /tmp after a killed task"
)
_MARK = "processes of tasks carry the names of their lab and machine, so that howdah can find them"
_KEPT_FREE = "dfs.datanode.round-robin-volume-choosing-policy.additional-available-space"
_SMALL_DISKS = (
    "a DataNode puts no block on a disk with less than 1 GiB free, which may be half of a lab's small disk, "
    "and the NameNode does not know of that"
)
_SHORT_CIRCUIT = "dfs.client.read.shortcircuit"
_UNSUPPORTED = (
    ("hdfs-site.xml", _SHORT_CIRCUIT, "true", "false",
     "short-circuit reads need libhadoop, which the released jars do not contain"),
    ("yarn-site.xml", "yarn.nodemanager.numa-awareness.enabled", "true", "false",
     "machines of a lab share this machine's processors and memory, so none has its own NUMA nodes"),
    ("yarn-site.xml", "yarn.nodemanager.aux-services", "spark_shuffle", "mapreduce_shuffle",
     "a NodeManager does not start without the jar of Spark's shuffle service, which is not fetched"),
    ("hdfs-site.xml", "dfs.ha.fencing.methods", "", "shell(/bin/true)",
     "no sshd runs in a lab; the quorum of JournalNodes lets only one NameNode write"),
)  # fmt: skip
"""Features that a lab lacks: a property, the part of its value that needs one, its value in a lab, why."""
_WHITELIST = "yarn.nodemanager.env-whitelist"
# With the defaults in Hadoop's code, which a value replaces.
_OF_TASKS = "-Djava.net.preferIPv4Stack=true -Dhadoop.metrics.log.level=WARN"
_ADMIN_OPTIONS = {
    "mapreduce.admin.map.child.java.opts": _OF_TASKS,
    "mapreduce.admin.reduce.child.java.opts": _OF_TASKS,
    "yarn.app.mapreduce.am.admin-command-opts": "",
}


class RedirectedProperty(NamedTuple):
    """A property with another value than rendered, and the reason."""

    file: str  # The file it belongs to, ``hdfs-site.xml``.
    key: str
    value: str
    why: str


_Changes = Iterator[RedirectedProperty]


def properties(text: str) -> dict[str, str]:
    """Return every key with its value in one rendered file."""
    return site_values(text.encode(), "")


def all_properties(files: Mapping[str, str]) -> dict[str, str]:
    """Return every key with its value in all rendered files."""
    return {key: value for name in SITES if name in files for key, value in properties(files[name]).items()}


def with_changes(text: str | None, changes: Mapping[str, RedirectedProperty]) -> str:
    """Return the file with these keys changed or added, comments kept; a new file for None."""
    root = Element("configuration")
    if text is not None:
        # howdah itself rendered this file, so it is safe to parse.
        root = ElementTree.fromstring(text, XMLParser(target=TreeBuilder(insert_comments=True)))
    remaining = dict(changes)
    for element in root.iter("property"):
        change = remaining.pop(element.findtext("name", ""), None)
        value = element.find("value")
        if change is not None and value is not None:
            value.text = change.value
    for change in remaining.values():
        root.append(Comment(f" {change.why.replace('--', '- -')} [the lab] "))
        added = SubElement(root, "property")
        SubElement(added, "name").text = change.key
        SubElement(added, "value").text = change.value
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


class CommonSettings(NamedTuple):
    """Settings that are the same for all machines of a lab."""

    task_class_path: str  # Hadoop's jars, for tasks.
    native: bool
    task_options: tuple[str, ...] = ()  # Java options that every task needs.


def configuration_files(rendered: ConfigSet, worker_kind: str | None = None) -> dict[str, str]:
    """Return the files of a configuration directory by name: of a kind of worker, or of masters and clients.

    It contains Hadoop's and HBase's files, because HBase's daemons read both; their names differ.
    """
    files: dict[str, str] = {}
    for folder in _FOLDERS:
        # Kinds of workers that do not differ have no folders of their own.
        for name in (f"{folder}-{worker_kind}" if worker_kind else folder, folder):
            if own := [file for file in rendered.files if file.path.startswith(f"{name}/")]:
                files |= {file.path.partition("/")[2]: file.content for file in own}
                break
    return files


def moved(paths: str, conf: Path, root: Path) -> str:
    """Return a value of local paths with each path below a machine's directory."""
    return ",".join(_moved(path, conf, root) for path in read_list(paths))


def _moved(path: str, conf: Path, root: Path) -> str:
    # A disk's storage type precedes its directory: [SSD]file:///data/01/dfs.
    tag, bracket, place = path.rpartition("]")
    scheme, local = ("file://", place[7:]) if place.startswith("file://") else ("", place)
    scheme = f"{tag}{bracket}{scheme}"
    if not local.startswith("/"):
        return path
    local = normpath(local)
    if PurePosixPath(local).is_relative_to(_CONF):
        return f"{scheme}{conf / PurePosixPath(local).relative_to(_CONF)}"
    return f"{scheme}{root}{local}"


def redirections(files: Mapping[str, str], conf: Path, root: Path, common: CommonSettings) -> _Changes:
    """Yield the changes for any machine: paths, jars, marks, features that need a native library."""
    values: dict[str, str] = {}
    for file in SITES:
        for key, value in properties(files[file]).items() if file in files else ():
            values[key] = value
            if key in (*DIRECTORIES, *_FILES) and (local := moved(value, conf, root)) != value:
                yield RedirectedProperty(file, key, local, _BELOW)
    if "mapred-site.xml" in files:
        jars, paths = common.task_class_path, f"$HADOOP_CONF_DIR,{common.task_class_path}"
        yield RedirectedProperty("mapred-site.xml", "mapreduce.application.classpath", jars, _JARS)
        yield RedirectedProperty("yarn-site.xml", "yarn.application.classpath", paths, _JARS)
        for key, default in _ADMIN_OPTIONS.items():
            options = " ".join([values.get(key, default), "-XX:-UsePerfData", *common.task_options])
            yield RedirectedProperty("mapred-site.xml", key, options.strip(), _TASKS)
    if _WHITELIST in values:
        variables = f"{values[_WHITELIST]},{VARIABLE},{MACHINE}"
        yield RedirectedProperty("yarn-site.xml", _WHITELIST, variables, _MARK)
    if "dfs.datanode.data.dir" in values:
        yield RedirectedProperty("hdfs-site.xml", _KEPT_FREE, values.get(_KEPT_FREE, "0"), _SMALL_DISKS)
    for file, key, part, used, why in _UNSUPPORTED:
        if part in values.get(key, "") and key in values and not (key == _SHORT_CIRCUIT and common.native):
            yield RedirectedProperty(file, key, used, why)


def redirected_files(files: Mapping[str, str], changes: Iterable[RedirectedProperty]) -> dict[str, str]:
    """Return all files of a HADOOP_CONF_DIR with the changes; the last change of a key counts."""
    per_file: dict[str, dict[str, RedirectedProperty]] = {}
    for change in changes:
        per_file.setdefault(change.file, {})[change.key] = change
    return {**files, **{file: with_changes(files.get(file), keys) for file, keys in per_file.items()}}


def deviations(
    files: Mapping[str, str], changes: Iterable[RedirectedProperty], root: Path
) -> tuple[Deviation, ...]:
    """Return the differences from the rendered files, with paths relative to ``root``."""
    rendered, last = all_properties(files), {change.key: change for change in changes}
    return tuple(
        Deviation(
            key=key,
            planned=rendered.get(key, ""),
            used=change.value.replace(f"file://{root}/", "").replace(f"{root}/", ""),
            why=change.why,
        )
        for key, change in sorted(last.items())
        if rendered.get(key) != change.value
    )


_TRANSFER = "dfs.datanode.address"
_TRANSFER_STEP = 100  # Between DataNodes' ports of data transfer; HDFS's default is the first one.
_FIXED = {"yarn.nodemanager.address": NODEMANAGER_PORT, _TRANSFER: 0}  # In place of a default.
MOST_WORKERS = 200  # More DataNodes would need ports in Linux's ephemeral range.
_OWN_ADDRESSES = "all daemons run on one machine, so each has its own loopback address"
_SAME_SOURCE = "all DataNodes reach the NameNode from 127.0.0.1, so ports identify them"
_NO_TOPOLOGY = "all DataNodes have address 127.0.0.1, so the NameNode cannot distinguish their hosts"
_SHARED_PORT = "the shuffle listens on all addresses, so each NodeManager needs its own port"
_BLOCKS = "org.apache.hadoop.hdfs.server.blockmanagement"
_PLACEMENT = {
    "net.topology.impl": "org.apache.hadoop.net.NetworkTopology",
    "dfs.block.replicator.classname": f"{_BLOCKS}.BlockPlacementPolicyDefault",
    "dfs.use.dfs.network.topology": "true",
    "dfs.namenode.hosts.provider.classname": f"{_BLOCKS}.HostFileManager",
}
_OWN = (
    (Role.NAMENODE, "hdfs", "dfs.namenode.http-address", "{name}:{default}", _OWN_ADDRESSES),
    (Role.JOURNALNODE, "hdfs", "dfs.journalnode.rpc-address", "{name}:{default}", _OWN_ADDRESSES),
    (Role.JOURNALNODE, "hdfs", "dfs.journalnode.http-address", "{name}:{default}", _OWN_ADDRESSES),
    (Role.JOB_HISTORY, "mapred", "mapreduce.jobhistory.admin.address", "{name}:{default}", _OWN_ADDRESSES),
    (Role.DATANODE, "hdfs", "dfs.datanode.hostname", "{name}", _SAME_SOURCE),
    (Role.DATANODE, "hdfs", "dfs.datanode.address", "{name}:{transfer}", _SAME_SOURCE),
    (Role.DATANODE, "hdfs", "dfs.datanode.http.address", "{name}:{default}", _OWN_ADDRESSES),
    (Role.DATANODE, "hdfs", "dfs.datanode.ipc.address", "{name}:{default}", _OWN_ADDRESSES),
    (Role.NODEMANAGER, "yarn", "yarn.nodemanager.hostname", "{name}", _OWN_ADDRESSES),
    (Role.NODEMANAGER, "yarn", "yarn.nodemanager.address", f"{{name}}:{NODEMANAGER_PORT}", _OWN_ADDRESSES),
    (Role.NODEMANAGER, "mapred", "mapreduce.shuffle.port", "{shuffle}", _SHARED_PORT),
    (Role.HMASTER, "hbase", "hbase.master.hostname", "{name}", _OWN_ADDRESSES),
    (Role.HMASTER, "hbase", "hbase.master.ipc.address", "{name}", _OWN_ADDRESSES),
    (Role.HMASTER, "hbase", "hbase.master.info.bindAddress", "{name}", _OWN_ADDRESSES),
    (Role.REGIONSERVER, "hbase", "hbase.unsafe.regionserver.hostname", "{name}", _OWN_ADDRESSES),
    (Role.REGIONSERVER, "hbase", "hbase.regionserver.ipc.address", "{name}", _OWN_ADDRESSES),
    (Role.REGIONSERVER, "hbase", "hbase.regionserver.info.bindAddress", "{name}", _OWN_ADDRESSES),
)
"""A daemon's own addresses and ports: its site's file, the key, the value on a machine, why."""
_INCLUDED = "dfs.hosts"
_INCLUDE_FILE = "dfs.include"
_LOST = {
    "topology": "all DataNodes have one address, so replicas of a block may share a host",
    "closed network": "shuffles and application masters listen on every address of this machine",
}
LOST = tuple(Isolation(what=subject, kept=False, how=how) for subject, how in _LOST.items())
"""Further isolation that is missing on loopback addresses."""
_BY_LIMITS = ("CPUs per ", "uplink per ", "largest data disk per ")  # Only limits reduce these.


def ports(machine: LabSystem, number: int) -> Iterator[tuple[str, int]]:
    """Yield the addresses and ports of a machine's daemons; ``number`` is its position in the plan."""
    for role in machine.roles:
        yield from ((machine.address, port) for port in _ports_of(role))
    if Role.DATANODE in machine.roles:
        yield machine.address, _numbered_ports(number)["transfer"]
    if Role.NODEMANAGER in machine.roles:
        yield "0.0.0.0", _numbered_ports(number)["shuffle"]


def _numbered_ports(number: int) -> dict[str, int]:
    """The ports that differ from machine to machine."""
    transfer, shuffle = default_port(_TRANSFER), default_port("mapreduce.shuffle.port")
    return {"transfer": transfer + number * _TRANSFER_STEP, "shuffle": shuffle + number}


def _ports_of(role: Role) -> Iterator[int]:
    kind = DAEMONS[role]
    yield from filter(None, (_FIXED.get(key, default_port(key)) for key in (kind.page.key, *kind.addresses)))
    yield from ELECTION_PORTS if role is Role.ZOOKEEPER else ()


def changes(machine: LabSystem | None, number: int, rendered: Mapping[str, str]) -> _Changes:
    """Yield the changes of one machine, or of a client for None; ``rendered`` has all properties."""
    for key in ("dfs.client.use.datanode.hostname", "dfs.datanode.use.datanode.hostname"):
        yield RedirectedProperty("hdfs-site.xml", key, "true", _SAME_SOURCE)
    for key, value in _PLACEMENT.items():
        if key in rendered:
            site = "core" if key.startswith("net.") else "hdfs"
            yield RedirectedProperty(f"{site}-site.xml", key, value, _NO_TOPOLOGY)
    if machine is None:
        return
    if _INCLUDED in rendered:
        included = str(machine.conf / _INCLUDE_FILE)
        yield RedirectedProperty("hdfs-site.xml", _INCLUDED, included, _SAME_SOURCE)
    ports_by_name = _numbered_ports(number)
    for role, site, key, value, why in _OWN:
        # The addresses of several NameNodes are rendered.
        if role in machine.roles and not (role is Role.NAMENODE and "dfs.nameservices" in rendered):
            text = value.format(name=machine.name, default=default_port(key), **ports_by_name)
            yield RedirectedProperty(f"{site}-site.xml", key, text, why)


def scaled(scaling: Sequence[Scaling]) -> tuple[Scaling, ...]:
    """Return the scaling that also applies without limits."""
    return tuple(change for change in scaling if not change.what.startswith(_BY_LIMITS))


def shared_files(files: Mapping[str, str], machines: Sequence[LabSystem]) -> dict[str, str]:
    """Return a HADOOP_CONF_DIR's files with changed lists of included hosts and of the topology."""
    result = dict(files)
    if _INCLUDE_FILE in files or "dfs.hosts.json" in files:
        result[_INCLUDE_FILE] = "127.0.0.1\n"
    if "topology.data" in files:
        located = dict(line.split() for line in files["topology.data"].splitlines() if line.strip())
        lines = (
            f"{machine.address} {located[machine.name]}\n" for machine in machines if machine.name in located
        )
        result["topology.data"] = files["topology.data"] + "".join(lines)
    return result

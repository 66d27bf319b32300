"""Hadoop's XML files: what a rendered one says, and a copy of it with some values changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Comment, Element, SubElement, TreeBuilder, XMLParser

from howdah.hadoop.site_files import read_site
from howdah.lab.registry import MACHINE, VARIABLE
from howdah.lab.state import LabSystem
from howdah.model.cluster import Deviation
from howdah.model.configset import ConfigSet

_FOLDERS = ("hadoop", "hbase")
"""The folders of a ConfigSet that masters, clients and workers have where kinds of workers do not differ."""
SITES = ("core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml", "hbase-site.xml")
"""The files of properties that a configuration directory may have."""
_CONF = "/etc/hadoop/conf"
DIRECTORIES = (
    "hadoop.tmp.dir",
    "dfs.namenode.name.dir",
    "dfs.namenode.edits.dir",
    "dfs.namenode.checkpoint.dir",
    "dfs.journalnode.edits.dir",
    "dfs.datanode.data.dir",
    "yarn.nodemanager.local-dirs",
    "yarn.nodemanager.log-dirs",
    "yarn.nodemanager.recovery.dir",
    "yarn.resourcemanager.leveldb-state-store.path",
    "yarn.node-attribute.fs-store.root-dir",
    "hbase.tmp.dir",
    "hbase.local.dir",
)
"""The keys that name directories, local ones but where they begin with hdfs://; daemons do not make all."""
_FILES = (
    "dfs.domain.socket.path",
    "dfs.hosts",
    "dfs.hosts.exclude",
    "net.topology.script.file.name",
    "yarn.resourcemanager.nodes.include-path",
    "yarn.resourcemanager.nodes.exclude-path",
)
_BELOW = "every machine of a lab keeps its files in its own directory"
_JARS = "tasks use Hadoop's jars from this machine"
_TASKS = (
    "sets the planned worker's number of CPUs, because Java would count fewer in part of one, and leaves no "
    "file in /tmp after a killed task"
)
_MARK = "processes of tasks carry the names of their lab and machine, so that howdah can find them"
_NATIVE = "short-circuit reads need libhadoop, which the released jars do not contain"
_FENCING = "no sshd runs in a lab; the quorum of JournalNodes lets only one NameNode write"
_NODES = "machines of a lab share this machine's processors and memory, so none has its own NUMA nodes"
_NUMA_AWARE = "yarn.nodemanager.numa-awareness.enabled"
_SERVICES = "yarn.nodemanager.aux-services"
_SPARK = "a NodeManager does not start without the jar of Spark's shuffle service, which is not fetched"
_SHORT_CIRCUIT = "dfs.client.read.shortcircuit"
_FENCE = "dfs.ha.fencing.methods"
_WHITELIST = "yarn.nodemanager.env-whitelist"
# With what only Hadoop's code says where they are not set; what is set replaces it.
_OF_TASKS = "-Djava.net.preferIPv4Stack=true -Dhadoop.metrics.log.level=WARN"
_ADMIN_OPTIONS = {
    "mapreduce.admin.map.child.java.opts": _OF_TASKS,
    "mapreduce.admin.reduce.child.java.opts": _OF_TASKS,
    "yarn.app.mapreduce.am.admin-command-opts": "",
}


class RedirectedProperty(NamedTuple):
    """A property that has to be other than rendered, and why."""

    file: str
    """The file it belongs to, ``hdfs-site.xml``."""
    key: str
    value: str
    why: str
    """A sentence."""


def properties(text: str) -> dict[str, str]:
    """Every key with its value, as one file that howdah rendered gives them."""
    return {entry.name: entry.text for entry in read_site(text.encode(), "")}


def with_changes(text: str | None, changes: Mapping[str, RedirectedProperty]) -> str:
    """The file with these keys changed or added, its comments kept; a new file if there is none."""
    root = _root(text) if text is not None else Element("configuration")
    left = dict(changes)
    for element in root.iter("property"):
        change = left.pop(element.findtext("name", ""), None)
        value = element.find("value")
        if change is not None and value is not None:
            value.text = change.value
    for change in left.values():
        root.append(Comment(f" {change.why.replace('--', '- -')} [the lab] "))
        added = SubElement(root, "property")
        SubElement(added, "name").text = change.key
        SubElement(added, "value").text = change.value
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _root(text: str) -> Element:
    # What is read here was rendered by howdah a moment ago, so nothing strange is in it.
    parser = XMLParser(target=TreeBuilder(insert_comments=True))
    parser.feed(text)
    root = parser.close()
    assert isinstance(root, Element)
    return root


class Surroundings(NamedTuple):
    """What is the same for all machines of a laboratory."""

    task_class_path: str
    """Hadoop's jars, for tasks."""
    native: bool
    """Whether libhadoop is there."""
    task_options: tuple[str, ...] = ()
    """Java options that every task needs."""


def machine_files(rendered: ConfigSet, machine: LabSystem) -> dict[str, str]:
    """The files of a machine's configuration directory by name.

    Those of HBase are beside Hadoop's, as its daemons read both; no name is twice.
    """
    made: dict[str, str] = {}
    for folder in _FOLDERS:
        own = f"{folder}-{machine.worker_kind}"
        kinds_differ = any(file.path.startswith(f"{own}/") for file in rendered.files)
        made |= _files_in(rendered, own if kinds_differ else folder)
    return made


def client_files(rendered: ConfigSet) -> dict[str, str]:
    """The files of a client's configuration directory by name."""
    return {name: content for folder in _FOLDERS for name, content in _files_in(rendered, folder).items()}


def _files_in(rendered: ConfigSet, folder: str) -> dict[str, str]:
    return {
        file.path.removeprefix(f"{folder}/"): file.content
        for file in rendered.files
        if file.path.startswith(f"{folder}/")
    }


def moved(paths: str, conf: Path, root: Path) -> str:
    """A value of a local path or several, each below a machine's directory."""
    return ",".join(_moved(path.strip(), conf, root) for path in paths.split(","))


def _moved(path: str, conf: Path, root: Path) -> str:
    # A disk's storage type goes before its directory: [SSD]file:///data/01/dfs.
    tag, bracket, place = path.rpartition("]")
    scheme, local = ("file://", place[7:]) if place.startswith("file://") else ("", place)
    scheme = f"{tag}{bracket}{scheme}"
    if not local.startswith("/"):
        return path
    local = normpath(local)
    if PurePosixPath(local).is_relative_to(_CONF):
        return f"{scheme}{conf / PurePosixPath(local).relative_to(_CONF)}"
    return f"{scheme}{root}{local}"


def redirections(
    files: Mapping[str, str], conf: Path, root: Path, around: Surroundings
) -> Iterator[RedirectedProperty]:
    """What has to be other than rendered on any machine: paths, jars, marks, what needs a native library."""
    known: dict[str, str] = {}
    for file in SITES:
        for key, value in properties(files[file]).items() if file in files else ():
            known[key] = value
            if key in (*DIRECTORIES, *_FILES) and (there := moved(value, conf, root)) != value:
                yield RedirectedProperty(file, key, there, _BELOW)
    if "mapred-site.xml" in files:
        yield from _of_tasks(known, around)
    if _WHITELIST in known:
        yield RedirectedProperty(
            "yarn-site.xml", _WHITELIST, f"{known[_WHITELIST]},{VARIABLE},{MACHINE}", _MARK
        )
    if known.get(_SHORT_CIRCUIT) == "true" and not around.native:
        yield RedirectedProperty("hdfs-site.xml", _SHORT_CIRCUIT, "false", _NATIVE)
    if known.get(_NUMA_AWARE) == "true":
        yield RedirectedProperty("yarn-site.xml", _NUMA_AWARE, "false", _NODES)
    if "spark_shuffle" in known.get(_SERVICES, ""):
        yield RedirectedProperty("yarn-site.xml", _SERVICES, "mapreduce_shuffle", _SPARK)
    if _FENCE in known:
        yield RedirectedProperty("hdfs-site.xml", _FENCE, "shell(/bin/true)", _FENCING)


def _of_tasks(known: Mapping[str, str], around: Surroundings) -> Iterator[RedirectedProperty]:
    jars = around.task_class_path
    yield RedirectedProperty("mapred-site.xml", "mapreduce.application.classpath", jars, _JARS)
    yield RedirectedProperty("yarn-site.xml", "yarn.application.classpath", f"$HADOOP_CONF_DIR,{jars}", _JARS)
    for key, default in _ADMIN_OPTIONS.items():
        options = " ".join([known.get(key, default), "-XX:-UsePerfData", *around.task_options])
        yield RedirectedProperty("mapred-site.xml", key, options.strip(), _TASKS)


def redirected_files(files: Mapping[str, str], wanted: Iterable[RedirectedProperty]) -> dict[str, str]:
    """All files of a HADOOP_CONF_DIR, with the changes made; the last of two to one key counts."""
    per_file: dict[str, dict[str, RedirectedProperty]] = {}
    for change in wanted:
        per_file.setdefault(change.file, {})[change.key] = change
    made = dict(files)
    for file, ones in per_file.items():
        made[file] = with_changes(files.get(file), ones)
    return made


def _below(value: str, root: Path) -> str:
    """A value with its paths below ``root``, which no URI can hold: ``data/01/dfs``."""
    return value.replace(f"file://{root}/", "").replace(f"{root}/", "")


def deviations(
    files: Mapping[str, str], wanted: Iterable[RedirectedProperty], root: Path
) -> tuple[Deviation, ...]:
    """What differs from the rendered files, paths said from the laboratory's directory on."""
    rendered = {
        key: value for file in SITES if file in files for key, value in properties(files[file]).items()
    }
    last = {change.key: change for change in wanted}
    return tuple(
        Deviation(
            key=key,
            planned=rendered.get(key, ""),
            used=_below(last[key].value, root),
            why=last[key].why,
        )
        for key in sorted(last)
        if rendered.get(key) != last[key].value
    )

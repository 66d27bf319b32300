"""The configuration of Hadoop, HBase and ZooKeeper, for masters, clients and each kind of worker.

With it go the lists of the cluster's hosts, what each carries, and where in the network it is.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePosixPath

from howdah.errors import UserError
from howdah.hadoop.daemons import EXCLUDES, INCLUDES, default_port
from howdah.model.hostname import is_hostname, port_number, split_address
from howdah.model.placement import PlacedHost, PlacedWorker
from howdah.model.plan import Cluster, ClusterPlan, ConfigFile, Placement, Role, Setting, planned_text
from howdah.render import text

_FOLDERS = {text.SPARK: "spark", text.TEZ: "tez", text.HIVE: "hive"}


def framework_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """``spark/spark-defaults.conf``, ``tez/tez-site.xml``, ``hive/hive-site.xml``, as far as they run."""
    for name, folder in _FOLDERS.items():
        settings = text.select(plan, name, text.EVERYWHERE)
        yield from _file(plan, folder, name, settings, ": on every host that jobs are started from")


def _file(
    plan: ClusterPlan, folder: str, name: str, settings: Sequence[Setting], about: str = ""
) -> Iterable[ConfigFile]:
    """A file of settings, if there are any: XML, a shell's variables, or keys and values below reasons."""
    if not settings:
        return
    title = f"{name} of {plan.cluster.inventory.cluster}{about}"
    if name.endswith(".xml"):
        content = text.xml_file(title, settings)
    elif name.endswith(".sh"):
        content = text.env_file(title, settings)
    else:
        # The program that reads container-executor.cfg keeps blanks and comments as parts of a value.
        sign = " " if name == text.SPARK else "="
        lines = (
            f"{text.reason_comment(setting)}{text.plain_key(setting)}{sign}{text.setting_text(setting)}\n"
            for setting in settings
        )
        content = "\n".join([text.hash_comment([title]), *lines])
    yield ConfigFile(path=f"{folder}/{name}", content=content)


HADOOP_FILES = (*text.HADOOP_XML, *text.HADOOP_ENV)
_JOBS = "mapred-site.xml"
HBASE_FILES = (*text.HBASE_XML, *text.HBASE_ENV)
_MEMBER = "server."


def hadoop_files(
    plan: ClusterPlan, hosts: Sequence[PlacedHost], leaving: Collection[str] = ()
) -> Iterable[ConfigFile]:
    """Everything of ``hadoop/`` and, where kinds of workers differ, of ``hadoop-<kind>/``."""
    shared = (*topology_files("hadoop", plan.cluster, hosts), *member_files("hadoop", plan, hosts, leaving))
    yield from shared
    yield from _hadoop_settings(plan, text.EVERYWHERE, "masters, clients and workers")
    if text.differ(plan, HADOOP_FILES):
        for worker in plan.workers:
            variant = text.of_kind(worker)
            folder = variant.folder("hadoop")
            yield from _hadoop_settings(plan, variant, f"workers of the kind {worker.name}")
            for file in shared:
                yield file.model_copy(update={"path": file.path.replace("hadoop/", f"{folder}/", 1)})


def _hadoop_settings(plan: ClusterPlan, variant: text.FileVariant, readers: str) -> Iterable[ConfigFile]:
    folder = variant.folder("hadoop")
    if variant is text.EVERYWHERE and text.differ(plan, HADOOP_FILES):
        readers = "masters and clients; workers have folders of their own"
    for name in HADOOP_FILES:
        settings = text.select(plan, name, variant)
        if variant is text.EVERYWHERE and name == _JOBS:
            smallest = min(plan.workers, key=lambda worker: (worker.memory_bytes, worker.name))
            settings = text.select(plan, _JOBS, text.of_kind(smallest))
        yield from _file(plan, folder, name, settings, f", Hadoop {plan.cluster.request.hadoop}: {readers}")
    settings = text.select(plan, text.EXECUTOR, variant)
    yield from _file(plan, folder, text.EXECUTOR, settings, ": root's, mode 0400, on every worker")


def hbase_files(plan: ClusterPlan, hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """Everything of ``hbase/`` and, where kinds of workers differ, of ``hbase-<kind>/``."""
    if not plan.cluster.request.hbase_used:
        return
    serving = {worker.name for worker in plan.workers if Role.REGIONSERVER in worker.roles}
    servers = [worker for host in hosts for worker in host.workers if worker.kind in serving]
    # The first HMaster is started by hand, the scripts start those in backup-masters to wait behind it.
    waiting = [master.address for master in plan.cluster.masters if Role.HMASTER in master.roles][1:]
    variants = [text.EVERYWHERE, *(map(text.of_kind, plan.workers) if text.differ(plan, HBASE_FILES) else ())]
    for variant in variants:
        folder, about = variant.folder("hbase"), f", HBase {plan.cluster.request.hbase}"
        for name in HBASE_FILES:
            yield from _file(plan, folder, name, text.select(plan, name, variant), about)
        yield ConfigFile(path=f"{folder}/regionservers", content=_lines(servers))
        if waiting:
            content = "".join(f"{name}\n" for name in waiting)
            yield ConfigFile(path=f"{folder}/backup-masters", content=content)


def zookeeper_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """``zoo.cfg`` and Java's options, the same on every server, and a ``myid`` for each."""
    settings = text.select(plan, text.ZOOKEEPER, text.EVERYWHERE)
    if not settings:
        return
    yield from _file(plan, "zookeeper", text.ZOOKEEPER, settings)
    options = text.select(plan, text.ZOOKEEPER_ENV, text.EVERYWHERE)
    yield from _file(plan, "zookeeper", text.ZOOKEEPER_ENV, options)
    for setting in settings:
        if setting.key.startswith(_MEMBER):
            number, host = setting.key.removeprefix(_MEMBER), split_address(text.setting_text(setting))[0]
            if not is_hostname(host):
                raise text.setting_error(setting, f"{host!r} is not a host name", "write HOST:2888:3888")
            yield ConfigFile(path=f"zookeeper/{host}/myid", content=f"{number}\n")


_LIST = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")  # A name that hides nothing and leads nowhere else.
_COLUMNS = ("host", "group", "rack", "workers", "kinds", "masters", "daemons", "shadows")
SCRIPT = "topology.sh"
TABLE = "topology.data"


def member_files(
    folder: str, plan: ClusterPlan, hosts: Sequence[PlacedHost], leaving: Collection[str] = ()
) -> tuple[ConfigFile, ...]:
    """``workers`` for the start scripts, and the lists that the plan's settings name.

    Workers that are ``leaving`` are excluded, so that they are drained first.
    """
    roles = {worker.name: worker.roles for worker in plan.workers}
    workers = [worker for host in hosts for worker in host.workers]
    contents = {"workers": _lines(workers)}
    for key, role in INCLUDES.items():
        if name := _file_name(plan, key):
            members = [worker for worker in workers if role in roles[worker.kind]]
            contents[name] = _listed(plan, key, members, leaving)
    for key in EXCLUDES:
        if name := _file_name(plan, key):
            contents.setdefault(name, _lines([worker for worker in workers if worker.name in leaving]))
    return tuple(
        ConfigFile(path=f"{folder}/{name}", content=content) for name, content in sorted(contents.items())
    )


def _listed(plan: ClusterPlan, key: str, members: Sequence[PlacedWorker], leaving: Collection[str]) -> str:
    if key != "dfs.hosts" or plan.cluster.topology.placement is not Placement.UPGRADE_DOMAINS:
        return _lines(members)
    address = "dfs.datanode.address"
    port = port_number(planned_text(plan, address)) or default_port(address)
    entries = (
        json.dumps(
            {"hostName": worker.name, "port": port, "upgradeDomain": worker.host}
            | ({"adminState": "DECOMMISSIONED"} if worker.name in leaving else {})
        )
        for worker in members
    )
    return "[\n" + ",\n".join(f"  {entry}" for entry in entries) + "\n]\n"


def _lines(workers: Sequence[PlacedWorker]) -> str:
    return "".join(f"{worker.name}\n" for worker in workers)


def _file_name(plan: ClusterPlan, key: str) -> str:
    """The last part of the path that a setting holds; it lies in the configuration's own directory.

    Raises UserError for a path that would put the list in the place of another file, or nowhere.
    """
    path = planned_text(plan, key)
    name = PurePosixPath(path).name
    if path and (not _LIST.fullmatch(name) or name == "workers" or name.endswith((".xml", ".sh"))):
        hint = "give for instance /etc/hadoop/conf/hosts"
        raise UserError(f"--set {key}", f"{path!r} is not a file for a list of hosts", hint)
    return name


def host_files(hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """``hosts.csv``: one row for each host."""
    rows = (
        (
            host.name,
            host.group,
            host.rack,
            len(host.workers),
            " + ".join(f"{n} {kind}" for kind, n in Counter(worker.kind for worker in host.workers).items()),
            " ".join(master.name for master in host.masters),
            " ".join(role.value for master in host.masters for role in master.roles),
            " ".join(master.name for master in host.shadows),
        )
        for host in hosts
    )
    yield ConfigFile(path="hosts.csv", content=table(_COLUMNS, rows))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV with a header, lines ended by a line feed."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return table.getvalue()


def topology_files(folder: str, cluster: Cluster, hosts: Sequence[PlacedHost]) -> tuple[ConfigFile, ...]:
    """The script that prints locations, and its table of all workers and masters.

    A line is ``name /rack`` or, with node groups, ``name /rack/host``: one node group for each host.
    """
    grouped = cluster.topology.placement is Placement.NODE_GROUPS
    default = "/default-rack/default-nodegroup" if grouped else "/default-rack"
    locations: dict[str, str] = {}
    for host in hosts:
        names = (host.name, *(worker.name for worker in host.workers), *(m.address for m in host.masters))
        locations |= dict.fromkeys(names, f"/{host.rack}/{host.name}" if grouped else f"/{host.rack}")
    script = text.template("topology.sh").replace("@DEFAULT@", default)
    table_text = "".join(f"{name} {location}\n" for name, location in locations.items())
    return (
        ConfigFile(path=f"{folder}/{SCRIPT}", content=script, executable=True),
        ConfigFile(path=f"{folder}/{TABLE}", content=table_text),
    )

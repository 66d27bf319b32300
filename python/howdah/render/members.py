"""Which hosts belong to the cluster, what each carries, and where in the network it is."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePosixPath

from howdah.errors import UserError
from howdah.model.configset import ConfigFile
from howdah.model.placement import PlacedHost, PlacedWorker
from howdah.model.plan import Cluster, ClusterPlan, Placement, Role, planned_text
from howdah.render.templates import template

_DATANODE_PORT = 9866
"""The default of the DataNode's transfer port (``dfs.datanode.address``)."""

_LIST = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""A file's name that hides nothing and leads nowhere else."""

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
    for key, role in (
        ("dfs.hosts", Role.DATANODE),
        ("yarn.resourcemanager.nodes.include-path", Role.NODEMANAGER),
    ):
        if name := _file_name(plan, key):
            members = [worker for worker in workers if role in roles[worker.kind]]
            contents[name] = _listed(plan, key, members, leaving)
    for key in ("dfs.hosts.exclude", "yarn.resourcemanager.nodes.exclude-path"):
        if name := _file_name(plan, key):
            contents.setdefault(name, _lines([worker for worker in workers if worker.name in leaving]))
    return tuple(
        ConfigFile(path=f"{folder}/{name}", content=content) for name, content in sorted(contents.items())
    )


def _listed(plan: ClusterPlan, key: str, members: Sequence[PlacedWorker], leaving: Collection[str]) -> str:
    upgrade_domains = plan.cluster.topology.placement is Placement.UPGRADE_DOMAINS
    if key != "dfs.hosts" or not upgrade_domains:
        return _lines(members)
    port = _port(planned_text(plan, "dfs.datanode.address"))
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
        raise UserError(
            f"--set {key}",
            f"{path!r} is not a file for a list of hosts",
            "give for instance /etc/hadoop/conf/hosts",
        )
    return name


def _port(address: str) -> int:
    port = address.rpartition(":")[2]
    return int(port) if port.isdigit() and int(port) else _DATANODE_PORT


def host_files(hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """``hosts.csv``: one row for each host."""
    yield ConfigFile(path="hosts.csv", content=table(_COLUMNS, map(_row, hosts)))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV with a header, lines ended by a line feed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _row(host: PlacedHost) -> Sequence[object]:
    kinds = Counter(worker.kind for worker in host.workers)
    return (
        host.name,
        host.group,
        host.rack,
        len(host.workers),
        " + ".join(f"{count} {kind}" for kind, count in kinds.items()),
        " ".join(master.name for master in host.masters),
        " ".join(role.value for master in host.masters for role in master.roles),
        " ".join(master.name for master in host.shadows),
    )


def topology_files(folder: str, cluster: Cluster, hosts: Sequence[PlacedHost]) -> tuple[ConfigFile, ...]:
    """The script that prints locations, and its table of all workers and masters."""
    grouped = cluster.topology.placement is Placement.NODE_GROUPS
    default = "/default-rack/default-nodegroup" if grouped else "/default-rack"
    return (
        ConfigFile(
            path=f"{folder}/{SCRIPT}",
            content=template("topology.sh").replace("@DEFAULT@", default),
            executable=True,
        ),
        ConfigFile(path=f"{folder}/{TABLE}", content=_table(hosts, grouped)),
    )


def _table(hosts: Sequence[PlacedHost], grouped: bool) -> str:
    """Yield ``name /rack`` or, with node groups, ``name /rack/host``: one node group for each host."""
    locations: dict[str, str] = {}
    for host in hosts:
        location = f"/{host.rack}/{host.name}" if grouped else f"/{host.rack}"
        locations[host.name] = location
        locations |= {worker.name: location for worker in host.workers}
        locations |= {master.address: location for master in host.masters}
    return "".join(f"{name} {location}\n" for name, location in locations.items())

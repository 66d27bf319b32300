"""DIR/README.md: what to do with the files, in the order that this very cluster needs."""

from __future__ import annotations

import itertools
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import PurePosixPath

import jinja2

from howdah.model.placement import PlacedHost
from howdah.model.plan import ClusterPlan, ConfigFile, Placement, Role, planned_text, value_text
from howdah.model.request import Hypervisor
from howdah.releases.values import read_list
from howdah.render.daemons import hbase_directory, hdfs_directories, local_directories, masters_on_data_disks
from howdah.render.hadoop import HADOOP_FILES
from howdah.render.secrets import logins, secret_groups
from howdah.render.text import differ, wrapped
from howdah.units import format_counted

_MEANS = {
    "hadoop": "HADOOP_CONF_DIR of masters, clients and workers",
    "hbase": "HBASE_CONF_DIR",
    "zookeeper": "ZooKeeper's zoo.cfg and zookeeper-env.sh, and the myid of each server",
    "spark": "SPARK_CONF_DIR of hosts that applications are started from",
    "tez": "TEZ_CONF_DIR of Hive's servers and clients",
    "hive": "HIVE_CONF_DIR of Hive's servers and clients",
    "os": "kernel, limits, huge pages, and the script that formats the data disks",
    "systemd": "a unit for every daemon",
    "deploy": "an Ansible project that does all this, with or without howdah",
    "network": "bonding and frame size for systemd-networkd, and settings made by hand",
    "hypervisor": "virtual machines: the machines of each host, and the settings of each kind",
    "firmware.md": "settings in the hosts' firmware",
    "hosts.csv": "every host with its machines and roles",
    "SOURCES.md": "the sources that reasons cite in square brackets",
    "README.md": "the steps, in order",
}


def counted_contents(paths: Iterable[str]) -> list[tuple[str, str, int]]:
    """Every folder and file at the top, what it means, and its number of files."""
    tops = Counter("".join(path.partition("/")[:2]) for path in paths)
    return [
        (top, _meaning(top, any(top.startswith("hadoop-") for top in tops)), count)
        for top, count in sorted(tops.items(), key=lambda item: item[0].rstrip("/"))
    ]


def _meaning(top: str, kinds_differ: bool) -> str:
    name = top.rstrip("/")
    base, _, kind = name.partition("-")
    if name == "hadoop" and kinds_differ:
        return "HADOOP_CONF_DIR of masters and clients that are not workers"
    if name in _MEANS:
        return _MEANS[name]
    if base == "hadoop":
        return f"HADOOP_CONF_DIR of workers of the kind {kind}"
    return f"{_MEANS[base]}, for {kind}"


_MACHINES = {
    Hypervisor.VSPHERE: " --vcenter VCENTER",
    Hypervisor.KVM: " --libvirt 'qemu+ssh://root@{host}/system'",
}


def readme(plan: ClusterPlan, hosts: Sequence[PlacedHost], files: Sequence[ConfigFile]) -> ConfigFile:
    """The order of steps and the checks at its end."""
    paths = [file.path for file in files]
    numbers = itertools.count(1)
    on = {
        role.value: [master.address for master in plan.cluster.masters if role in master.roles]
        for role in Role
    }
    roles = {worker.name: worker.roles for worker in plan.workers}
    carried = Counter(role for host in hosts for worker in host.workers for role in roles[worker.kind])
    places = {name: f"{name}: {', '.join(names)}" if names else "every worker" for name, names in on.items()}
    reason = plan.cluster.topology.reason
    # Required steps before recommended ones, each in the order of the rules.
    levels = ("must", "should")
    advice = [entry for level in levels for entry in plan.cluster.advice if entry.severity == level]
    key = "dfs.ha.fencing.ssh.private-key-files"
    virtual = any(layout.virtual for layout in plan.cluster.layouts)
    # NameNodes as ``haadmin`` calls them.
    namenode_ids = (entry.value for entry in plan.settings if entry.key.startswith("dfs.ha.namenodes."))
    text = _template().render(
        cluster=plan.cluster.inventory.cluster,
        platform=plan.platform,
        request=plan.cluster.request,
        hosts=len(hosts),
        workers=sum(len(host.workers) for host in hosts),
        virtual=virtual,
        shadowed=any(host.shadows for host in hosts),
        contents=[(top, meaning) for top, meaning, _ in counted_contents(paths)],
        roles=[(role, addresses) for role, addresses in on.items() if addresses],
        topology="\n".join(wrapped(f"{reason[:1].upper() + reason[1:].rstrip('.')}.", 110)),
        on=on.__getitem__,
        step=lambda: next(numbers),
        has=lambda start: any(path.startswith(start) for path in paths),
        has_part=lambda part, of="os": any(f"/{part}" in path and path.startswith(of) for path in paths),
        guests_wired=virtual and plan.cluster.request.dividing is Hypervisor.VSPHERE,
        where_machines_are=_MACHINES.get(plan.cluster.request.dividing or Hypervisor.NONE, ""),
        numactl=_setting(plan, "yarn.nodemanager.numa-awareness.enabled") == "true",
        bridged=virtual and any(path.endswith(".netdev") for path in paths),
        apart=lambda base: _apart(base, paths),
        kinds=[worker.name for worker in plan.workers] if differ(plan, HADOOP_FILES) else [],
        idle=", ".join(masters_on_data_disks(plan, on)),
        directories=list(local_directories(plan, on)),
        hdfs_directories=list(hdfs_directories(plan)),
        hbase_directory=hbase_directory(plan) if plan.cluster.request.hbase_used else "",
        fencing_key=_setting(plan, key),
        fencing_folder=shlex.quote(str(PurePosixPath(planned_text(plan, key)).parent)),
        logins=[(places[login.role.value], login.path, login.lines("HOST")) for login in logins(plan)],
        secrets=list(secret_groups(plan, hosts)),
        keytab=_setting(plan, "dfs.namenode.keytab.file"),
        racked=all(rack.name != "default-rack" for rack in plan.cluster.topology.racks),
        grouped=plan.cluster.topology.placement is Placement.NODE_GROUPS,
        namenodes=on[Role.NAMENODE.value],
        namenode_ids=read_list(value_text(next(namenode_ids, "nn1,nn2"))),
        datanodes=carried[Role.DATANODE],
        nodemanagers=carried[Role.NODEMANAGER],
        regionservers=carried[Role.REGIONSERVER],
        advice=advice,
    )
    # One empty line before every heading and between all else, whatever parts the template left out.
    spaced = re.sub(r"\n{3,}", "\n\n", re.sub(r"\n+(#{2,3} )", r"\n\n\1", text))
    return ConfigFile(path="README.md", content=spaced.rstrip("\n") + "\n")


def _apart(base: str, paths: Sequence[str]) -> str:
    folders = sorted({path.split("/")[0] for path in paths if path.startswith(f"{base}-")})
    return f" (use your own {', '.join(f'`{name}/`' for name in folders)})" if folders else ""


@cache
def _template() -> jinja2.Template:
    # Markdown, not HTML: names are checked before, and reasons are put on one line.
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("howdah.render"), autoescape=False, undefined=jinja2.StrictUndefined
    )
    environment.filters["quantity"] = format_counted
    environment.filters["plain"] = lambda text: " ".join(wrapped(text))
    return environment.get_template("README.md.j2")


def _setting(plan: ClusterPlan, key: str) -> str:
    value = planned_text(plan, key)
    return shlex.quote(value) if value else ""

"""``howdah deploy --remove``: a host is emptied first, so that nothing is lost with it, then stopped."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from howdah.deploy.ansible import PlaybookRun, Tell, run_playbook
from howdah.errors import UserError
from howdah.model.hostname import is_hostname
from howdah.model.plan import Placement, Role
from howdah.model.value import planned_text
from howdah.session.deploy.project import Target
from howdah.session.deploy.states import DeployOptions

_INCLUDES = ("dfs.hosts", "yarn.resourcemanager.nodes.include-path")
_EXCLUDES = ("dfs.hosts.exclude", "yarn.resourcemanager.nodes.exclude-path")
_WORKERS = ("hadoop-hdfs-datanode", "hadoop-yarn-nodemanager", "hbase-regionserver")
"""The units of a host that may be removed so; masters are moved by hand."""
_STOP = "stop "


def check_removal(target: Target, names: Sequence[str]) -> None:
    """Raise UserError for hosts that cannot be removed from this plan's cluster."""
    for name in names:
        flag = f"--remove {name}"
        if not is_hostname(name):
            raise UserError(flag, f"{name!r} is not a host name", "letters, digits, hyphens and dots")
        if name in target.systems:
            raise UserError(flag, f"{target.file} still lists it", "remove it from the plan first")
    left, replication = len(target.on(Role.DATANODE)), planned_text(target.plan, "dfs.replication")
    if names and replication.isdigit() and left < int(replication):
        raise UserError(
            f"--remove {names[0]}",
            f"leaves {left} DataNodes for {replication} replicas, so its decommission would never end",
            "add hosts first, or plan with less --replication",
        )
    # Where hosts have upgrade domains, the list of members says who leaves too.
    domains = target.cluster.topology.placement is Placement.UPGRADE_DOMAINS
    lists = _INCLUDES[:1] if domains else (*_INCLUDES[:1], *_EXCLUDES[:1])
    if names and not all(planned_text(target.plan, key) for key in lists):
        raise UserError(
            target.file, "has no include and exclude lists of hosts", f"plan with {' and '.join(lists)}"
        )


def remove_hosts(target: Target, options: DeployOptions, folder: Path, tell: Tell) -> PlaybookRun:
    """Empty the hosts that leave and stop them; safe to repeat. Raises UserError for a master."""
    leaving = folder.parent / "leaving"
    shutil.copytree(folder, leaving)
    for path in (leaving / "manifests").glob("*.json"):
        path.write_text(json.dumps(_with_lists(target, json.loads(path.read_text()), options.remove)))
    some = json.loads(next((leaving / "manifests").glob("*.json")).read_text())
    (leaving / "manifests/leaving.json").write_text(json.dumps(nothing_left(some)))
    with (leaving / "inventory.yaml").open("a") as inventory:
        inventory.write("    leaving:\n      hosts:\n")
        for name in options.remove:
            inventory.write(f"        {json.dumps(name)}: {{howdah_manifest: leaving}}\n")
    looked = run_playbook(leaving, "leave.yaml", options.login, tell, check=True, limit=options.remove)
    if any(not one.unreachable for one in looked.failures):
        # Masters are not told that a host leaves which then could not be stopped.
        return looked
    for answer in looked.answers:
        stopped = [change for change in answer.result.get("changes") or () if change.startswith(_STOP)]
        if masters := [unit for unit in stopped if not unit.removeprefix(_STOP).startswith(_WORKERS)]:
            raise UserError(
                f"--remove {answer.host}",
                f"it has a master ({masters[0].removeprefix(_STOP)})",
                "move the master by hand first",
            )
    return run_playbook(
        leaving, "leave.yaml", options.login, tell, variables={"howdah_leaving": list(options.remove)}
    )


def _with_lists(target: Target, manifest: dict[str, object], names: Sequence[str]) -> dict[str, object]:
    """A manifest whose lists have the hosts that leave: still members, and to be emptied."""
    lists = {PurePosixPath(planned_text(target.plan, key)).name for key in (*_INCLUDES, *_EXCLUDES)}
    files = manifest["files"]
    assert isinstance(files, list)
    for entry in files:
        path = PurePosixPath(entry["path"])
        if path.name in lists and path.parent.name == "conf":
            entry["content"] = with_leaving(entry["content"], names)
    return manifest


def with_leaving(content: str, names: Sequence[str]) -> str:
    """A list with the hosts that leave: names or, where hosts have upgrade domains, what is asked of each."""
    if not content.startswith("["):
        return content + "".join(f"{name}\n" for name in names)
    members = json.loads(content)
    ports = {member["port"] for member in members}
    members += (
        {"hostName": name, "port": port, "adminState": "DECOMMISSIONED"} for name in names for port in ports
    )
    return json.dumps(members, indent=1) + "\n"


def nothing_left(some: Mapping[str, object]) -> dict[str, object]:
    """The manifest of a host that is the cluster's no longer; its data disks are left as they are."""
    parts = ("trees", "users", "directories", "files", "daemons", "secrets")
    emptied: dict[str, object] = {key: [] for key in parts}
    return {**some, **emptied, "disks": None}

"""The target state of a host: users, directories, files, units, daemons; identical hosts share a manifest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from howdah.hadoop.daemons import CLIENT_USERS, DAEMONS, conf_folder
from howdah.model.hostname import split_address
from howdah.model.placement import PlacedSystem
from howdah.model.plan import ClusterPlan, ConfigFile, Role, planned_text, value_text
from howdah.releases.values import read_list
from howdah.render import daemons
from howdah.render.secrets import AUTHORITY, host_secrets, logins
from howdah.render.text import (
    EVERYWHERE,
    HADOOP_XML,
    ZOOKEEPER,
    ZOOKEEPER_ENV,
    FileVariant,
    of_kind,
    select,
    template,
)


def kerberos_parts(plan: ClusterPlan, roles: Sequence[Role]) -> dict[str, object]:
    """The parts of a manifest that only a plan with Kerberos has; none without.

    ``secrets`` are files that are copied separately, by name, path and rights. ``kerberos`` has the
    keytab of each user of the host, and the certificate that verifies pages.
    """
    if not plan.cluster.request.secure:
        return {}
    secrets = host_secrets(plan, roles)
    keytabs = [secret for secret in secrets if secret.principals]
    users: dict[str, dict[str, str]] = {}
    for user in CLIENT_USERS:
        for secret in keytabs:
            own = next((name for name in secret.principals if name.startswith(f"{user}/")), None)
            if own and user in secret.users:
                users.setdefault(user, {"keytab": secret.path, "principal": own})
    fields = ("name", "path", "owner", "group", "mode", "principals")
    return {
        "secrets": [{field: getattr(secret, field) for field in fields} for secret in secrets],
        "kerberos": {"users": users, "authority": AUTHORITY},
    }


def peers(plan: ClusterPlan, role: Role) -> dict[str, str]:
    """The hosts of all masters of a kind, each with the name that orders to hand over use: ``nn1``.

    Empty where there is one alone, or where all of a kind serve at once. Only NameNodes are given orders.
    """
    hosts = [master.address for master in plan.cluster.masters if role in master.roles]
    if not DAEMONS[role].page.active or len(hosts) < 2:
        return {}
    # The id of a NameNode in the configuration is the last part of a key.
    names = {
        split_address(value_text(setting.value))[0]: setting.key.rpartition(".")[2]
        for setting in plan.settings
        if role is Role.NAMENODE
        and setting.file == "hdfs-site.xml"
        and setting.key.startswith("dfs.namenode.rpc-address.")
    }
    return {host: names.get(host, "") for host in hosts}


_Content = Mapping[str, ConfigFile]
_UNITS = "/etc/systemd/system"
_DISKS = "/etc/howdah/disks.sh"
_PLACES = {
    # Folders of a ConfigSet, and where their files go on a host.
    "sysctl.d": "/etc/sysctl.d", "limits.d": "/etc/security/limits.d", "tmpfiles.d": "/etc/tmpfiles.d",
    "udev": "/etc/udev/rules.d",
}  # fmt: skip
_LOGGING = {
    "hadoop": (("log4j.properties", "log4j.properties"),),
    "hbase": tuple((name, f"hbase-{name}") for name in ("log4j.properties", "log4j2.properties")),
}
_HBASE_READS = sorted({*DAEMONS[Role.HMASTER].files} & {*HADOOP_XML})
_ON_DATA_DISKS = ((Role.DATANODE, "dfs", "0700"), (Role.NODEMANAGER, "yarn", "0755"))
"""The folders that daemons have on every data disk, and their modes."""
_IPC = "dfs.datanode.ipc.address"


def manifests(
    plan: ClusterPlan, systems: Sequence[PlacedSystem], files: Sequence[ConfigFile]
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The text of every manifest by its name, and the name of each system's."""
    content = {file.path: file for file in files}
    texts: dict[str, str] = {}
    names: dict[str, str] = {}
    revision = hashlib.sha256("".join(f"{f.path}\0{f.content}\0" for f in files).encode()).hexdigest()[:12]
    roles = {worker.name: set(worker.roles) for worker in plan.workers}
    for system in systems:
        name = system.name
        if system.kind is not None and set(system.roles) == roles[system.kind]:
            # A worker that also runs masters' daemons has a manifest of its own.
            name = system.kind
        if name not in texts:
            texts[name] = _manifest(plan, system, content, revision)
        names[system.name] = name
    return texts, names


def _manifest(plan: ClusterPlan, system: PlacedSystem, content: _Content, revision: str) -> str:
    worker = next((worker for worker in plan.workers if worker.name == system.kind), None)
    variant = of_kind(worker) if worker else EVERYWHERE
    data_dirs = worker.data_dirs if worker else ()
    roles = [role for role in DAEMONS if role in system.roles]
    products = sorted({DAEMONS[role].product for role in roles} | {"hadoop"})
    major, minor = (int(number) for number in plan.cluster.request.hadoop.split(".")[:2])
    # Owners of log directories exist on every host.
    homes = {DAEMONS[role].user: DAEMONS[role].home for role in (Role.NAMENODE, *roles)}
    settings = {setting.key: value_text(setting.value) for setting in select(plan, "hdfs-site.xml", variant)}
    scripted = data_dirs and f"{_own_folder('os', system, content)}/disks.sh" in content
    entries = logins(plan) if plan.cluster.request.secure else ()
    by_path = {login.path: "\n".join(login.lines("_HOST")) for login in entries if login.role in roles}
    directories = [*daemons.host_directories(plan, frozenset(system.roles))]
    for path in data_dirs:
        for role, folder, mode in _ON_DATA_DISKS:
            if role in roles:
                owner = DAEMONS[role].user
                directories.append(daemons.HostDirectory(f"{path}/{folder}", owner, mode, path))
    parts: dict[str, object] = {
        "howdah": 1,
        "cluster": plan.cluster.inventory.cluster,
        "revision": revision,
        "java": 17 if (major, minor) >= (3, 5) else 8,
        "memory_bytes": worker.memory_bytes if worker else 0,
        "trees": [PurePosixPath(daemons.release_folder(plan.cluster, product)).name for product in products],
        # Short-circuit reads need libhadoop.
        "native": Role.DATANODE in roles
        and settings.get("dfs.client.read.shortcircuit") == "true"
        and "dfs.domain.socket.path" in settings,
        "users": [{"name": name, "home": home} for name, home in homes.items()],
        "disks": {"count": len(data_dirs), "script": _DISKS} if scripted else None,
        "directories": [entry._asdict() for entry in directories],
        "files": [
            *_files(plan, system, content),
            # With ``host``, _HOST is the host's own name.
            *({**_file(path, f"{text}\n"), "host": True} for path, text in by_path.items()),
        ],
        "daemons": [_daemon(plan, role, variant) for role in roles],
        **kerberos_parts(plan, system.roles),
    }
    return json.dumps(parts, indent=1, ensure_ascii=False) + "\n"


def _files(plan: ClusterPlan, system: PlacedSystem, content: _Content) -> Iterator[dict[str, object]]:
    products = {DAEMONS[role].product for role in system.roles} | {"hadoop"}
    for product in sorted(products):
        folder = _own_folder(product, system, content)
        conf = conf_folder(product)
        for name, text in _LOGGING[product]:
            yield _file(f"{conf}/{name}", template(text))
        for path, file in content.items():
            if path.startswith(f"{folder}/"):
                yield _file(f"{conf}/{path.removeprefix(f'{folder}/')}", file.content, file.executable)
        if product == "hbase":
            hadoop = _own_folder("hadoop", system, content)
            # The two files about key stores exist only with Kerberos.
            for name in _HBASE_READS:
                if shared := content.get(f"{hadoop}/{name}"):
                    yield _file(f"{conf}/{name}", shared.content)
    yield from _host_files(system, content)
    limits = content.get(f"{_own_folder('os', system, content)}/systemd/10-howdah-limits.conf")
    for role in DAEMONS:
        if role in system.roles:
            unit = DAEMONS[role].unit
            yield _file(f"{_UNITS}/{unit}.service", daemons.unit_file(plan, role))
            if limits:
                yield _file(f"{_UNITS}/{unit}.service.d/10-howdah-limits.conf", limits.content)


def _host_files(system: PlacedSystem, content: _Content) -> Iterator[dict[str, object]]:
    if Role.ZOOKEEPER in system.roles:
        for name in (ZOOKEEPER, ZOOKEEPER_ENV):
            if shared := content.get(f"zookeeper/{name}"):
                yield _file(f"{conf_folder('zookeeper')}/{name}", shared.content)
        if number := content.get(f"zookeeper/{system.name}/myid"):
            data = re.search(r"^dataDir=(.+)$", content[f"zookeeper/{ZOOKEEPER}"].content, re.MULTILINE)
            assert data is not None
            yield _file(f"{data[1]}/myid", number.content)
    folder = _own_folder("os", system, content)
    for path, file in content.items():
        part, _, name = path.removeprefix(f"{folder}/").rpartition("/")
        if path.startswith(f"{folder}/") and part in _PLACES:
            yield _file(f"{_PLACES[part]}/{name}", file.content)
        elif path == f"{folder}/disks.sh" and system.kind is not None:
            yield _file(_DISKS, file.content, True)


def _own_folder(base: str, system: PlacedSystem, content: _Content) -> str:
    """The folder that holds a system's files: its kind's, its group's, or the one for all."""
    folders = [f"{base}-{system.kind}", f"{base}-{system.group}"]
    return next((name for name in folders if any(path.startswith(f"{name}/") for path in content)), base)


def _file(path: str, content: str, executable: bool = False) -> dict[str, object]:
    return {"path": path, "mode": "0755" if executable else "0644", "content": content}


def _daemon(plan: ClusterPlan, role: Role, variant: FileVariant) -> dict[str, object]:
    kind, page = DAEMONS[role], DAEMONS[role].page
    unit = re.sub(r"^(#.*\n)+", "", daemons.unit_file(plan, role))
    key = kind.store.key if kind.store else ""
    setting = next((s for s in select(plan, "hdfs-site.xml", variant) if s.key == key), None)
    stores = read_list(value_text(setting.value)) if setting else ()
    reads = [secret.name for secret in host_secrets(plan, [role]) if kind.user in secret.users]
    return {
        "name": kind.name,
        "unit": f"{kind.unit}.service",
        "user": kind.user,
        "configuration": daemons.settings_digest(plan, role, variant, unit),
        "expects": daemons.expected_settings(plan, role, variant),
        "ports": list(daemons.ports_of(plan, kind, variant)),
        "page": {
            "port": daemons.port_of(plan, page.key_with(partial(planned_text, plan)), variant),
            "ask": page.path,
            "answers": page.ready,
            "leads": page.active,
            "follows": page.standby,
        },
        "peers": peers(plan, role),
        "ipc_port": daemons.port_of(plan, _IPC, variant) if role is Role.DATANODE else None,
        "stores": [urlsplit(path.rpartition("]")[2].strip()).path for path in stores],
        "store": kind.store.content if kind.store else "",
        # A change of one of these files also restarts the daemon.
        **({"reads": reads} if reads else {}),
    }

"""A session with a vCenter: login, tasks, faults in plain words, and the places that a site names."""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from howdah.errors import RunFailed, UserError
from howdah.extras import extra
from howdah.model.hostname import host_and_port
from howdah.model.machines import HostNode, HostState
from howdah.model.site import VCENTER_PORT, VCenterSite
from howdah.services.errors import NotReachable

with extra("vsphere", "--vcenter"):
    from pyVim.connect import Disconnect, SmartConnect
    from pyVmomi import vim as _vim
    from pyVmomi import vmodl as _vmodl

vim: Any = _vim  # vSphere's objects and what they are configured by.
vmodl: Any = _vmodl  # What calls answer when they fail.
connect: Any = SmartConnect
disconnect: Any = Disconnect
_CONNECT_S = 30
_NO_FAULT_TOLERANCE = "its API reports no support for it"
_FIRST_POLL_S, _LONGEST_POLL_S = 0.02, 1.0


class VCenterLogin(NamedTuple):
    """A vCenter and a login. The password is never printed."""

    endpoint: str
    user: str
    password: str
    ca_file: Path | None

    def __repr__(self) -> str:
        return f"VCenterLogin({self.endpoint!r}, {self.user!r})"


@contextmanager
def logged_in(login: VCenterLogin) -> Iterator[Any]:
    """The service's content; raises UserError for a wrong login, NotReachable without an answer."""
    where = f"--vcenter {login.endpoint}"
    host, port = host_and_port(login.endpoint, "--vcenter", VCENTER_PORT)
    try:
        trust = ssl.create_default_context(cafile=None if login.ca_file is None else str(login.ca_file))
    except (OSError, ssl.SSLError) as error:
        problem = "cannot be read as certificates"
        raise UserError(f"vcenter.ca_file: {login.ca_file}", problem, "give a PEM file") from error
    try:
        where_to = {"host": host, "port": port, "sslContext": trust, "httpConnectionTimeout": _CONNECT_S}
        service = connect(user=login.user, pwd=login.password, **where_to)
    except vim.fault.InvalidLogin as error:
        hint = "check vcenter.user and the password"
        raise UserError(where, f"rejects the password of {login.user}", hint) from error
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason
        hint = "give vCenter's certificate in the site, vcenter.ca_file, and use the certificate's host name"
        raise UserError(where, f"presents an untrusted certificate: {why}", hint) from error
    except (OSError, http.client.HTTPException, vmodl.MethodFault) as error:
        hint = "is that a running vCenter?"
        raise NotReachable(where, f"cannot be reached: {fault_text(error)}", hint) from error
    try:
        yield service.content
    except vim.fault.NoPermission as error:
        problem = f"lacks the privilege {error.privilegeId}"
        hint = "grant the login a role with this privilege on the datacentre"
        raise UserError(f"vcenter.user: {login.user}", problem, hint) from error
    except vmodl.MethodFault as error:
        hint = "run the command again: finished changes stay"
        raise RunFailed(where, f"answers: {fault_text(error)}", hint) from error
    except (OSError, http.client.HTTPException) as error:
        hint = "run the command again: finished changes stay"
        raise NotReachable(where, f"no longer answers: {fault_text(error)}", hint) from error
    finally:
        # Its sessions end by themselves; a vCenter that is lost must not hide why.
        with suppress(Exception):
            disconnect(service)


def fault_text(error: BaseException) -> str:
    text = getattr(error, "msg", None) or str(error) or type(error).__name__.rpartition(".")[2]
    return " ".join(str(text).split())[:300]


def wait_for(task: Any, where: str) -> Any:
    """A task's result; raises RunFailed with the message of a failed task."""
    poll = _FIRST_POLL_S
    while (info := task.info).state not in (vim.TaskInfo.State.success, vim.TaskInfo.State.error):
        time.sleep(poll)
        poll = min(poll * 1.5, _LONGEST_POLL_S)
    if info.state == vim.TaskInfo.State.error:
        raise RunFailed(where, fault_text(info.error), "fix that, then run the command again") from info.error
    return info.result


def settle(entity: Any) -> None:
    """Wait until all tasks of an object have ended, successful or not."""
    for task in entity.recentTask:
        # vCenter forgets tasks that ended long ago.
        with suppress(vmodl.fault.ManagedObjectNotFound, RunFailed):
            wait_for(task, "")


def properties(content: Any, kind: Any, root: Any, paths: Sequence[str]) -> dict[Any, dict[str, Any]]:
    """Some properties of every object of a kind below another, in as few calls as there are pages."""
    view = content.viewManager.CreateContainerView(root, [kind], True)
    try:
        collector = vmodl.query.PropertyCollector
        walk = collector.TraversalSpec(name="all", path="view", skip=False, type=vim.view.ContainerView)
        spec = collector.FilterSpec(
            objectSet=[collector.ObjectSpec(obj=view, skip=True, selectSet=[walk])],
            propSet=[collector.PropertySpec(type=kind, pathSet=list(paths))],
        )
        page = content.propertyCollector.RetrievePropertiesEx([spec], collector.RetrieveOptions())
        values: dict[Any, dict[str, Any]] = {}
        while page is not None:
            for entry in page.objects:
                values[entry.obj] = {item.name: item.val for item in entry.propSet}
            token = page.token
            page = content.propertyCollector.ContinueRetrievePropertiesEx(token) if token else None
        return values
    finally:
        view.DestroyView()


_HOST = (
    "name", "capability.ftSupported", "config.storageDevice.scsiLun", "datastore", "hardware.cpuInfo",
    "hardware.memorySize", "hardware.numaInfo", "network", "runtime.connectionState",
    "runtime.inMaintenanceMode",
)  # fmt: skip


class VCenterHost(NamedTuple):
    reference: Any
    state: HostState
    luns: Mapping[str, str]  # The id of each of its disks, by vSphere's uuid.


class VCenterPlace(NamedTuple):
    """Everything in a vCenter that the site names.

    The folder and the pool are None while they are to be made, template and port group where machines are
    only removed and they are gone.
    """

    content: Any
    datacenter: Any
    cluster: Any
    template: Any
    port_group: Any
    folder: Any | None
    resource_pool: Any | None
    hosts: Mapping[str, VCenterHost]
    datastores: Mapping[str, Any]


def find_place(content: Any, site: VCenterSite, *, removing: bool = False) -> VCenterPlace:
    """Everything that the site names; raises UserError for the first missing object.

    For ``removing`` machines, what new ones are made of may be missing.
    """
    datacenters = _all(content, vim.Datacenter, content.rootFolder)
    datacenter = _chosen(datacenters, site.datacenter, "vcenter.datacenter")
    clusters = _all(content, vim.ClusterComputeResource, datacenter.hostFolder)
    cluster = _chosen(clusters, site.cluster, "vcenter.cluster")
    stores = {unquote(store.name): store for store in datacenter.datastore}
    groups = _all(content, vim.Network, datacenter)
    if not removing:
        _chosen(groups, site.port_group, "vcenter.port_group")
    folders = _all(content, vim.Folder, datacenter.vmFolder)
    pools = {unquote(pool.name): pool for pool in cluster.resourcePool.resourcePool}
    return VCenterPlace(
        content=content,
        datacenter=datacenter,
        cluster=cluster,
        template=_template(content, datacenter, site.template, removing=removing),
        port_group=groups.get(site.port_group),
        folder=folders.get(site.folder),
        resource_pool=pools.get(site.resource_pool),
        hosts=_hosts(content, datacenter, cluster, stores),
        datastores=stores,
    )


def _template(content: Any, datacenter: Any, name: str, *, removing: bool) -> Any:
    machines = properties(content, vim.VirtualMachine, datacenter, ("name", "config.template"))
    templates = [machine for machine, values in machines.items() if values.get("config.template")]
    named = {unquote(machines[machine]["name"]): machine for machine in templates}
    if name in named or removing:
        return named.get(name)
    where = "vcenter.template"
    if any(unquote(values["name"]) == name for values in machines.values()):
        raise UserError(where, f"{name!r} is a machine, not a template", "convert it to a template")
    return _chosen(named, name, where)


def _all(content: Any, kind: Any, root: Any) -> dict[str, Any]:
    entities = properties(content, kind, root, ("name",))
    return {unquote(values["name"]): entity for entity, values in entities.items()}


def _chosen(entities: Mapping[str, Any], name: str, where: str) -> Any:
    if name in entities:
        return entities[name]
    # Names may contain control characters of terminals.
    shown = (text if text.isprintable() else ascii(text) for text in sorted(entities)[:8])
    names = ", ".join(shown) or "none"
    hint = f"there: {names}{' …' if len(entities) > 8 else ''}"
    raise UserError(where, f"there is no {name!r}", hint)


def _hosts(content: Any, datacenter: Any, cluster: Any, stores: Mapping[str, Any]) -> dict[str, VCenterHost]:
    names = {store: name for name, store in stores.items()}
    networks = {network: unquote(network.name) for network in cluster.network}
    spaces = properties(content, vim.Datastore, datacenter, ("summary.freeSpace",))
    free = {store: values["summary.freeSpace"] for store, values in spaces.items()}
    hosts: dict[str, VCenterHost] = {}
    for reference, facts in properties(content, vim.HostSystem, cluster, _HOST).items():
        disks = [lun for lun in facts.get("config.storageDevice.scsiLun", ()) if lun.lunType == "disk"]
        numa = facts.get("hardware.numaInfo")
        name, ready = facts["name"], ""
        if facts["runtime.connectionState"] != "connected":
            ready = f"is {facts['runtime.connectionState']}"
        elif facts["runtime.inMaintenanceMode"]:
            ready = "is in maintenance mode"
        state = HostState(
            name=name,
            ready=ready,
            memory_bytes=facts["hardware.memorySize"],
            threads=facts["hardware.cpuInfo"].numCpuThreads,
            cores=facts["hardware.cpuInfo"].numCpuCores,
            clock_mhz=facts["hardware.cpuInfo"].hz // 10**6,
            nodes=tuple(
                HostNode(memory_bytes=node.memoryRangeLength, cpus=tuple(node.cpuID))
                for node in (numa.numaNode if numa else ())
            ),
            devices={disk.canonicalName: disk.capacity.block * disk.capacity.blockSize for disk in disks},
            datastores={names[store]: free.get(store, 0) for store in facts["datastore"] if store in names},
            networks=frozenset(networks[network] for network in facts["network"] if network in networks),
            no_fault_tolerance="" if facts.get("capability.ftSupported") else _NO_FAULT_TOLERANCE,
        )
        hosts[name] = VCenterHost(reference, state, {disk.uuid: disk.canonicalName for disk in disks})
    return hosts

"""Where in a vCenter machines go, found by the names in the site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from howdah.errors import UserError
from howdah.model.machines import HostNode, HostState
from howdah.model.site import VCenterSite
from howdah.provision.vsphere.session import properties, vim

_HOST = (
    "name",
    "capability.ftSupported",
    "config.storageDevice.scsiLun",
    "datastore",
    "hardware.cpuInfo",
    "hardware.memorySize",
    "hardware.numaInfo",
    "network",
    "runtime.connectionState",
    "runtime.inMaintenanceMode",
)


class VCenterHost(NamedTuple):
    """A host of the cluster: what it is, and what it is called by."""

    reference: Any
    state: HostState
    luns: Mapping[str, str]
    """The id of each of its disks, by the uuid that vSphere knows it by."""


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
    """Everything that the site names; raises UserError for the first that is not there.

    For ``removing`` machines, what new ones are made of may be missing.
    """
    datacenter = _named(content, vim.Datacenter, content.rootFolder, site.datacenter, "vcenter.datacenter")
    cluster = _named(
        content, vim.ClusterComputeResource, datacenter.hostFolder, site.cluster, "vcenter.cluster"
    )
    stores = {unquote(one.name): one for one in datacenter.datastore}
    groups = _all(content, vim.Network, datacenter)
    if site.port_group not in groups and not removing:
        raise _missing("vcenter.port_group", site.port_group, groups)
    folders = _all(content, vim.Folder, datacenter.vmFolder)
    pools = {unquote(one.name): one for one in cluster.resourcePool.resourcePool}
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
    named = {unquote(given["name"]): one for one, given in machines.items() if given.get("config.template")}
    if name in named:
        return named[name]
    if removing:
        return None
    if any(unquote(given["name"]) == name for given in machines.values()):
        raise UserError(
            "vcenter.template", f"{name!r} is a machine, not a template", "convert it to a template"
        )
    raise _missing("vcenter.template", name, named)


def _all(content: Any, kind: Any, root: Any) -> dict[str, Any]:
    return {unquote(given["name"]): one for one, given in properties(content, kind, root, ("name",)).items()}


def _named(content: Any, kind: Any, root: Any, name: str, where: str) -> Any:
    there = _all(content, kind, root)
    if name not in there:
        raise _missing(where, name, there)
    return there[name]


def _missing(where: str, name: str, there: Mapping[str, Any]) -> UserError:
    # Names are others': none may move a terminal's cursor.
    shown = (text if text.isprintable() else ascii(text) for text in sorted(there)[:8])
    known = ", ".join(shown) or "none"
    return UserError(where, f"there is no {name!r}", f"there: {known}{' …' if len(there) > 8 else ''}")


def _hosts(content: Any, datacenter: Any, cluster: Any, stores: Mapping[str, Any]) -> dict[str, VCenterHost]:
    names = {store: name for name, store in stores.items()}
    networks = {one: unquote(one.name) for one in cluster.network}
    free = {
        store: given["summary.freeSpace"]
        for store, given in properties(content, vim.Datastore, datacenter, ("summary.freeSpace",)).items()
    }
    found: dict[str, VCenterHost] = {}
    for reference, given in properties(content, vim.HostSystem, cluster, _HOST).items():
        disks = [one for one in given.get("config.storageDevice.scsiLun", ()) if one.lunType == "disk"]
        numa = given.get("hardware.numaInfo")
        name = given["name"]
        state = HostState(
            name=name,
            ready=_ready(given),
            memory_bytes=given["hardware.memorySize"],
            threads=given["hardware.cpuInfo"].numCpuThreads,
            cores=given["hardware.cpuInfo"].numCpuCores,
            clock_mhz=given["hardware.cpuInfo"].hz // 10**6,
            nodes=tuple(
                HostNode(memory_bytes=node.memoryRangeLength, cpus=tuple(node.cpuID))
                for node in (numa.numaNode if numa else ())
            ),
            devices={disk.canonicalName: disk.capacity.block * disk.capacity.blockSize for disk in disks},
            datastores={names[one]: free.get(one, 0) for one in given["datastore"] if one in names},
            networks=frozenset(networks[one] for one in given["network"] if one in networks),
            no_fault_tolerance=""
            if given.get("capability.ftSupported")
            else "its API reports no support for it",
        )
        found[name] = VCenterHost(reference, state, {disk.uuid: disk.canonicalName for disk in disks})
    return found


def _ready(given: Mapping[str, Any]) -> str:
    if given["runtime.connectionState"] != "connected":
        return f"is {given['runtime.connectionState']}"
    return "is in maintenance mode" if given["runtime.inMaintenanceMode"] else ""

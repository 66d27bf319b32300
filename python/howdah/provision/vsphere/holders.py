"""The folder and the resource pool that hold machines: made, marked, and known again by the mark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from howdah.model.site import VCenterSite
from howdah.provision.backend import Told
from howdah.provision.vsphere.api import vim
from howdah.provision.vsphere.place import VCenterPlace

_FIELD = "howdah"
"""The custom attribute by which howdah knows folders and pools that it made."""


def made_folder(place: VCenterPlace, site: VCenterSite, cluster: str, told: Told) -> Any:
    """A new folder below the datacentre's own."""
    folder = place.datacenter.vmFolder.CreateFolder(site.folder)
    _mark(place, folder, cluster)
    told(f"made folder {site.folder}")
    return folder


def made_pool(place: VCenterPlace, site: VCenterSite, cluster: str, told: Told) -> Any:
    """A new pool below the cluster's own, which takes what its machines reserve."""
    share = vim.ResourceAllocationInfo(
        reservation=0,
        expandableReservation=True,
        limit=-1,
        shares=vim.SharesInfo(shares=0, level="normal"),
    )
    pool = place.cluster.resourcePool.CreateResourcePool(
        site.resource_pool, vim.ResourceConfigSpec(cpuAllocation=share, memoryAllocation=share)
    )
    _mark(place, pool, cluster)
    told(f"made resource pool {site.resource_pool}")
    return pool


def own_holders(place: VCenterPlace, cluster: str) -> Iterator[tuple[str, Any]]:
    """The folder and the pool, where howdah made them for this cluster."""
    keys = {one.key for one in place.content.customFieldsManager.field if one.name == _FIELD}
    for what, entity in (("folder", place.folder), ("resource pool", place.resource_pool)):
        marks = () if entity is None else entity.customValue
        if any(one.key in keys and one.value == cluster for one in marks):
            yield what, entity


def held_by(what: str, entity: Any) -> set[Any]:
    """All that is in a folder or a pool."""
    return set(entity.childEntity) if what == "folder" else {*entity.vm, *entity.resourcePool}


def _mark(place: VCenterPlace, entity: Any, cluster: str) -> None:
    manager = place.content.customFieldsManager
    known = [one.key for one in manager.field if one.name == _FIELD]
    key = known[0] if known else manager.AddCustomFieldDef(_FIELD, None, None, None).key
    manager.SetField(entity, key, cluster)

"""One machine made, changed, started or removed by libvirt, in an order that a kill may end anywhere.

The domain comes first, for it carries the mark; what it is made of follows, and that its seed is written
is noted last, so that what is missing shows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from howdah.errors import RunFailed
from howdah.model.machines import ProvisionChange, WantedMachine
from howdah.model.site import LibvirtSite
from howdah.provision.differences import FIRST_BOOT, HOST, POWER, Told
from howdah.provision.kvm.domains import (
    MARKS,
    DiskVolume,
    DomainMark,
    data_volume,
    is_own_volume,
    keep_mac,
    keep_others,
    mark_of,
    mark_text,
    planned_domain,
    seed_volume,
    system_volume,
)
from howdah.provision.kvm.hosts import LibvirtHost, failed, libvirt, pycdlib
from howdah.provision.wanted import digest, meta_data, network_text, user_data

_LABEL = "cidata"
"""By which cloud-init's NoCloud source finds it."""


def seed_image(machine: WantedMachine) -> bytes:
    """An ISO image with the three files that cloud-init reads."""
    image = pycdlib.PyCdlib()
    image.new(joliet=3, rock_ridge="1.09", vol_ident=_LABEL)
    for number, (name, text) in enumerate(_files(machine).items()):
        data = text.encode()
        short = f"/FILE{number}.;1"
        image.add_fp(BytesIO(data), len(data), short, rr_name=name, joliet_path=f"/{name}")
    written = BytesIO()
    image.write_fp(written)
    image.close()
    return written.getvalue()


def seed_digest(machine: WantedMachine) -> str:
    """By which a seed that is there is told from the planned one."""
    return digest(*_files(machine).values())


def _files(machine: WantedMachine) -> dict[str, str]:
    return {
        "meta-data": meta_data(machine),
        "user-data": user_data(machine),
        "network-config": network_text(machine),
    }


AUTOSTART = "started with its host"
WHILE_RUNNING = (POWER, FIRST_BOOT, HOST, AUTOSTART)
"""What does not need the machine to be shut down, or defined anew."""
_SHUTDOWN_S = 300


class DomainMaker:
    """Makes the domains of one host what they should be."""

    def __init__(self, host: LibvirtHost, site: LibvirtSite, told: Told) -> None:
        self._host = host
        self._site = site
        self._told = told

    def make(self, machine: WantedMachine, change: ProvisionChange) -> None:
        """The machine as planned, and running; raises RunFailed with what libvirt says."""
        try:
            self._make(machine, change)
        except libvirt.libvirtError as error:
            raise failed(f"machine {machine.name}", error) from error

    def _make(self, machine: WantedMachine, change: ProvisionChange) -> None:
        there = find(self._host.connection, machine.name)
        written = "" if there is None else mark_of(_defined(there)).seed
        if there is None:
            domain = self._define(machine, None)
            self._volumes(machine)
        else:
            # What there is no room for is found while the machine still runs.
            self._volumes(machine)
            domain = self._changed(machine, there, change)
        if written != seed_digest(machine) or self._volume(seed_volume(machine, self._site)) is None:
            self._seed(machine)
            mark = mark_text(DomainMark(machine.cluster, seed_digest(machine)))
            kind = libvirt.VIR_DOMAIN_METADATA_ELEMENT
            domain.setMetadata(kind, mark, "howdah", MARKS, libvirt.VIR_DOMAIN_AFFECT_CONFIG)
        domain.setAutostart(1)
        self._told(f"{'made' if there is None else 'changed'} {machine.name} on {machine.host}")
        if not domain.isActive():
            domain.create()
            self._told(f"started {machine.name}")

    def _changed(self, machine: WantedMachine, there: Any, change: ProvisionChange) -> Any:
        """The domain that is there, defined anew where something of that differs, and shut down for it."""
        if all(difference.what in WHILE_RUNNING for difference in change.differences):
            return there
        if change.restarts:
            self._shut_down(there)
        try:
            return self._define(machine, there)
        except libvirt.libvirtError:
            if change.restarts:
                # It goes on as it was, rather than stay away for what libvirt does not take.
                there.create()
                self._told(f"started {machine.name} again, as it was")
            raise

    def _define(self, machine: WantedMachine, there: Any | None) -> Any:
        before = ElementTree.Element("domain") if there is None else _defined(there)
        root = planned_domain(
            machine,
            self._site,
            self._host.state,
            DomainMark(machine.cluster, mark_of(before).seed),
            kind=self._host.kind,
            uuid=None if there is None else there.UUIDString(),
        )
        keep_mac(root, before)
        keep_others(root, before)
        return self._host.connection.defineXML(ElementTree.tostring(root, "unicode"))

    def _volumes(self, machine: WantedMachine) -> None:
        pool = self._host.connection.storagePoolLookupByName(self._site.pool)
        image = pool.storageVolLookupByName(self._site.image)
        system = system_volume(machine, self._site)
        if self._volume(system) is None:
            size = max(self._site.system_disk, image.info()[1])
            base = {"path": image.path(), "format": _format(image)}
            pool.createXML(_volume_text(system.name, size, "qcow2", base))
        for disk in machine.disks:
            wanted = data_volume(machine, disk)
            if disk.kind == "datastore" and self._volume(wanted) is None:
                store = self._host.connection.storagePoolLookupByName(wanted.pool)
                store.createXML(_volume_text(wanted.name, disk.size_bytes, "raw"))

    def _seed(self, machine: WantedMachine) -> None:
        wanted, data = seed_volume(machine, self._site), seed_image(machine)
        pool = self._host.connection.storagePoolLookupByName(wanted.pool)
        if (old := self._volume(wanted)) is not None:
            old.delete()
        volume = pool.createXML(_volume_text(wanted.name, len(data), "raw"))
        stream = self._host.connection.newStream()
        try:
            volume.upload(stream, 0, len(data))
            stream.sendAll(lambda _, size, source: source.read(size), _Reader(data))
            stream.finish()
        except libvirt.libvirtError as error:
            if error.get_error_code() != libvirt.VIR_ERR_NO_SUPPORT:
                raise
            self._told(f"{wanted.name} is empty, because this libvirt accepts no uploads: write it by hand")

    def _volume(self, wanted: DiskVolume) -> Any | None:
        return volume_of(self._host.connection, wanted)

    def _shut_down(self, domain: Any) -> None:
        domain.shutdown()
        deadline = time.monotonic() + _SHUTDOWN_S
        while domain.isActive():
            if time.monotonic() > deadline:
                raise RunFailed(
                    f"machine {domain.name()}",
                    f"does not shut down in {_SHUTDOWN_S} s",
                    "shut it down by hand, then run the command again",
                )
            time.sleep(0.5)
        self._told(f"shut down {domain.name()}")


class _Reader:
    """Bytes that libvirt's stream takes piece by piece."""

    def __init__(self, data: bytes) -> None:
        self._left = data

    def read(self, size: int) -> bytes:
        """The next bytes, none at the end."""
        piece, self._left = self._left[:size], self._left[size:]
        return piece


def remove(connection: Any, name: str, told: Told) -> None:
    """Remove a domain that howdah made, with the volumes made for it; raw devices keep what they hold."""
    try:
        domain = connection.lookupByName(name)
        sources = _defined(domain).findall("devices/disk/source")
        if domain.isActive():
            domain.destroy()
        # The volumes first: without the domain, nobody would know whose they are.
        for source in sources:
            volume = DiskVolume(source.get("pool", ""), source.get("volume", ""))
            if volume.pool and is_own_volume(name, volume.name) and (found := volume_of(connection, volume)):
                found.delete()
        domain.undefineFlags(libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE)
    except libvirt.libvirtError as error:
        raise failed(f"machine {name}", error) from error
    told(f"removed {name}")


def volume_of(connection: Any, wanted: DiskVolume) -> Any | None:
    """A volume; None where there is none."""
    pool = connection.storagePoolLookupByName(wanted.pool)
    return pool.storageVolLookupByName(wanted.name) if wanted.name in pool.listVolumes() else None


def _defined(domain: Any) -> ElementTree.Element:
    return ElementTree.fromstring(domain.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE))


def find(connection: Any, name: str) -> Any | None:
    """The domain of a name; None where there is none."""
    return next((one for one in connection.listAllDomains() if one.name() == name), None)


def _format(volume: Any) -> str:
    element = ElementTree.fromstring(volume.XMLDesc()).find("target/format")
    return "raw" if element is None else element.get("type", "raw")


def _volume_text(name: str, size: int, kind: str, base: Mapping[str, str] | None = None) -> str:
    root = ElementTree.Element("volume")
    ElementTree.SubElement(root, "name").text = name
    ElementTree.SubElement(root, "capacity", unit="bytes").text = str(size)
    ElementTree.SubElement(root, "allocation", unit="bytes").text = "0" if base else str(size)
    ElementTree.SubElement(ElementTree.SubElement(root, "target"), "format", type=kind)
    if base is not None:
        store = ElementTree.SubElement(root, "backingStore")
        ElementTree.SubElement(store, "path").text = base["path"]
        ElementTree.SubElement(store, "format", type=base["format"])
    return ElementTree.tostring(root, "unicode")

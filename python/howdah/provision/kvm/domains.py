"""A machine as libvirt is to have it: the domain that render writes, with what the site knows put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from math import prod
from typing import NamedTuple
from xml.etree import ElementTree

from howdah.model.machines import DATA_DISK, HostState, MachineDisk, PlannedMachine
from howdah.model.site import LibvirtSite
from howdah.provision.differences import SYSTEM_DISK
from howdah.render.hypervisor import child_element, disk_device, domain_element
from howdah.units import MIB, format_ranges

MARKS = "https://howdah.invalid/machine"  # The name space of howdah's own part of a domain's metadata.
_UNITS = {"b": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
BY_ID = "/dev/disk/by-id/"

ElementTree.register_namespace("howdah", MARKS)


class DomainMark(NamedTuple):
    """By what howdah knows its own domains: their cluster, and the seed that was written for them."""

    cluster: str
    seed: str


class DiskVolume(NamedTuple):
    pool: str
    name: str


def system_volume(machine: PlannedMachine, site: LibvirtSite) -> DiskVolume:
    return DiskVolume(site.pool, f"{machine.name}-system.qcow2")


def seed_volume(machine: PlannedMachine, site: LibvirtSite) -> DiskVolume:
    """The disk that cloud-init reads."""
    return DiskVolume(site.pool, f"{machine.name}-seed.iso")


def data_volume(machine: PlannedMachine, disk: MachineDisk) -> DiskVolume:
    return DiskVolume(disk.name, f"{machine.name}-data-{disk.number:02d}.raw")


def is_own_volume(machine: str, name: str) -> bool:
    """Whether a volume's name is one that howdah gives to those it makes for a machine."""
    return re.fullmatch(rf"{re.escape(machine)}-(system\.qcow2|seed\.iso|data-\d\d+\.raw)", name) is not None


def planned_domain(
    machine: PlannedMachine,
    site: LibvirtSite,
    host: HostState,
    mark: DomainMark,
    *,
    kind: str,
    uuid: str | None = None,
) -> ElementTree.Element:
    """The whole domain, of a ``kind`` that the host runs; one that is there already keeps its ``uuid``."""
    root = domain_element(machine.name, machine.settings, range(1, len(machine.disks) + 1))
    root.set("type", kind)
    if uuid is not None:
        child_element(root, "uuid").text = uuid
    metadata = child_element(root, "metadata")
    ElementTree.SubElement(metadata, f"{{{MARKS}}}machine", cluster=mark.cluster, seed=mark.seed)
    memory, vcpu = child_element(root, "memory"), child_element(root, "vcpu")
    memory.text, vcpu.text = str(machine.memory_bytes // MIB), str(machine.vcpus)
    memory.set("unit", "MiB")
    if (topology := root.find("cpu/topology")) is not None:
        product = prod(int(topology.get(key, "1")) for key in ("sockets", "cores", "threads"))
        if product != machine.vcpus:
            # Masters have the settings of a worker that may be larger or smaller.
            topology.attrib.update(sockets="1", cores=str(machine.vcpus), threads="1")
    if not machine.disks:
        for element in root.findall("iothreads"):
            root.remove(element)
    if machine.nodes:
        cpus = sorted(cpu for node in machine.nodes for cpu in host.nodes[node].cpus)
        vcpu.attrib |= {"placement": "static", "cpuset": format_ranges(cpus, ",")}
        bound = child_element(child_element(root, "numatune"), "memory")
        bound.attrib.pop("placement", None)
        bound.attrib |= {"mode": "strict", "nodeset": format_ranges(machine.nodes, ",")}
    # Without ACPI a guest does not hear that it is to shut down.
    features = child_element(root, "features")
    for name in ("acpi", "apic"):
        child_element(features, name)
    devices = child_element(root, "devices")
    _disks(devices, machine, site)
    card = child_element(devices, "interface")
    child_element(card, "source").set("bridge", site.bridge)
    if machine.mac is not None:
        child_element(card, "mac").set("address", machine.mac)
    return root


def keep_assigned(root: ElementTree.Element, before: ElementTree.Element) -> None:
    """Keep what libvirt and users added to a domain: its card's address, a description, further devices."""
    chosen, card = before.find("devices/interface/mac"), root.find("devices/interface")
    if chosen is not None and card is not None and card.find("mac") is None:
        ElementTree.SubElement(card, "mac", address=chosen.get("address", ""))
    for name in ("title", "description"):
        if (text := before.find(name)) is not None and root.find(name) is None:
            root.append(text)
    devices = child_element(root, "devices")
    own = {target.get("dev") for target in devices.iterfind("disk/target")}
    cards = before.findall("devices/interface")[1:]
    targets = ((disk, disk.find("target")) for disk in before.iterfind("devices/disk"))
    disks = [disk for disk, target in targets if target is not None and target.get("dev") not in own]
    foreign = (before.iterfind(f"devices/{kind}") for kind in ("hostdev", "filesystem"))
    for device in (*disks, *cards, *chain.from_iterable(foreign)):
        for name in ("address", "alias"):
            # libvirt gives new ones, which fit what is planned now.
            if (assigned := device.find(name)) is not None:
                device.remove(assigned)
        devices.append(device)


def mark_of(root: ElementTree.Element) -> DomainMark:
    """Whose a domain is; empty where it is not howdah's."""
    path = f"metadata/{{{MARKS}}}machine"
    return DomainMark(_attribute(root, path, "cluster"), _attribute(root, path, "seed"))


def domain_facts(root: ElementTree.Element) -> dict[str, str]:
    """What a domain says, planned or found, in the same words; what libvirt adds by itself is left out."""
    vcpu, memory, size = root.find("vcpu"), root.find("memory"), root.findtext("memory", "").strip()
    unit = _UNITS.get("KiB" if memory is None else memory.get("unit", "KiB"), 1)
    backing = (f"{kind.tag} {kind.get('mode', '')}".strip() for kind in root.iterfind("memoryBacking/*"))
    facts = {
        "vCPUs": root.findtext("vcpu", ""),
        # libvirt adds by itself that the CPUs are given once for all.
        "CPUs of the host": "" if vcpu is None else vcpu.get("cpuset", "") or vcpu.get("placement", "static"),
        "memory": f"{(int(size) if size.isdigit() else 0) * unit // MIB:,} MiB",
        "memory backing": " ".join(sorted(backing)),
        "NUMA memory": _attributes(root.find("numatune/memory"), ("mode", "nodeset", "placement")),
        "CPU model": _attribute(root, "cpu", "mode"),
        "CPU topology": _attributes(root.find("cpu/topology"), ("sockets", "cores", "threads")),
        "I/O threads": root.findtext("iothreads", ""),
    }
    for disk in root.iterfind("devices/disk"):
        facts |= dict(_disk_facts(disk))
    facts |= dict(_card_facts(root.find("devices/interface")))
    return facts | {"balloon": _attribute(root, "devices/memballoon", "model")}


def _disks(devices: ElementTree.Element, machine: PlannedMachine, site: LibvirtSite) -> None:
    system, *data = devices.findall("disk")
    _on_volume(system, system_volume(machine, site))
    for element, disk in zip(data, machine.disks, strict=True):
        if disk.kind == "datastore":
            _on_volume(element, data_volume(machine, disk))
        else:
            path = disk.name if disk.name.startswith("/") else f"{BY_ID}{disk.name}"
            element.set("type", "block")
            child_element(element, "source").attrib = {"dev": path}
    seed = ElementTree.Element("disk", type="volume", device="cdrom")
    ElementTree.SubElement(seed, "driver", name="qemu", type="raw")
    ElementTree.SubElement(seed, "source", pool=site.pool, volume=seed_volume(machine, site).name)
    ElementTree.SubElement(seed, "target", dev="sda", bus="sata")
    ElementTree.SubElement(seed, "readonly")
    devices.insert(1 + len(data), seed)


def _on_volume(element: ElementTree.Element, volume: DiskVolume) -> None:
    element.set("type", "volume")
    child_element(element, "source").attrib = {"pool": volume.pool, "volume": volume.name}


def _disk_facts(disk: ElementTree.Element) -> Iterator[tuple[str, str]]:
    device = _attribute(disk, "target", "dev")
    places = (_attribute(disk, "source", key) for key in ("pool", "volume", "dev", "file"))
    numbers = {disk_device(number): number for number in range(1, 100)}
    name = f"{DATA_DISK} {numbers[device]}" if device in numbers else f"disk {device}"
    name = {"vda": SYSTEM_DISK, "sda": "cloud-init disk"}.get(device, name)
    yield name, " ".join(" ".join(places).split())
    driver = disk.find("driver")
    if driver is not None and name.startswith(DATA_DISK):
        yield f"driver of {name}", _attributes(driver, ("type", "cache", "io", "iothread"))


def _card_facts(card: ElementTree.Element | None) -> Iterator[tuple[str, str]]:
    if card is None:
        return
    bridge = _attribute(card, "source", "bridge", _attribute(card, "source", "network"))
    yield "network card", f"{_attribute(card, 'model', 'type')} on {bridge}"
    if (driver := card.find("driver")) is not None:
        # libvirt does not keep that there is one queue, which is what there is without it.
        yield "network driver", f"{driver.get('name', '')} {driver.get('queues', '1')}"
    if (mac := card.find("mac")) is not None:
        yield "MAC address", mac.get("address", "").lower()


def _attribute(root: ElementTree.Element, path: str, key: str, default: str = "") -> str:
    element = root.find(path)
    return default if element is None else element.get(key, default)


def _attributes(element: ElementTree.Element | None, keys: tuple[str, ...]) -> str:
    attributes: Mapping[str, str] = {} if element is None else element.attrib
    return " ".join(f"{key} {attributes[key]}" for key in keys if key in attributes)

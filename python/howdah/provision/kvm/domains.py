"""A machine as libvirt is to have it: the domain that render writes, with what the site knows put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree import ElementTree

from howdah.model.machines import HostState, MachineDisk, PlannedMachine
from howdah.model.site import LibvirtSite
from howdah.provision.differences import DATA_DISK, SYSTEM_DISK
from howdah.render.hypervisor import disk_device, domain_element
from howdah.units import MIB

MARKS = "https://howdah.invalid/machine"
"""The name space of howdah's own part of a domain's metadata."""
_UNITS = {"b": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_BY_ID = "/dev/disk/by-id/"

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


def device_path(disk: MachineDisk) -> str:
    return disk.name if disk.name.startswith("/") else f"{_BY_ID}{disk.name}"


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
        _child(root, "uuid").text = uuid
    metadata = _child(root, "metadata")
    ElementTree.SubElement(metadata, f"{{{MARKS}}}machine", cluster=mark.cluster, seed=mark.seed)
    memory, vcpu = _child(root, "memory"), _child(root, "vcpu")
    memory.text, vcpu.text = str(machine.memory_bytes // MIB), str(machine.vcpus)
    memory.set("unit", "MiB")
    topology = root.find("cpu/topology")
    if topology is not None:
        product = 1
        for key in ("sockets", "cores", "threads"):
            product *= int(topology.get(key, "1"))
        if product != machine.vcpus:
            # Masters have the settings of a worker that may be larger or smaller.
            topology.attrib.update(sockets="1", cores=str(machine.vcpus), threads="1")
    if not machine.disks:
        for element in root.findall("iothreads"):
            root.remove(element)
    if machine.nodes:
        _bound(root, machine, host)
    # Without ACPI a guest does not hear that it is to shut down.
    features = _child(root, "features")
    for name in ("acpi", "apic"):
        _child(features, name)
    devices = _child(root, "devices")
    _disks(devices, machine, site)
    card = _child(devices, "interface")
    _child(card, "source").set("bridge", site.bridge)
    if machine.mac is not None:
        _child(card, "mac").set("address", machine.mac)
    return root


def keep_mac(root: ElementTree.Element, before: ElementTree.Element) -> None:
    """Give a card the address that libvirt chose when the domain was first defined, not another one."""
    chosen, card = before.find("devices/interface/mac"), root.find("devices/interface")
    if chosen is not None and card is not None and card.find("mac") is None:
        ElementTree.SubElement(card, "mac", address=chosen.get("address", ""))


def keep_others(root: ElementTree.Element, before: ElementTree.Element) -> None:
    """Keep what others added to a domain: its description, and devices that howdah did not add."""
    for name in ("title", "description"):
        if (text := before.find(name)) is not None and root.find(name) is None:
            root.append(text)
    devices = _child(root, "devices")
    own = {target.get("dev") for target in devices.iterfind("disk/target")}
    cards = before.findall("devices/interface")[1:]
    disks = [
        disk
        for disk in before.iterfind("devices/disk")
        if (target := disk.find("target")) is not None and target.get("dev") not in own
    ]
    for device in (
        *disks,
        *cards,
        *before.iterfind("devices/hostdev"),
        *before.iterfind("devices/filesystem"),
    ):
        for name in ("address", "alias"):
            # libvirt gives new ones, which fit what is planned now.
            if (assigned := device.find(name)) is not None:
                device.remove(assigned)
        devices.append(device)


def mark_text(mark: DomainMark) -> str:
    return ElementTree.tostring(
        ElementTree.Element("machine", cluster=mark.cluster, seed=mark.seed), "unicode"
    )


def mark_of(root: ElementTree.Element) -> DomainMark:
    """Whose a domain is; empty where it is not howdah's."""
    element = root.find(f"metadata/{{{MARKS}}}machine")
    return (
        DomainMark("", "")
        if element is None
        else DomainMark(element.get("cluster", ""), element.get("seed", ""))
    )


def domain_facts(root: ElementTree.Element) -> dict[str, str]:
    """What a domain says, planned or found, in the same words; what libvirt adds by itself is left out."""
    memory = root.find("memory")
    vcpu = root.find("vcpu")
    numa = root.find("numatune/memory")
    cpu = root.find("cpu")
    topology = root.find("cpu/topology")
    facts = {
        "vCPUs": "" if vcpu is None else vcpu.text or "",
        "CPUs of the host": _cpus(vcpu),
        "memory": f"{_bytes(memory) // MIB:,} MiB",
        "memory backing": " ".join(sorted(_backing(root))),
        "NUMA memory": " ".join(_attributes(numa, ("mode", "nodeset", "placement"))),
        "CPU model": "" if cpu is None else cpu.get("mode", ""),
        "CPU topology": " ".join(_attributes(topology, ("sockets", "cores", "threads"))),
        "I/O threads": root.findtext("iothreads", ""),
    }
    for disk in root.iterfind("devices/disk"):
        facts |= dict(_disk_facts(disk))
    facts |= dict(_card_facts(root.find("devices/interface")))
    balloon = root.find("devices/memballoon")
    return facts | {"balloon": "" if balloon is None else balloon.get("model", "")}


def _cpus(vcpu: ElementTree.Element | None) -> str:
    """The CPUs of its host that a domain runs on; libvirt adds by itself that they are given once for all."""
    if vcpu is None:
        return ""
    return vcpu.get("cpuset", "") or vcpu.get("placement", "static")


def _bound(root: ElementTree.Element, machine: PlannedMachine, host: HostState) -> None:
    cpus = sorted(cpu for node in machine.nodes for cpu in host.nodes[node].cpus)
    vcpu = _child(root, "vcpu")
    vcpu.set("placement", "static")
    vcpu.set("cpuset", folded(cpus))
    memory = _child(_child(root, "numatune"), "memory")
    memory.attrib.pop("placement", None)
    memory.set("mode", "strict")
    memory.set("nodeset", folded(machine.nodes))


def folded(numbers: list[int] | tuple[int, ...]) -> str:
    """Numbers as libvirt writes a set of them: ``0-3,8``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _disks(devices: ElementTree.Element, machine: PlannedMachine, site: LibvirtSite) -> None:
    system, *data = devices.findall("disk")
    _on_volume(system, system_volume(machine, site))
    for element, disk in zip(data, machine.disks, strict=True):
        if disk.kind == "datastore":
            _on_volume(element, data_volume(machine, disk))
        else:
            element.set("type", "block")
            _child(element, "source").attrib = {"dev": device_path(disk)}
    seed = ElementTree.Element("disk", type="volume", device="cdrom")
    ElementTree.SubElement(seed, "driver", name="qemu", type="raw")
    ElementTree.SubElement(seed, "source", pool=site.pool, volume=seed_volume(machine, site).name)
    ElementTree.SubElement(seed, "target", dev="sda", bus="sata")
    ElementTree.SubElement(seed, "readonly")
    devices.insert(1 + len(data), seed)


def _on_volume(element: ElementTree.Element, volume: DiskVolume) -> None:
    element.set("type", "volume")
    _child(element, "source").attrib = {"pool": volume.pool, "volume": volume.name}


def _disk_facts(disk: ElementTree.Element) -> Iterator[tuple[str, str]]:
    device = "" if (target := disk.find("target")) is None else target.get("dev", "")
    source, driver = disk.find("source"), disk.find("driver")
    where = " ".join(
        () if source is None else (source.get(key, "") for key in ("pool", "volume", "dev", "file"))
    )
    name = {"vda": SYSTEM_DISK, "sda": "cloud-init disk"}.get(device) or _data_name(device)
    yield name, " ".join(where.split())
    if driver is not None and name.startswith(DATA_DISK):
        yield f"driver of {name}", " ".join(_attributes(driver, ("type", "cache", "io", "iothread")))


def _data_name(device: str) -> str:
    names = {disk_device(number): number for number in range(1, 100)}
    return f"{DATA_DISK} {names[device]}" if device in names else f"disk {device}"


def _card_facts(card: ElementTree.Element | None) -> Iterator[tuple[str, str]]:
    if card is None:
        return
    source, model = card.find("source"), card.find("model")
    driver, mac = card.find("driver"), card.find("mac")
    kind = "" if model is None else model.get("type", "")
    bridge = "" if source is None else source.get("bridge", source.get("network", ""))
    yield "network card", f"{kind} on {bridge}"
    if driver is not None:
        # libvirt does not keep that there is one queue, which is what there is without it.
        yield "network driver", f"{driver.get('name', '')} {driver.get('queues', '1')}"
    if mac is not None:
        yield "MAC address", mac.get("address", "").lower()


def _backing(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iterfind("memoryBacking/*"):
        yield f"{element.tag} {element.get('mode', '')}".strip()


def _attributes(element: ElementTree.Element | None, keys: tuple[str, ...]) -> Iterator[str]:
    attributes: Mapping[str, str] = {} if element is None else element.attrib
    yield from (f"{key} {attributes[key]}" for key in keys if key in attributes)


def _bytes(memory: ElementTree.Element | None) -> int:
    if memory is None or not (memory.text or "").strip().isdigit():
        return 0
    return int(memory.text or 0) * _UNITS.get(memory.get("unit", "KiB"), 1)


def _child(element: ElementTree.Element, name: str) -> ElementTree.Element:
    child = element.find(name)
    return child if child is not None else ElementTree.SubElement(element, name)

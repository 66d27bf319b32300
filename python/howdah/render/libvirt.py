"""A virtual machine as libvirt's domain XML has it."""

from __future__ import annotations

import re
import string
import textwrap
from collections.abc import Iterator, Sequence
from copy import deepcopy
from xml.etree import ElementTree

from howdah.errors import UserError
from howdah.model.plan import Setting, Worker
from howdah.render.text import reason_lines, setting_label, setting_text, xml_comment
from howdah.units import format_bits_per_s

_PART = re.compile(r"@?[A-Za-z_][A-Za-z0-9_-]*")


_SITES_OWN = (
    "Replace name, image, disks and bridge, which are examples; placement.csv lists the machines. "
    "Name each disk by its persistent path below /dev/disk/by-id."
)


def domain(
    worker: Worker, settings: Sequence[Setting], disks: Sequence[int] = (), part_bits_per_s: int | None = None
) -> str:
    """A ``<domain>`` for the machines of one kind, reasons first.

    A key such as ``cpu.@mode`` is a path of elements, its end an attribute where it has an ``@``; keys
    below ``devices.disk`` hold for every data disk. ``disks`` says which of a host's data disks are this
    cluster's where others have the rest, ``part_bits_per_s`` each machine's part of the ports.
    """
    count = worker.data_disks or 0
    root = domain_element(f"{worker.name}-1", settings, disks[:count] or range(1, count + 1))
    reasons = [f"For every machine of the kind {worker.name}.", *textwrap.wrap(_SITES_OWN, 100)]
    for setting in settings:
        reasons += ["", f"{setting.key} = {setting_text(setting)}", *reason_lines(setting)]
    if part_bits_per_s is not None:
        reasons += ["", *_bandwidth(part_bits_per_s)]
    ElementTree.indent(root)
    comment = xml_comment([line.rstrip() for line in reasons])
    return f"{comment}\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _bandwidth(bits_per_s: int) -> Iterator[str]:
    """How a machine is held to its part of ports that are shared; libvirt counts in thousands of bytes."""
    yield from textwrap.wrap(
        f"Other clusters have the rest of the host's ports. {format_bits_per_s(bits_per_s)} are this "
        "machine's part; to hold it to that, whatever the others leave, put into its interface:",
        100,
    )
    rate = bits_per_s // 8000
    yield f'<bandwidth><inbound average="{rate}"/><outbound average="{rate}"/></bandwidth>'


def domain_element(name: str, settings: Sequence[Setting], data_disks: Sequence[int]) -> ElementTree.Element:
    """The domain alone: its system disk first, then its data disks, with examples for what a site knows."""
    root = ElementTree.Element("domain", type="kvm")
    ElementTree.SubElement(root, "name").text = name
    ElementTree.SubElement(ElementTree.SubElement(root, "os"), "type").text = "hvm"
    for setting in settings:
        _put(root, setting)
    devices = _child(root, "devices")
    pattern = _child(devices, "disk")
    devices.remove(pattern)
    for position, disk in enumerate((_system_disk(name), *_data_disks(pattern, data_disks))):
        devices.insert(position, disk)
    card = _child(devices, "interface")
    card.set("type", "bridge")
    ElementTree.SubElement(card, "source", bridge="br0")
    return root


def _system_disk(name: str) -> ElementTree.Element:
    disk = ElementTree.Element("disk", type="file", device="disk")
    ElementTree.SubElement(disk, "driver", name="qemu", type="qcow2")
    ElementTree.SubElement(disk, "source", file=f"/var/lib/libvirt/images/{name}.qcow2")
    ElementTree.SubElement(disk, "target", dev=disk_device(0), bus="virtio")
    return disk


def _data_disks(pattern: ElementTree.Element, disks: Sequence[int]) -> Iterator[ElementTree.Element]:
    """The pattern once for each data disk, with an I/O thread and a serial number of its own."""
    for number, of_host in enumerate(disks, start=1):
        disk = deepcopy(pattern)
        disk.set("device", "disk")
        driver = _child(disk, "driver")
        driver.set("name", "qemu")
        driver.set("iothread", str(number))
        ElementTree.SubElement(disk, "source", dev=f"/dev/disk/by-id/DATA-DISK-{of_host:02d}")
        _child(disk, "target").set("dev", disk_device(number))
        ElementTree.SubElement(disk, "serial").text = f"data-{number:02d}"
        yield disk


def disk_device(position: int) -> str:
    """The name of a disk by its place: ``vda``, ``vdb``, after ``vdz`` ``vdaa``."""
    letters = string.ascii_lowercase
    first, last = divmod(position, len(letters))
    return f"vd{letters[first - 1] if first else ''}{letters[last]}"


def _put(root: ElementTree.Element, setting: Setting) -> None:
    *parents, last = setting.key.split(".")
    if not all(_PART.fullmatch(part) for part in (*parents, last)):
        raise UserError(
            setting_label(setting), "is not a path of a domain", "element names with dots between them"
        )
    element = root
    for part in parents:
        element = _child(element, part)
    if last.startswith("@"):
        element.set(last[1:], setting_text(setting))
    elif setting.value is True:
        _child(element, last)
    elif setting.value is not False:
        _child(element, last).text = setting_text(setting)


def _child(element: ElementTree.Element, name: str) -> ElementTree.Element:
    child = element.find(name)
    return child if child is not None else ElementTree.SubElement(element, name)

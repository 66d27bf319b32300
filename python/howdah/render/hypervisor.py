"""Virtual machines: their hosts, and the hypervisor's settings of each kind."""

from __future__ import annotations

import re
import string
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from shlex import quote
from xml.etree import ElementTree

from howdah.model.placement import PlacedHost
from howdah.model.plan import ClusterPlan, ConfigFile, Setting, Worker
from howdah.render import text
from howdah.render.hadoop import table
from howdah.units import MIB, format_bits_per_s

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
        reasons += ["", f"{setting.key} = {text.setting_text(setting)}", *text.reason_lines(setting)]
    if part_bits_per_s is not None:
        rate = part_bits_per_s // 8000  # libvirt counts in thousands of bytes.
        note = (
            f"Other clusters have the rest of the host's ports. {format_bits_per_s(part_bits_per_s)} are "
            "this machine's part; to hold it to that, whatever the others leave, put into its interface:"
        )
        reasons += ["", *textwrap.wrap(note, 100)]
        reasons += [f'<bandwidth><inbound average="{rate}"/><outbound average="{rate}"/></bandwidth>']
    ElementTree.indent(root)
    comment = text.xml_comment([line.rstrip() for line in reasons])
    return f"{comment}\n{ElementTree.tostring(root, encoding='unicode')}\n"


def domain_element(name: str, settings: Sequence[Setting], data_disks: Sequence[int]) -> ElementTree.Element:
    """Return the domain: its system disk first, then its data disks, with examples for values of a site."""
    root = ElementTree.Element("domain", type="kvm")
    ElementTree.SubElement(root, "name").text = name
    ElementTree.SubElement(ElementTree.SubElement(root, "os"), "type").text = "hvm"
    for setting in settings:
        *parents, last = setting.key.split(".")
        if not all(_PART.fullmatch(part) for part in (*parents, last)):
            hint = "element names with dots between them"
            raise text.setting_error(setting, "is not a path of a domain", hint)
        element = root
        for part in parents:
            element = child_element(element, part)
        if last.startswith("@"):
            element.set(last[1:], text.setting_text(setting))
        elif setting.value is True:
            child_element(element, last)
        elif setting.value is not False:
            child_element(element, last).text = text.setting_text(setting)
    devices = child_element(root, "devices")
    pattern = child_element(devices, "disk")
    devices.remove(pattern)
    system = ElementTree.Element("disk", type="file", device="disk")
    ElementTree.SubElement(system, "driver", name="qemu", type="qcow2")
    ElementTree.SubElement(system, "source", file=f"/var/lib/libvirt/images/{name}.qcow2")
    ElementTree.SubElement(system, "target", dev=disk_device(0), bus="virtio")
    for position, disk in enumerate((system, *_data_disks(pattern, data_disks))):
        devices.insert(position, disk)
    card = child_element(devices, "interface")
    card.set("type", "bridge")
    ElementTree.SubElement(card, "source", bridge="br0")
    return root


def _data_disks(pattern: ElementTree.Element, disks: Sequence[int]) -> Iterator[ElementTree.Element]:
    """Return the pattern for each data disk, with its own I/O thread and serial number."""
    for number, of_host in enumerate(disks, start=1):
        disk = deepcopy(pattern)
        disk.set("device", "disk")
        driver = child_element(disk, "driver")
        driver.set("name", "qemu")
        driver.set("iothread", str(number))
        ElementTree.SubElement(disk, "source", dev=f"/dev/disk/by-id/DATA-DISK-{of_host:02d}")
        child_element(disk, "target").set("dev", disk_device(number))
        ElementTree.SubElement(disk, "serial").text = f"data-{number:02d}"
        yield disk


def disk_device(position: int) -> str:
    """The name of a disk by its place: ``vda``, ``vdb``, after ``vdz`` ``vdaa``."""
    letters = string.ascii_lowercase
    first, last = divmod(position, len(letters))
    return f"vd{letters[first - 1] if first else ''}{letters[last]}"


def child_element(element: ElementTree.Element, name: str) -> ElementTree.Element:
    """The first child of a name, made if there is none."""
    child = element.find(name)
    return child if child is not None else ElementTree.SubElement(element, name)


_COLUMNS = ("vm", "host", "rack", "kind", "vcpus", "memory_mib", "data_disks", "daemons")


def esxi_script(hosts: str, settings: Sequence[Setting]) -> str:
    """``esxcli`` lines for options such as ``/Mem/ShareForceSalting``."""
    script = f"#!/bin/sh\n# Advanced settings of {hosts}: run it in the ESXi shell.\nset -eu\n"
    for setting in settings:
        option = quote("/" + setting.key.strip("/").replace(".", "/"))
        number = int(setting.value) if isinstance(setting.value, int) else None
        value = f"-s {quote(text.setting_text(setting))}" if number is None else f"-i {number}"
        script += f"\n{text.reason_comment(setting)}esxcli system settings advanced set -o {option} {value}\n"
    return script


def firmware_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """Return ``firmware.md``, if the plan has settings of firmware."""
    settings = [setting for setting in plan.settings if setting.file == text.FIRMWARE]
    if not settings:
        return
    lines = ["# Firmware", "", "To be set on every host before anything is installed.", ""]
    for setting in sorted(settings, key=lambda setting_key: (setting_key.group or "", setting_key.key)):
        hosts = f" (hosts of {setting.group})" if setting.group else ""
        name = text.plain_key(setting).removeprefix("bios.").replace("_", " ")
        lines.append(f"- [ ] **{name}**{hosts}: {text.setting_text(setting)}.")
        lines += [f"  {line}" for line in text.reason_lines(setting)]
    yield ConfigFile(path="firmware.md", content="\n".join(lines) + "\n")


def vmx_fragment(worker: Worker, settings: Sequence[Setting]) -> str:
    """Lines to add to the .vmx file of every machine of one kind."""
    kind = f"For every machine of the kind {worker.name}"
    head = [f"{kind}; add these lines while it is off, or set them as its", "advanced parameters."]
    return text.hash_comment(head) + "".join(map(_machine_option, settings))


def _machine_option(setting: Setting) -> str:
    if '"' in setting.key or any(character.isspace() for character in setting.key):
        raise text.setting_error(setting, "is not a key of a .vmx file", "letters, digits, dots and colons")
    value = text.setting_text(setting)
    if isinstance(setting.value, bool):
        value = value.upper()
    # The format's escapes of the quotation mark and of the escape character.
    value = value.replace("|", "|7C").replace('"', "|22")
    return f'\n{text.reason_comment(setting)}{setting.key} = "{value}"\n'


def hypervisor_files(plan: ClusterPlan, hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """Everything of ``hypervisor/``; nothing where workers are the hosts themselves."""
    divided = {layout.group for layout in plan.cluster.layouts if layout.virtual}
    if not divided:
        return
    kinds = {worker.name: worker for worker in plan.workers if worker.group in divided}
    sharing = plan.cluster.request.sharing
    disks = sharing.disks if sharing is not None else {}
    rows = [row for host in hosts if host.group in divided for row in _machines(host, kinds)]
    yield ConfigFile(path="hypervisor/placement.csv", content=table(_COLUMNS, rows))
    for worker in kinds.values():
        if settings := text.select(plan, text.VMX, text.of_kind(worker)):
            yield ConfigFile(path=f"hypervisor/{worker.name}.vmx", content=vmx_fragment(worker, settings))
        if settings := text.select(plan, text.LIBVIRT, text.of_kind(worker)):
            part = None
            if sharing is not None:
                # A machine's share of its cluster's part of a host's ports, by its virtual CPUs.
                group = next(group for group in plan.cluster.inventory.groups if group.name == worker.group)
                layout = next(layout for layout in plan.cluster.layouts if layout.group == worker.group)
                vcpus = sum(kinds[kind].vcpus or 0 for kind in layout.workers)
                part = group.network_bits_per_s * (worker.vcpus or 0) // max(1, vcpus)
            machine = domain(worker, settings, disks.get(worker.group or "", ()), part)
            yield ConfigFile(path=f"hypervisor/{worker.name}.xml", content=machine)
    for variant in text.file_variants(plan, (text.ESXI,)):
        if settings := text.select(plan, text.ESXI, variant):
            hosts_text = f"every host of the group {variant.group}" if variant.group else "every host"
            path = f"hypervisor/{variant.folder('esxi')}.sh"
            yield ConfigFile(path=path, content=esxi_script(hosts_text, settings), executable=True)


def _machines(host: PlacedHost, kinds: Mapping[str, Worker]) -> Iterator[Sequence[object]]:
    for placed in host.workers:
        kind = kinds[placed.kind]
        daemons = " ".join(role.value for role in kind.roles)
        size = (kind.vcpus, kind.memory_bytes // MIB, kind.data_disks)
        yield (placed.name, host.name, host.rack, kind.name, *size, daemons)
    masters = [(master, "master") for master in host.masters if not master.shares]
    for master, what_for in (*masters, *((master, "shadow") for master in host.shadows)):
        daemons = " ".join(role.value for role in master.roles)
        size = (master.vcpus, master.memory_bytes // MIB, 0)
        yield (master.address, host.name, host.rack, what_for, *size, daemons)

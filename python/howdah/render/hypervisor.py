"""Virtual machines: which on which host, and what the hypervisor is told of each kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote

from howdah.errors import UserError
from howdah.model.configset import ConfigFile
from howdah.model.placement import PlacedHost
from howdah.model.plan import Cluster, Master, Plan, Setting, Worker
from howdah.model.value import value_text
from howdah.render.libvirt import domain
from howdah.render.members import table
from howdah.render.text import hash_comment, plain_key, reason_lines, setting_label, setting_text
from howdah.render.variant import ESXI, FIRMWARE, LIBVIRT, VMX, FileVariant, file_variants, of_kind, select
from howdah.units import MIB

_COLUMNS = ("vm", "host", "rack", "kind", "vcpus", "memory_mib", "data_disks", "daemons")


def esxi_script(hosts: str, settings: Sequence[Setting]) -> str:
    """``esxcli`` lines for options such as ``/Mem/ShareForceSalting``."""
    head = f"#!/bin/sh\n{hash_comment([f'Advanced settings of {hosts}: run it in the ESXi shell.'])}set -eu\n"
    return head + "".join(_host_option(setting) for setting in settings)


def _host_option(setting: Setting) -> str:
    option = "/" + setting.key.strip("/").replace(".", "/")
    number = isinstance(setting.value, int)
    value = str(int(setting.value)) if isinstance(setting.value, int) else setting_text(setting)
    return (
        f"\n{hash_comment(reason_lines(setting))}"
        f"esxcli system settings advanced set -o {quote(option)} {'-i' if number else '-s'} {quote(value)}\n"
    )


def firmware_files(plan: Plan) -> Iterable[ConfigFile]:
    """``firmware.md``, where the plan says anything of it."""
    settings = [setting for setting in plan.settings if setting.file == FIRMWARE]
    if not settings:
        return
    lines = ["# Firmware", "", "To be set on every host before anything is installed.", ""]
    for setting in sorted(settings, key=lambda wanted: (wanted.group or "", wanted.key)):
        hosts = f" (hosts of {setting.group})" if setting.group else ""
        name = plain_key(setting).removeprefix("bios.").replace("_", " ")
        lines.append(f"- [ ] **{name}**{hosts}: {setting_text(setting)}.")
        lines += [f"  {line}" for line in reason_lines(setting)]
    yield ConfigFile(path="firmware.md", content="\n".join(lines) + "\n")


def vmx_fragment(worker: Worker, settings: Sequence[Setting]) -> str:
    """Lines to add to the .vmx file of every machine of one kind."""
    head = [
        f"For every machine of the kind {worker.name}; add these lines while it is off, or set them as its"
    ]
    head.append("advanced parameters.")
    return hash_comment(head) + "".join(_machine_option(setting) for setting in settings)


def _machine_option(setting: Setting) -> str:
    if '"' in setting.key or any(character.isspace() for character in setting.key):
        raise UserError(
            setting_label(setting), "is not a key of a .vmx file", "letters, digits, dots and colons"
        )
    text = value_text(setting.value).upper() if isinstance(setting.value, bool) else setting_text(setting)
    # The format's own way to write the quotation mark and the bar that introduces it.
    text = text.replace("|", "|7C").replace('"', "|22")
    return f'\n{hash_comment(reason_lines(setting))}{setting.key} = "{text}"\n'


def hypervisor_files(plan: Plan, cluster: Cluster, hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """Everything of ``hypervisor/``; nothing where workers are the hosts themselves."""
    divided = {layout.group for layout in cluster.layouts if layout.virtual}
    if not divided:
        return
    kinds = {worker.name: worker for worker in plan.workers if worker.group in divided}
    sharing = cluster.request.sharing
    disks = sharing.disks if sharing is not None else {}
    rows = [row for host in hosts if host.group in divided for row in _machines(host, kinds)]
    yield ConfigFile(path="hypervisor/placement.csv", content=table(_COLUMNS, rows))
    for worker in kinds.values():
        if settings := select(plan, VMX, of_kind(worker)):
            yield ConfigFile(path=f"hypervisor/{worker.name}.vmx", content=vmx_fragment(worker, settings))
        if settings := select(plan, LIBVIRT, of_kind(worker)):
            part = _part_of_ports(worker, cluster, kinds) if sharing is not None else None
            machine = domain(worker, settings, disks.get(worker.group or "", ()), part)
            yield ConfigFile(path=f"hypervisor/{worker.name}.xml", content=machine)
    for variant in file_variants(plan, cluster, (ESXI,)):
        if settings := select(plan, ESXI, variant):
            yield ConfigFile(
                path=f"hypervisor/{variant.folder('esxi')}.sh",
                content=esxi_script(_hosts_of(variant), settings),
                executable=True,
            )


def _part_of_ports(worker: Worker, cluster: Cluster, kinds: Mapping[str, Worker]) -> int:
    """What a machine has of its cluster's part of a host's ports: as much as of its virtual CPUs."""
    group = next(group for group in cluster.inventory.groups if group.name == worker.group)
    layout = next(layout for layout in cluster.layouts if layout.group == worker.group)
    vcpus = sum(kinds[kind].vcpus or 0 for kind in layout.workers)
    return group.network_bits_per_s * (worker.vcpus or 0) // max(1, vcpus)


def _hosts_of(variant: FileVariant) -> str:
    return f"every host of the group {variant.group}" if variant.group else "every host"


def _machines(host: PlacedHost, kinds: Mapping[str, Worker]) -> Iterator[Sequence[object]]:
    """A host's workers, masters and shadows, which all need room on it."""
    for placed in host.workers:
        kind = kinds[placed.kind]
        daemons = " ".join(role.value for role in kind.roles)
        size = (kind.vcpus, kind.memory_bytes // MIB, kind.data_disks)
        yield (placed.name, host.name, host.rack, kind.name, *size, daemons)
    for master in host.masters:
        if not master.shares:
            yield _master(master, host, "master")
    for master in host.shadows:
        yield _master(master, host, "shadow")


def _master(master: Master, host: PlacedHost, kind: str) -> Sequence[object]:
    daemons = " ".join(role.value for role in master.roles)
    size = (master.vcpus, master.memory_bytes // MIB, 0)
    return (master.address, host.name, host.rack, kind, *size, daemons)

"""Probed hosts as groups of alike ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from pydantic import ValidationError

from howdah.documents.fault import Keys
from howdah.documents.hardware import Hardware, describe, rated
from howdah.errors import UserError
from howdah.model.base import WrongValue
from howdah.model.host import Host
from howdah.model.hostname import expand_all, fold, is_hostname
from howdah.model.inventory import HostGroup, Inventory
from howdah.units import exact_bytes

Serves = Literal["any", "workers", "masters"]


class Probe(NamedTuple):
    """A host and the file it was read from."""

    file: str
    host: Host


class Addition(NamedTuple):
    """Hosts that go together: so many more of a group of the inventory, or a group of their own."""

    group: HostGroup
    hosts: int
    known: bool
    asked: dict[Keys, str]
    left_out: tuple[str, ...]


def group_hosts(
    probes: Sequence[Probe], inventory: Inventory | None, *, name: str | None, serves: Serves | None
) -> tuple[Addition, ...]:
    """Sort probed hosts into groups: those of the inventory that are alike, otherwise new ones.

    ``name`` is the group's, where the hosts are all alike. Raises UserError for a host that is there
    already, for a name that is no host's or no group's, where ``name`` would mix what is not alike, and for
    a probe that saw no disk.
    """
    _check_names(probes, inventory)
    alike: dict[Hardware, list[Probe]] = {}
    for probe in probes:
        alike.setdefault(describe(probe.host).hardware, []).append(probe)
    if name is not None and len(alike) > 1:
        first, second = [same[0].file for same in alike.values()][:2]
        raise UserError(
            f"--group {name}",
            f"{first} and {second} differ: {difference(*list(alike)[:2])}",
            "add each kind of host to a separate group",
        )
    taken = {group.name for group in inventory.groups} if inventory else set()
    additions: list[Addition] = []
    for hardware, same in alike.items():
        described = describe(same[0].host)
        names = [probe.host.name for probe in same]
        said: dict[Keys, str] = {}
        home = _home(hardware, inventory, name, serves)
        if home is not None:
            group = _extended(home, names)
        else:
            group_name = name or new_name(names[0], taken)
            taken.add(group_name)
            try:
                group = _new_group(group_name, names, hardware, serves)
                group, said = _measured(group, [probe.host for probe in same])
            except ValidationError as error:
                raise _refused(error, same[0].file, name) from error
        asked = dict(described.asked)
        for path, words in said.items():
            asked[path] = "; ".join(filter(None, (asked.get(path), words)))
        additions.append(Addition(group, len(names), home is not None, asked, described.left_out))
    return tuple(additions)


def difference(hardware: Hardware, other: Hardware) -> str:
    """In what hosts differ, in words."""
    parts = [
        ("CPUs", _cpu_key(hardware), _cpu_key(other)),
        ("memory", hardware.memory_bytes, other.memory_bytes),
        ("disks", hardware.disks, other.disks),
        ("network ports", hardware.nics, other.nics),
    ]
    return ", ".join(name for name, mine, theirs in parts if mine != theirs) or "processor model"


def _check_names(probes: Sequence[Probe], inventory: Inventory | None) -> None:
    groups = inventory.groups if inventory else ()
    seen = {name.lower(): f"in group {group.name} already" for group in groups for name in group.names}
    for probe in probes:
        name = probe.host.name
        if not is_hostname(name):
            raise UserError(
                probe.file, f"{name!r} is not a host name", "name the host, or correct `name` in the file"
            )
        if name.lower() in seen:
            raise UserError(
                probe.file,
                f"host {name!r} is {seen[name.lower()]}",
                "leave this file out; add each host once",
            )
        seen[name.lower()] = f"in {probe.file} too"


def _home(
    hardware: Hardware, inventory: Inventory | None, name: str | None, serves: Serves | None
) -> HostGroup | None:
    """The inventory's group that hosts of this hardware join; raises UserError if the named one is unlike."""
    for group in inventory.groups if inventory else ():
        if name is not None and group.name != name:
            continue
        theirs = hardware_of(group)
        differs = difference(hardware, theirs) if not _is_alike(hardware, theirs) else ""
        if not group.hosts:
            differs = differs or "its hosts have no names"
        elif group.racks:
            differs = differs or "it has racks, so each host's rack must be given by hand"
        elif serves not in (None, group.serves):
            differs = differs or f"it serves {group.serves}"
        if not differs:
            return group
        if name is not None:
            raise UserError(
                f"--group {name}",
                f"the hosts cannot join it: {differs}",
                "give another name, for a new group",
            )
    return None


def hardware_of(group: HostGroup) -> Hardware:
    """The hardware of a group's hosts, as probing them would tell it."""
    disks = sorted(
        (
            disk.model_copy(update={"outer_bytes_per_s": None, "inner_bytes_per_s": None})
            for disk in group.disks
        ),
        key=lambda disk_set: (disk_set.kind, disk_set.size_bytes, disk_set.role),
    )
    return Hardware(group.cpu, group.memory_bytes, tuple(disks), group.nics)


def _is_alike(hardware: Hardware, other: Hardware) -> bool:
    models = {hardware.cpu.model, other.cpu.model} - {None}
    return len(models) < 2 and _cpu_key(hardware) == _cpu_key(other) and hardware[1:] == other[1:]


def _cpu_key(hardware: Hardware) -> tuple[int, ...]:
    cpu = hardware.cpu
    return cpu.sockets, cpu.cores_per_socket, cpu.threads_per_core, cpu.numa_nodes_per_socket


def _extended(group: HostGroup, names: Sequence[str]) -> HostGroup:
    hosts = fold([*expand_all(group.hosts), *names])
    return group.model_copy(update={"count": group.count + len(names), "hosts": hosts})


def _new_group(name: str, names: Sequence[str], hardware: Hardware, serves: Serves | None) -> HostGroup:
    return HostGroup(
        name=name,
        count=len(names),
        hosts=fold(names),
        cpu=hardware.cpu,
        memory=exact_bytes(hardware.memory_bytes),
        disks=hardware.disks,
        nics=hardware.nics,
        serves=serves or "any",
    )


def _measured(group: HostGroup, hosts: Sequence[Host]) -> tuple[HostGroup, dict[Keys, str]]:
    """A new group with its disks' rates, and what is to be said beside them."""
    disks, said = rated(group.disks, hosts)
    return group.model_copy(update={"disks": disks}), said


def _refused(error: ValidationError, file: str, name: str | None) -> UserError:
    """What the group cannot be made of: the name that was given, or what the probe saw, or did not see."""
    detail = error.errors(include_url=False)[0]
    key = str(detail["loc"][0])
    wrong = detail.get("ctx", {}).get("error")
    hint = wrong.hint if isinstance(wrong, WrongValue) else detail["msg"]
    if key == "name" and name is not None:
        return UserError(f"--group {name}", "is not a group's name", hint)
    return UserError(file, f"gives no group of hosts: its {key} cannot be listed", hint)


def new_name(host: str, taken: Collection[str]) -> str:
    """A name after the hosts': ``w001.example.com`` makes ``w``, or ``w-2`` if that is taken."""
    match = re.match(r"[a-z][a-z-]{0,24}", host.lower())
    stem = match.group().rstrip("-") if match else "hosts"
    number = 1
    while (name := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    return name

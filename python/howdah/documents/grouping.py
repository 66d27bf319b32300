"""An inventory of hosts: groups made from probes, its text extended, and notices on what is unusual."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from itertools import count
from typing import NamedTuple

from pydantic import ValidationError
from ruamel.yaml import YAML

from howdah.documents.files import write_inventory
from howdah.documents.hardware import Hardware, describe, rated
from howdah.documents.tree import Keys
from howdah.errors import UserError
from howdah.model.base import Model, WrongValue
from howdah.model.host import Host
from howdah.model.hostname import expand_all, fold, is_hostname
from howdah.model.inventory import DiskKind, DiskRole, HostGroup, Inventory, Serves
from howdah.units import GIB, exact_bytes, format_bytes, format_memory


class Probe(NamedTuple):
    """A host and the file it was read from."""

    file: str
    host: Host


class Addition(NamedTuple):
    """Hosts that go together: so many more of a group of the inventory, or a new group."""

    group: HostGroup
    hosts: int
    existing: bool
    comments: dict[Keys, str]
    left_out: tuple[str, ...]


def group_hosts(
    probes: Sequence[Probe], inventory: Inventory | None, *, name: str | None, serves: Serves | None
) -> tuple[Addition, ...]:
    """Sort probed hosts into groups: those of the inventory with the same hardware, otherwise new ones.

    ``name`` is the group's, if the hosts are identical. Raises UserError for a host that is there already,
    for a name that no host or group can have, if ``name`` would mix different hosts, and for a probe that saw
    no disk.
    """
    _check_names(probes, inventory)
    kinds: dict[Hardware, list[Probe]] = {}
    for probe in probes:
        kinds.setdefault(describe(probe.host).hardware, []).append(probe)
    if name is not None and len(kinds) > 1:
        first, second = [same[0].file for same in kinds.values()][:2]
        problem = f"{first} and {second} differ: {difference(*list(kinds)[:2])}"
        raise UserError(f"--group {name}", problem, "add each kind of host to a separate group")
    taken = {group.name for group in inventory.groups} if inventory else set()
    additions: list[Addition] = []
    for hardware, same in kinds.items():
        described = describe(same[0].host)
        names = [probe.host.name for probe in same]
        more_comments: dict[Keys, str] = {}
        home = _home(hardware, inventory, name, serves)
        if home is not None:
            hosts = fold([*expand_all(home.hosts), *names])
            group = home.model_copy(update={"count": home.count + len(names), "hosts": hosts})
        else:
            group_name = name or new_name(names[0], taken)
            taken.add(group_name)
            try:
                group = HostGroup(
                    name=group_name,
                    count=len(names),
                    hosts=fold(names),
                    cpu=hardware.cpu,
                    memory=exact_bytes(hardware.memory_bytes),
                    disks=hardware.disks,
                    nics=hardware.nics,
                    serves=serves or "any",
                )
                disks, more_comments = rated(group.disks, [probe.host for probe in same])
                group = group.model_copy(update={"disks": disks})
            except ValidationError as error:
                raise _refused(error, same[0].file, name) from error
        comments = dict(described.comments)
        for path, words in more_comments.items():
            comments[path] = "; ".join(filter(None, (comments.get(path), words)))
        additions.append(Addition(group, len(names), home is not None, comments, described.left_out))
    return tuple(additions)


def difference(hardware: Hardware, second: Hardware) -> str:
    """In what hosts differ, in words."""
    parts = [
        ("CPUs", _cpu_key(hardware), _cpu_key(second)),
        ("memory", hardware.memory_bytes, second.memory_bytes),
        ("disks", hardware.disks, second.disks),
        ("network ports", hardware.nics, second.nics),
    ]
    return ", ".join(name for name, mine, theirs in parts if mine != theirs) or "processor model"


def _check_names(probes: Sequence[Probe], inventory: Inventory | None) -> None:
    groups = inventory.groups if inventory else ()
    seen = {name.lower(): f"in group {group.name} already" for group in groups for name in group.names}
    for probe in probes:
        name = probe.host.name
        if not is_hostname(name):
            problem = f"{name!r} is not a host name"
            raise UserError(probe.file, problem, "name the host, or correct `name` in the file")
        if name.lower() in seen:
            problem = f"host {name!r} is {seen[name.lower()]}"
            raise UserError(probe.file, problem, "leave this file out; add each host once")
        seen[name.lower()] = f"in {probe.file} too"


def _home(
    hardware: Hardware, inventory: Inventory | None, name: str | None, serves: Serves | None
) -> HostGroup | None:
    """The inventory's group that hosts of this hardware join; raises UserError if the named one differs."""
    for group in inventory.groups if inventory else ():
        if name is not None and group.name != name:
            continue
        theirs = hardware_of(group)
        differs = "" if _is_same(hardware, theirs) else difference(hardware, theirs)
        if not group.hosts:
            differs = differs or "its hosts have no names"
        elif group.racks:
            differs = differs or "it has racks, so each host's rack must be given by hand"
        elif serves not in (None, group.serves):
            differs = differs or f"it serves {group.serves}"
        if not differs:
            return group
        if name is not None:
            problem = f"the hosts cannot join it: {differs}"
            raise UserError(f"--group {name}", problem, "give another name, for a new group")
    return None


def hardware_of(group: HostGroup) -> Hardware:
    """The hardware of a group's hosts, as a probe of them would describe it."""
    unrated = {"outer_bytes_per_s": None, "inner_bytes_per_s": None}
    disks = sorted(group.disks, key=lambda disk_set: (disk_set.kind, disk_set.size_bytes, disk_set.role))
    probed = tuple(disk.model_copy(update=unrated) for disk in disks)
    return Hardware(group.cpu, group.memory_bytes, probed, group.nics)


def _is_same(hardware: Hardware, second: Hardware) -> bool:
    models = {hardware.cpu.model, second.cpu.model} - {None}
    return len(models) < 2 and _cpu_key(hardware) == _cpu_key(second) and hardware[1:] == second[1:]


def _cpu_key(hardware: Hardware) -> tuple[int, ...]:
    cpu = hardware.cpu
    return cpu.sockets, cpu.cores_per_socket, cpu.threads_per_core, cpu.numa_nodes_per_socket


def _refused(error: ValidationError, file: str, name: str | None) -> UserError:
    """The error for a group that cannot be made: of its name, or of what the probe saw."""
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
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)


_INDENTED = re.compile(r"^groups:.*\n(?:\s*(?:#.*)?\n)*( *)- ", re.MULTILINE)


def new_text(additions: Sequence[Addition], cluster: str = "cluster") -> str:
    """An inventory of these groups alone, of a cluster of that name."""
    comments: dict[Keys, str] = {
        ("groups", index, *path): text
        for index, addition in enumerate(additions)
        for path, text in addition.comments.items()
    }
    inventory = Inventory(cluster=cluster, groups=tuple(addition.group for addition in additions))
    return write_inventory(inventory, comments)


def extended_text(text: str, additions: Sequence[Addition]) -> str:
    """An inventory's text with these groups added, and those it has already extended."""
    match = _INDENTED.search(text)
    offset = len(match[1]) if match else 2
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096  # No line is wrapped that was not.
    yaml.indent(mapping=2, sequence=offset + 2, offset=offset)
    document = yaml.load(text)
    groups = document["groups"]
    for addition in additions:
        if addition.existing:
            group = next(group for group in groups if group["name"] == addition.group.name)
            group["count"] = addition.group.count
            group["hosts"][:] = list(addition.group.hosts)
    if fresh := [addition for addition in additions if not addition.existing]:
        for outer in (document, groups):
            outer.fa.set_block_style()  # Between brackets there is no room for comments.
        groups.extend(yaml.load(new_text(fresh))["groups"])
    stream = StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


_HDD_BYTES_PER_S = 190 * 2**20  # The outer zone of a 10,000 rpm disk (D0 32), if an inventory has no rate.


class Notice(Model):
    """Something unusual, to be checked."""

    group: str  # The group of hosts it is about.
    text: str  # What is unusual, and why it matters.
    source: str = ""  # Where that comes from.


def notices(inventory: Inventory) -> tuple[Notice, ...]:
    """Everything unusual, group by group."""
    return tuple(
        Notice(group=group.name, text=text, source=source)
        for group in inventory.groups
        for text, source in _unusual(group)
    )


def _unusual(group: HostGroup) -> Iterator[tuple[str, str]]:
    """What is unusual in a group, and the source of why it matters."""
    total = group.memory_bytes
    if total % GIB:
        meant = f"is {-(-total // GIB)}GiB meant, or {round(total / 10**9)}GiB?"
        yield f"memory is {format_memory(total)}, but modules come in whole GiB: {meant}", ""
    if group.serves != "masters":
        yield from _disks(group)
        yield from _network(group)


def _disks(group: HostGroup) -> Iterator[tuple[str, str]]:
    data = [disk for disk in group.disks if disk.role is DiskRole.DATA]
    if not data:
        yield "no data disk: its hosts can store nothing", ""
    elif group.data_disks == 1:
        limit = "a task at once for each data disk is close to the best there is"
        yield f"one data disk per host: {limit}", "D0 50"
    if len({(disk.kind, disk.size_bytes) for disk in data}) > 1:
        sizes = ", ".join(f"{disk.count} × {format_bytes(disk.size_bytes)} {disk.kind}" for disk in data)
        yield f"data disks differ ({sizes}): the slowest limits all, and the smallest is full first", "D0 151"
    if not any(disk.role is DiskRole.SYSTEM for disk in group.disks):
        sharing = "the operating system and its logs will share a data disk"
        yield f"no disk has the role system: {sharing}", "D0 30"


def _network(group: HostGroup) -> Iterator[tuple[str, str]]:
    """Of three replicas written, two cross the network, so disks outrun it at two thirds of their rate."""
    rates = [
        (disk.count, disk.outer_bytes_per_s or (_HDD_BYTES_PER_S if disk.kind is DiskKind.HDD else None))
        for disk in group.disks
        if disk.role is DiskRole.DATA
    ]
    bytes_per_s = sum(count * rate for count, rate in rates if rate is not None)
    measured = all(disk.outer_bytes_per_s for disk in group.disks if disk.role is DiskRole.DATA)
    assumed = "" if measured else f", at {_HDD_BYTES_PER_S // 2**20} MiB/s each where no outer_rate is given"
    if bytes_per_s * 8 * 2 / 3 > group.network_bits_per_s:
        writing = f"a host's disks write {bytes_per_s * 8 / 10**9:.1f} Gb/s together{assumed}"
        network = f"a network of {group.network_bits_per_s / 10**9:g} Gb/s, which limits them"
        yield f"{writing}; two thirds of three replicas cross {network}", "D0 45, D0 46, D0 48"

"""A laboratory in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.lab.commands import KillMode
from howdah.model.cluster import Deviation, Laboratory, Scaling
from howdah.model.plan import Role
from howdah.units import format_bits_per_s, format_bytes, format_counted, format_memory, format_rate

if TYPE_CHECKING:
    from howdah.lab.commands import Back, Lost
    from howdah.lab.hadoop.hbase import HBaseHealth
    from howdah.lab.hadoop.redundancy import Behind
    from howdah.lab.status import LabStatus, MachineStatus
    from howdah.lab.up import StartedLab

_WIDTH = 8
_STYLE = {"up": "green", "not redundant": "yellow", "degraded": "yellow", "incomplete": "yellow"}
_WORDS = {"not redundant": "up, but another loss may stop it"}
"""How a state is said to a reader, where a word is not enough."""


Fact = tuple[str, str | Text]
"""A label, empty where it is that of the line before, and what is said under it."""


def brought_text(brought: StartedLab) -> RenderableType:
    """What was brought up, how it differs from the plan, and what to do next."""
    state = brought.state
    kinds = [machine.kind for machine in state.machines]
    hosts = format_counted(len({machine.host for machine in state.machines}), "host")
    started = format_counted(len(brought.started), "daemon") if brought.started else "nothing"
    changed = format_counted(len(state.laboratory.deviations), "value")
    lost = ", ".join(isolation.what for isolation in state.laboratory.isolation if not isolation.kept)
    jobs = any(Role.RESOURCEMANAGER in machine.roles for machine in state.machines)
    return _facts(
        [
            ("up", f"{state.name}: {' and '.join(_counted(kinds))} on {hosts}; {started} started"),
            ("files", str(state.directory)),
            *_scaled(state.laboratory, state.notes),
            ("not kept", lost),
            ("changed", f"{changed} of the configuration; howdah lab status lists the reasons"),
            *_behind(brought.behind),
            ("next", "howdah run terasuite --engine hadoop" if jobs else "howdah lab ssh client"),
        ]
    )


def lost_text(name: str, lost: Lost) -> str:
    """What was taken from a laboratory."""
    ended = f"{len(lost.ended)} process{'' if len(lost.ended) == 1 else 'es'} ended"
    if lost.how is not KillMode.HOST:
        return f"{name}: {ended}"
    links = "link down" if len(lost.machines) == 1 else f"{len(lost.machines)} links down"
    return f"{name}: {links}, {ended}"


def back_text(name: str, back: Back) -> RenderableType:
    """What a laboratory has again, and what could not stand in for another one yet."""
    done = ["link up" if machine.name == name else f"link of {machine.name} up" for machine in back.joined]
    if back.started:
        where = {
            daemon: "" if daemon.machine.name == name else f" on {daemon.machine.name}"
            for daemon in back.started
        }
        done.append(f"started {', '.join(f'{daemon.program}{on}' for daemon, on in where.items())}")
    return Group(Text(f"{name}: {', '.join(done) or 'all its daemons run'}"), _facts(_behind(back.behind)))


def status_text(status: LabStatus) -> RenderableType:
    """Machines with their limits and daemons, then what is held to the plan and what is not."""
    state = _WORDS.get(status.state, status.state)
    head = Text.assemble((state, _STYLE[status.state]), f", Hadoop {status.hadoop}")
    if status.hbase:
        head.append(f", HBase {status.hbase}")
    if status.missing:
        head.append(f"; missing: {', '.join(status.missing)}")
    files = ("plan", status.plan), ("files", str(status.directory))
    behind = _behind(status.health.behind) if status.health else ()
    faults = [("" if at else "active", fault) for at, fault in enumerate(status.faults)]
    shared = _shared(status.shared)
    differences = (
        *_isolation(status.laboratory),
        *_scaled(status.laboratory, status.notes),
        *_changed(status.laboratory),
    )
    return Group(
        _facts([(status.name, head), *faults, *behind, *shared, *files, *_health(status)]),
        Text(),
        _machines(status.machines),
        Text(),
        _facts(differences),
    )


def _shared(shared: Mapping[str, Sequence[str]]) -> Iterator[Fact]:
    for at, (lab, hosts) in enumerate(shared.items()):
        yield ("" if at else "shared", f"{', '.join(hosts)} with lab {lab}, which uses the same uplinks")


def _counted(kinds: Sequence[str]) -> Iterator[str]:
    for kind in ("worker", "master"):
        if number := kinds.count(kind):
            yield format_counted(number, kind)


def _machines(machines: Iterable[MachineStatus]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in ("machine", "host", "address"):
        table.add_column(column, no_wrap=True)
    for column in ("CPU", "memory", "uplink"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("disks")
    table.add_column("daemons")
    for machine in machines:
        table.add_row(
            machine.name,
            machine.host,
            machine.address,
            f"{machine.cpus:.2g}" if machine.cpus else "–",
            format_memory(machine.memory_bytes) if machine.memory_bytes else "–",
            format_bits_per_s(machine.uplink_bits_per_s) if machine.uplink_bits_per_s else "–",
            _disks(machine),
            _daemons(machine),
        )
    return table


def _disks(machine: MachineStatus) -> str:
    alike = groupby(machine.disks, key=attrgetter("size_bytes", "bytes_per_s"))
    return ", ".join(_disk(len(list(disks)), size_bytes, rate) for (size_bytes, rate), disks in alike) or "–"


def _disk(count: int, size_bytes: int | None, rate: int | None) -> str:
    if size_bytes is None:
        return f"{count} plain, unlimited"
    speed = f" at {format_rate(rate)}" if rate else ""
    return f"{count} × {format_bytes(size_bytes)}{speed}"


def _daemons(machine: MachineStatus) -> Text:
    text = Text("link down", "red") if machine.link == "down" else Text()
    for daemon in machine.daemons:
        text.append(", " if text else "")
        text.append(
            f"{daemon.name} {daemon.pid}" if daemon.pid else f"{daemon.name} down",
            "" if daemon.pid else "red",
        )
    return text


def _health(status: LabStatus) -> Iterator[Fact]:
    if status.health is None:
        yield ("hadoop", "does not answer")
        return
    yield (
        "HDFS",
        f"{_states(status.health.namenodes)}, {format_counted(len(status.health.datanodes), 'DataNode')}"
        + (f"; {status.health.safe_mode}" if status.health.safe_mode else ""),
    )
    if status.health.history_server is not None:
        yield (
            "YARN",
            f"{_states(status.health.resource_managers)}, "
            f"{format_counted(len(status.health.nodemanagers), 'NodeManager')}; "
            f"history server {'answers' if status.health.history_server else 'does not answer'}",
        )
    if status.health.hbase is not None:
        yield ("HBase", _hbase(status.health.hbase))


def _hbase(said: HBaseHealth) -> str:
    """Who leads, how many regions each RegionServer serves, and who was given up."""
    masters = ", ".join(f"{name} {state}" for name, state in said.masters.items())
    servers = format_counted(len(said.regionservers), "RegionServer")
    regions = ", ".join(f"{name} {count}" for name, count in said.regionservers.items())
    return (
        f"{masters or 'no HMaster answers'}; {servers}"
        + (f", regions: {regions}" if regions else "")
        + (f"; dead: {', '.join(said.dead)}" if said.dead else "")
    )


def _behind(ones: Iterable[Behind]) -> Iterator[Fact]:
    """What lacks, then what helps, which is the same for all of a kind."""
    ones = list(ones)
    for number, journal in enumerate(ones):
        yield ("behind" if number == 0 else "", journal.what)
    for remedy in dict.fromkeys(journal.remedy for journal in ones):
        yield ("", remedy)


def _states(states: dict[str, str]) -> str:
    return ", ".join(f"{url.partition('//')[2]} {said or 'does not answer'}" for url, said in states.items())


def _isolation(laboratory: Laboratory) -> Iterator[Fact]:
    for kept, label in ((True, "kept"), (False, "not kept")):
        ones = [isolation for isolation in laboratory.isolation if isolation.kept is kept]
        for number, aspect in enumerate(ones):
            yield (label if number == 0 else "", f"{aspect.what}: {aspect.how}")


def _scaled(laboratory: Laboratory, notes: Iterable[str]) -> Iterator[Fact]:
    for number, text in enumerate([*map(_smaller, laboratory.scaling), *notes]):
        yield ("scaled" if number == 0 else "", text)


def _changed(laboratory: Laboratory) -> Iterator[Fact]:
    for number, (why, ones) in enumerate(_by_reason(laboratory.deviations)):
        listed = ", ".join(deviation.key for deviation in ones)
        yield ("changed" if number == 0 else "", f"{listed}: {why}")


def _by_reason(deviations: Iterable[Deviation]) -> list[tuple[str, list[Deviation]]]:
    result: dict[str, list[Deviation]] = {}
    for deviation in deviations:
        result.setdefault(deviation.why, []).append(deviation)
    return list(result.items())


def _smaller(scaling: Scaling) -> str:
    return (
        f"{scaling.what}: {_amount(scaling, scaling.planned)} planned, {_amount(scaling, scaling.lab)} here"
    )


def _amount(scaling: Scaling, value: float) -> str:
    if scaling.unit == "B":
        return format_memory(value) if scaling.what.startswith("memory") else format_bytes(value)
    if scaling.unit == "bit/s":
        return format_bits_per_s(value)
    return format_rate(value) if scaling.unit == "B/s" else f"{value:g}"


def _facts(facts: Iterable[Fact]) -> Table:
    """Labels in a column of their own, so that long lines go on under their beginnings."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(style="bold", min_width=_WIDTH, no_wrap=True)
    table.add_column()
    for label, text in facts:
        table.add_row(label, text)
    return table

"""A laboratory in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.cluster import Deviation, Laboratory, Scaling
from howdah.model.plan import Role
from howdah.session.lab import Brought, LabStatus, MachineStatus
from howdah.units import format_bits_per_s, format_bytes, format_counted, format_memory, format_rate

_WIDTH = 8
_STYLE = {"up": "green", "degraded": "yellow", "incomplete": "yellow"}


Fact = tuple[str, str | Text]
"""A label, empty where it is that of the line before, and what is said under it."""


def brought_text(brought: Brought) -> RenderableType:
    """What was brought up, how it differs from the plan, and what to do next."""
    state = brought.state
    kinds = [machine.kind for machine in state.machines]
    hosts = format_counted(len({machine.host for machine in state.machines}), "host")
    started = format_counted(len(brought.started), "daemon") if brought.started else "nothing had to be"
    changed = format_counted(len(state.laboratory.deviations), "value")
    lost = ", ".join(one.what for one in state.laboratory.isolation if not one.kept)
    jobs = any(Role.RESOURCEMANAGER in machine.roles for machine in state.machines)
    return _facts(
        [
            ("up", f"{state.name}: {' and '.join(_counted(kinds))} on {hosts}; {started} started"),
            ("files", str(state.directory)),
            *_scaled(state.laboratory, state.notes),
            ("not kept", lost),
            ("changed", f"{changed} of the configuration; howdah lab status says why"),
            ("next", "howdah run terasuite --engine hadoop" if jobs else "howdah lab ssh client"),
        ]
    )


def status_text(found: LabStatus) -> RenderableType:
    """Machines with their limits and daemons, then what is held to the plan and what is not."""
    head = Text.assemble((found.state, _STYLE[found.state]), f", Hadoop {found.hadoop}")
    if found.awaited:
        head.append(f"; missing: {found.awaited}")
    files = ("plan", found.plan), ("files", str(found.directory))
    differences = (
        *_isolation(found.laboratory),
        *_scaled(found.laboratory, found.notes),
        *_changed(found.laboratory),
    )
    return Group(
        _facts([(found.name, head), *files, *_health(found)]),
        Text(),
        _machines(found.machines),
        Text(),
        _facts(differences),
    )


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
    for one in machines:
        table.add_row(
            one.name,
            one.host,
            one.address,
            f"{one.cpus:.2g}" if one.cpus else "–",
            format_memory(one.memory_bytes) if one.memory_bytes else "–",
            format_bits_per_s(one.uplink_bits_per_s) if one.uplink_bits_per_s else "–",
            _disks(one),
            _daemons(one),
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
    text = Text()
    for one in machine.daemons:
        text.append(", " if text else "")
        text.append(f"{one.name} {one.pid}" if one.pid else f"{one.name} down", "" if one.pid else "red")
    return text


def _health(found: LabStatus) -> Iterator[Fact]:
    if found.health is None:
        yield ("hadoop", "does not answer")
        return
    yield (
        "HDFS",
        f"{_states(found.health.namenodes)}, {format_counted(len(found.health.datanodes), 'DataNode')}"
        + (f"; {found.health.safe_mode}" if found.health.safe_mode else ""),
    )
    if found.health.history_server is None:
        return
    yield (
        "YARN",
        f"{_states(found.health.resource_managers)}, "
        f"{format_counted(len(found.health.nodemanagers), 'NodeManager')}; "
        f"history server {'answers' if found.health.history_server else 'does not answer'}",
    )


def _states(states: dict[str, str]) -> str:
    return ", ".join(f"{url.partition('//')[2]} {said or 'does not answer'}" for url, said in states.items())


def _isolation(laboratory: Laboratory) -> Iterator[Fact]:
    for kept, label in ((True, "kept"), (False, "not kept")):
        ones = [one for one in laboratory.isolation if one.kept is kept]
        for number, one in enumerate(ones):
            yield (label if number == 0 else "", f"{one.what}: {one.how}")


def _scaled(laboratory: Laboratory, notes: Iterable[str]) -> Iterator[Fact]:
    for number, text in enumerate([*map(_smaller, laboratory.scaling), *notes]):
        yield ("scaled" if number == 0 else "", text)


def _changed(laboratory: Laboratory) -> Iterator[Fact]:
    for number, (why, ones) in enumerate(_by_reason(laboratory.deviations)):
        listed = ", ".join(one.key for one in ones)
        yield ("changed" if number == 0 else "", f"{listed}: {why}")


def _by_reason(deviations: Iterable[Deviation]) -> list[tuple[str, list[Deviation]]]:
    found: dict[str, list[Deviation]] = {}
    for one in deviations:
        found.setdefault(one.why, []).append(one)
    return list(found.items())


def _smaller(one: Scaling) -> str:
    return f"{one.what}: {_amount(one, one.planned)} planned, {_amount(one, one.lab)} here"


def _amount(one: Scaling, value: float) -> str:
    if one.unit == "B":
        return format_memory(value) if one.what.startswith("memory") else format_bytes(value)
    if one.unit == "bit/s":
        return format_bits_per_s(value)
    return format_rate(value) if one.unit == "B/s" else f"{value:g}"


def _facts(facts: Iterable[Fact]) -> Table:
    """Labels in a column of their own, so that long lines go on under their beginnings."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(style="bold", min_width=_WIDTH, no_wrap=True)
    table.add_column()
    for label, text in facts:
        table.add_row(label, text)
    return table

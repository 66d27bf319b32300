"""A laboratory in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from rich.console import RenderableType

from howdah.model.cluster import KillMode, Laboratory, Scaling
from howdah.model.plan import Role
from howdah.report.document import FactList, Paragraph, Table, present
from howdah.report.terminal import blocks
from howdah.units import format_bits_per_s, format_bytes, format_counted, format_memory, format_rate, listed

if TYPE_CHECKING:
    from howdah.lab.building import StartedLab
    from howdah.lab.commands import Back, Lost
    from howdah.lab.hadoop.reports import Behind, HBaseHealth
    from howdah.lab.status import LabStatus, MachineStatus

_WORDS = {"not redundant": "up, but another loss may stop it"}  # States that a word does not explain.

Fact = tuple[str, str]


def brought_text(brought: StartedLab) -> RenderableType:
    """What was brought up, how it differs from the plan, and what to do next."""
    state = brought.state
    kinds = Counter(machine.kind for machine in state.machines)
    counts = (format_counted(kinds[kind], kind) for kind in ("worker", "master") if kinds[kind])
    hosts = format_counted(len({machine.host for machine in state.machines}), "host")
    started = format_counted(len(brought.started), "daemon") if brought.started else "nothing"
    changed = format_counted(len(state.laboratory.deviations), "value")
    lost = ", ".join(isolation.what for isolation in state.laboratory.isolation if not isolation.kept)
    jobs = any(Role.RESOURCEMANAGER in machine.roles for machine in state.machines)
    facts: list[Fact] = [
        ("up", f"{state.name}: {listed(counts)} on {hosts}; {started} started"),
        ("files", str(state.directory)),
        *_scaled(state.laboratory, state.notes),
        ("not kept", lost),
        ("changed", f"{changed} of the configuration; howdah lab status lists the reasons"),
        *_behind(brought.behind),
        ("next", "howdah run terasuite --engine hadoop" if jobs else "howdah lab ssh client"),
    ]
    return blocks(FactList("", tuple((label, text) for label, text in facts if text)))


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
    started = ((daemon.program, daemon.machine.name) for daemon in back.started)
    daemons = [program if machine == name else f"{program} on {machine}" for program, machine in started]
    done += [f"started {', '.join(daemons)}"] if daemons else []
    paragraph = Paragraph(f"{name}: {', '.join(done) or 'all its daemons run'}")
    return blocks(*present(paragraph, FactList("", tuple(_behind(back.behind)))))


def status_text(status: LabStatus) -> RenderableType:
    """Machines with their limits and daemons, then what is held to the plan and what is not."""
    head = f"{_WORDS.get(status.state, status.state)}, Hadoop {status.hadoop}"
    if status.hbase:
        head += f", HBase {status.hbase}"
    if status.missing:
        head += f"; missing: {', '.join(status.missing)}"
    facts = (
        (status.name, head),
        *(("active", fault) for fault in status.faults),
        *(_behind(status.health.behind) if status.health else ()),
        *(
            ("shared", f"{', '.join(hosts)} with lab {lab}, which uses the same uplinks")
            for lab, hosts in status.shared.items()
        ),
        ("plan", status.plan),
        ("files", str(status.directory)),
        *_health(status),
    )
    reasons: dict[str, list[str]] = {}
    for deviation in status.laboratory.deviations:
        reasons.setdefault(deviation.why, []).append(deviation.key)
    isolation = sorted(status.laboratory.isolation, key=lambda aspect: not aspect.kept)
    differences = (
        *(("kept" if aspect.kept else "not kept", f"{aspect.what}: {aspect.how}") for aspect in isolation),
        *_scaled(status.laboratory, status.notes),
        *(("changed", f"{', '.join(keys)}: {why}") for why, keys in reasons.items()),
    )
    return blocks(*present(FactList("", facts), _machines(status.machines), FactList("", differences)))


def _machines(machines: Iterable[MachineStatus]) -> Table:
    rows = []
    for machine in machines:
        cpus = f"{machine.cpus:.2g}" if machine.cpus else "–"
        memory = format_memory(machine.memory_bytes) if machine.memory_bytes else "–"
        uplink = format_bits_per_s(machine.uplink_bits_per_s) if machine.uplink_bits_per_s else "–"
        daemons = ["link down"] if machine.link == "down" else []
        daemons += [f"{daemon.name} {daemon.pid or 'down'}" for daemon in machine.daemons]
        place = (machine.name, machine.host, machine.address)
        rows.append((*place, cpus, memory, uplink, _disks(machine), ", ".join(daemons)))
    columns = ("machine", "host", "address", "CPU", "memory", "uplink", "disks", "daemons")
    return Table(columns, tuple(rows))


def _disks(machine: MachineStatus) -> str:
    texts = []
    for (size_bytes, rate), disks in groupby(machine.disks, key=attrgetter("size_bytes", "bytes_per_s")):
        size = f" × {format_bytes(size_bytes)}" if size_bytes is not None else " plain, unlimited"
        speed = f" at {format_rate(rate)}" if rate and size_bytes is not None else ""
        texts.append(f"{len(list(disks))}{size}{speed}")
    return ", ".join(texts) or "–"


def _health(status: LabStatus) -> Iterator[Fact]:
    health = status.health
    if health is None:
        yield ("hadoop", "does not answer")
        return
    safe_mode = f"; {health.safe_mode}" if health.safe_mode else ""
    datanodes = format_counted(len(health.datanodes), "DataNode")
    yield ("HDFS", f"{_states(health.namenodes)}, {datanodes}{safe_mode}")
    if health.history_server is not None:
        nodemanagers = format_counted(len(health.nodemanagers), "NodeManager")
        history = f"history server {'answers' if health.history_server else 'does not answer'}"
        yield ("YARN", f"{_states(health.resource_managers)}, {nodemanagers}; {history}")
    if health.hbase is not None:
        yield ("HBase", _hbase(health.hbase))


def _hbase(health: HBaseHealth) -> str:
    masters = ", ".join(f"{name} {state}" for name, state in health.masters.items())
    servers = format_counted(len(health.regionservers), "RegionServer")
    regions = ", ".join(f"{name} {count}" for name, count in health.regionservers.items())
    text = f"{masters or 'no HMaster answers'}; {servers}"
    text += f", regions: {regions}" if regions else ""
    return text + (f"; dead: {', '.join(health.dead)}" if health.dead else "")


def _behind(lags: Iterable[Behind]) -> Iterator[Fact]:
    """What lacks, then what helps, which is the same for all of a kind."""
    lags = list(lags)
    texts = (*(lag.what for lag in lags), *dict.fromkeys(lag.remedy for lag in lags))
    return (("behind", text) for text in texts)


def _states(states: dict[str, str]) -> str:
    texts = (f"{url.partition('//')[2]} {state or 'does not answer'}" for url, state in states.items())
    return ", ".join(texts)


def _scaled(laboratory: Laboratory, notes: Iterable[str]) -> Iterator[Fact]:
    for scaling in laboratory.scaling:
        planned, here = _amount(scaling, scaling.planned), _amount(scaling, scaling.lab)
        yield "scaled", f"{scaling.what}: {planned} planned, {here} here"
    yield from (("scaled", note) for note in notes)


def _amount(scaling: Scaling, value: float) -> str:
    if scaling.unit == "B":
        return format_memory(value) if scaling.what.startswith("memory") else format_bytes(value)
    if scaling.unit == "bit/s":
        return format_bits_per_s(value)
    return format_rate(value) if scaling.unit == "B/s" else f"{value:g}"

"""Where everything is: racks, their hosts, the workers on these, and how many replicas lie on each."""

from __future__ import annotations

from itertools import groupby
from math import ceil
from typing import Any, NamedTuple

from howdah.analysis.evidence.volumes import ReplicaBalance
from howdah.model.placement import placed_hosts
from howdah.report import vega
from howdah.report.document import Figure, Table
from howdah.report.figures.timeaxis import FigureSource
from howdah.units import format_counted

SHEET = 964  # The width of the still picture's plot, pixels.
_SIDE = 8
_TOKENS = ("band", "phase-3", "disk-write", "ink")
_TONES = (
    ("strong", "$ink", "bold"),
    ("ink", "$ink", "normal"),
    ("muted", "$muted", "normal"),
    ("fault", "$fault", "bold"),
)


class Place(NamedTuple):
    """One worker with its replicas, one count for each workload that wrote (None: not said)."""

    name: str
    replicas: tuple[int | None, ...]
    lost: bool


class HostPlace(NamedTuple):
    """One host: its workers, and the masters on it in words."""

    name: str
    workers: tuple[Place, ...]
    masters: tuple[str, ...]


class PlacedRack(NamedTuple):
    """A rack, nameless where no plan tells, and its hosts."""

    name: str
    hosts: tuple[HostPlace, ...]


def placed_racks(source: FigureSource, balances: tuple[ReplicaBalance, ...]) -> tuple[PlacedRack, ...]:
    """The racks by name, those without workers last; their hosts in the plan's order."""
    counts = [balance.spread.per_worker for balance in balances]
    lost = {event.worker for event in source.record.events if event.kind.endswith("-lost")}
    cluster = source.record.plan.cluster
    masters = {
        host.name: tuple(f"{master.name}: {', '.join(master.roles)}" for master in host.masters)
        for host in (placed_hosts(cluster) if cluster else ())
    }
    by_host: dict[tuple[str, str], list[Place]] = {}
    for machine in source.evidence.machines:
        if not machine.planned:
            continue
        here = by_host.setdefault((machine.rack, machine.host), [])
        if machine.level == "worker":
            replicas = tuple(count.get(machine.name) for count in counts)
            here.append(Place(machine.name, replicas, machine.name in lost))
    working = {rack for (rack, _), here in by_host.items() if here}
    ordered = sorted(by_host.items(), key=lambda item: (item[0][0] not in working, item[0][0]))
    return tuple(
        PlacedRack(
            rack, tuple(HostPlace(host, tuple(here), masters.get(host, ())) for (_, host), here in group)
        )
        for rack, group in groupby(ordered, key=lambda item: item[0][0])
    )


class Sheet:
    """What has been put on it so far."""

    def __init__(self) -> None:
        self.boxes: list[dict[str, Any]] = []
        self.words: list[dict[str, Any]] = []

    def box(
        self, x: float, y: float, *, wide: float, tall: float, token: str, shade: float = 1.0, title: str = ""
    ) -> None:
        """A box in a colour of the palette; ``title`` is said when one points at it."""
        place = {"x": x, "x2": x + wide, "y": y, "y2": y + tall}
        self.boxes.append({**place, "token": token, "shade": shade, "title": title})

    def word(self, x: float, y: float, text: str, *, room: float, tone: str = "ink") -> None:
        """One line of words from ``x`` on, cut where it is wider than ``room``; ``y`` is its middle.

        ``tone`` is ``ink``, ``strong``, ``muted`` or ``fault``.
        """
        self.words.append({"x": x, "end": x + room, "y": y, "text": text, "tone": tone})

    def spec(self, height: float) -> dict[str, Any]:
        x = vega.scaled([0, SHEET], zero=False)
        y = vega.scaled([0, height], down=True, zero=False)
        box = {"type": "rect", "cornerRadius": 2, "fillOpacity": {"expr": "datum.shade"}}
        colour = vega.coloured_by("token", {token: token for token in _TOKENS})
        place = {**vega.spans(x, y), "color": colour, "tooltip": vega.tips(title="what")}
        limit = {"expr": "max(1, scale('x', datum.end) - scale('x', datum.x))"}
        words = (
            vega.texts(
                [word for word in self.words if word["tone"] == tone],
                {"x": vega.on(x, "x"), "y": vega.on(y, "y")},
                baseline="middle", fontSize=11, color=colour, fontWeight=weight, limit=limit,
            )
            for tone, colour, weight in _TONES
        )  # fmt: skip
        layers = [vega.layer(self.boxes, box, place, name=vega.DATA), *vega.filled(*words)]
        return vega.chart(layers, height=height, width=SHEET, top=4, bottom=8, left=_SIDE, right=_SIDE)


MOST_DETAILED = 40  # More workers than this are drawn as cells, without numbers.
_ACROSS = 4
_BOX_GAP, _PAD, _LINE, _RACK_NAME = 14.0, 8.0, 16.0, 24.0
_NAMED, _COUNT = 88.0, 30.0  # Room for a workload's name left of a bar, and for the count right of it.
_CELL, _STEP, _GAP, _HEAD, _NAME = 11.0, 13.0, 12.0, 22.0, 14.0
_BETWEEN = 28.0  # Room between racks, wider than that between hosts, pixels.
MOST_NAMED = 96  # More hosts than this have no room for their names.
_LEAST_SHADE = 0.12


def topology(source: FigureSource) -> Figure | None:
    """The figure; None off a cluster, or where nobody names a worker."""
    workers = [machine for machine in source.evidence.machines if machine.level == "worker"]
    if source.record.cluster is None or not workers:
        return None
    balances = source.evidence.replicas
    racks = placed_racks(source, balances)
    detailed = len(workers) <= MOST_DETAILED
    names = tuple(balance.workload for balance in balances)
    most = tuple(max(balance.replicas, default=0) for balance in balances)
    counts = [balance.spread.per_worker for balance in balances]
    rows = (
        (worker.name, worker.host, worker.rack, *(str(count.get(worker.name, "–")) for count in counts))
        for worker in workers
    )
    columns = ("worker", "host", "rack", *(f"{balance.workload}, replicas" for balance in balances))
    return Figure(
        id="topology",
        title="Where everything is" + (", and how replicas are spread" if balances else ""),
        caption=_caption(racks, balances, detailed=detailed),
        spec=hosts(racks, names, most) if detailed else cells(racks, names),
        table=Table(columns, tuple(rows)),
        marks=len(workers) * (1 + len(balances)),
        least_width=vega.LEAST_WIDTH,
    )


def _caption(racks: tuple[PlacedRack, ...], balances: tuple[ReplicaBalance, ...], *, detailed: bool) -> str:
    every = [host for rack in racks for host in rack.hosts]
    workers = sum(len(host.workers) for host in every)
    sentences = [f"{format_counted(len(every), 'host')} with {format_counted(workers, 'worker')}."]
    for balance in balances:
        spread = balance.spread
        replicas = format_counted(sum(balance.replicas), "replica")
        above = 100 * (balance.max_over_mean - 1)
        even = "spread evenly" if above < 0.5 else f"the fullest DataNode {above:.0f} % above the mean"
        shared = f"{spread.sharing_host:,}" if spread.sharing_host else "none"
        text = f"{balance.workload}: {replicas} of {format_counted(spread.blocks, 'block')}, {even}; "
        text += f"{shared} with two replicas on one host"
        if spread.under_replicated or spread.missing:
            text += f"; {spread.under_replicated:,} with too few replicas, {spread.missing:,} with none"
        sentences.append(f"{text}.")
    if not detailed and balances:
        last = balances[-1]
        sentences.append(
            f"Every cell is a worker: the lightest hold {min(last.replicas):,} replicas of {last.workload}, "
            f"the darkest {max(last.replicas):,}."
        )
    if not detailed and any(worker.lost for host in every for worker in host.workers):
        sentences.append("Workers lost during the run are drawn in the colour of this text.")
    return " ".join(sentences)


def hosts(racks: tuple[PlacedRack, ...], names: tuple[str, ...], most: tuple[int, ...]) -> dict[str, Any]:
    """The spec; ``names`` are the workloads that wrote replicas, ``most`` their largest counts."""
    sheet, written = Sheet(), tuple(zip(names, most, strict=True))
    across = min(_ACROSS, max(2, *(len(rack.hosts) for rack in racks)))
    wide = (SHEET - (across - 1) * _BOX_GAP) / across
    y = 0.0
    for rack in racks:
        if rack.name:
            sheet.word(0, y + 10, rack.name, room=SHEET, tone="strong")
            y += _RACK_NAME
        for start in range(0, len(rack.hosts), across):
            row = rack.hosts[start : start + across]
            tops = [
                _detailed_host(sheet, host, place * (wide + _BOX_GAP), y, wide=wide, written=written)
                for place, host in enumerate(row)
            ]
            y += max(tops) + _BOX_GAP
    return sheet.spec(y)


_Written = tuple[tuple[str, int], ...]  # Workloads that wrote replicas, each with its largest count.


def _detailed_host(
    sheet: Sheet, host: HostPlace, x: float, y: float, *, wide: float, written: _Written
) -> float:
    """Draw a host; return its height."""
    worker_tall = _LINE * (1 + len(written)) + 4
    tall = 2 * _PAD + _LINE * (1 + len(host.masters)) + worker_tall * len(host.workers)
    title = f"{host.name}: {format_counted(len(host.workers), 'worker')}"
    sheet.box(x, y, wide=wide, tall=tall, token="band", title=title)
    room = wide - 2 * _PAD
    sheet.word(x + _PAD, y + _PAD + 6, host.name, room=room, tone="strong")
    y += _PAD + _LINE
    for master in host.masters:
        sheet.word(x + _PAD, y + 6, master, room=room, tone="muted")
        y += _LINE
    for worker in host.workers:
        name = "the host itself" if worker.name == host.name else worker.name
        _worker(sheet, worker, x + _PAD, y + 2, name=name, room=room, written=written)
        y += worker_tall
    return tall


def _worker(
    sheet: Sheet, worker: Place, x: float, y: float, *, name: str, room: float, written: _Written
) -> None:
    if worker.lost:
        sheet.word(x, y + 6, f"{name}, lost during the run", room=room, tone="fault")
    else:
        sheet.word(x, y + 6, name, room=room)
    bar = room - _NAMED - _COUNT
    for line, ((workload, top), count) in enumerate(zip(written, worker.replicas, strict=True)):
        middle = y + 6 + _LINE * (line + 1)
        count_text = "not known" if count is None else format_counted(count, "replica")
        title = f"{worker.name}: {count_text} of {workload}"
        wide = bar * (count or 0) / max(1, top)
        sheet.word(x, middle, workload, room=_NAMED - 6, tone="muted")
        sheet.box(x + _NAMED, middle - 5, wide=bar, tall=10, token="phase-3", shade=0.35, title=title)
        sheet.box(x + _NAMED, middle - 5, wide=wide, tall=10, token="disk-write", shade=0.85, title=title)
        sheet.word(x + _NAMED + bar + 6, middle, "–" if count is None else f"{count:,}", room=_COUNT - 6)


def cells(racks: tuple[PlacedRack, ...], names: tuple[str, ...]) -> dict[str, Any]:
    """The spec: racks side by side if there is room; the last workload of ``names`` gives the shades."""
    hosts = [host for rack in racks for host in rack.hosts]
    counts = [worker.replicas[-1] for host in hosts for worker in host.workers if names]
    counted = [count for count in counts if count is not None]
    sheet = _Cells(names, (min(counted, default=0), max(counted, default=0)), named=len(hosts) <= MOST_NAMED)
    x = y = deepest = 0.0
    for rack in racks:
        rows, wide = sheet.rows_of(rack)
        if x and x + wide > SHEET:
            x, y, deepest = 0.0, y + deepest, 0.0
        deepest = max(deepest, sheet.rack(rack.name, rows, x, y, wide))
        x += wide + _BETWEEN
    return sheet.spec(y + deepest)


class _Cells(Sheet):
    """A sheet of cells: the workloads, the replicas' span in the last of them, and if hosts are named."""

    def __init__(self, names: tuple[str, ...], span: tuple[int, int], *, named: bool) -> None:
        super().__init__()
        self.names, self.span, self.named = names, span, named

    def wide(self, host: HostPlace) -> float:
        return max(_box_wide(host), 44.0 if self.named else 0.0)

    def rows_of(self, rack: PlacedRack) -> tuple[list[list[HostPlace]], float]:
        """The hosts of a rack row by row, and the width of the widest row."""
        rows: list[list[HostPlace]] = [[]]
        x = wide = 0.0
        for host in rack.hosts:
            if x and x + self.wide(host) > SHEET:
                x = 0.0
                rows.append([])
            rows[-1].append(host)
            wide = max(wide, x + self.wide(host))
            x += self.wide(host) + _GAP
        return rows, wide

    def rack(self, name: str, rows: list[list[HostPlace]], x: float, top: float, wide: float) -> float:
        """Draw a rack with its name above its hosts; return its height."""
        y = top
        if name:
            self.word(x, y + 8, name, room=wide + _GAP, tone="strong")
            y += _HEAD
        for row in rows:
            left = x
            for host in row:
                self.host(host, left, y)
                left += self.wide(host) + _GAP
            y += max(map(_tall, row), default=0.0) + (_NAME if self.named else 0.0) + _GAP
        return y - top

    def host(self, host: HostPlace, x: float, y: float) -> None:
        if self.named:
            name = host.name.partition(".")[0]
            self.word(x, y + 5, name, room=self.wide(host) + _GAP - 2, tone="muted")
            y += _NAME
        title = "; ".join([f"{host.name}: {format_counted(len(host.workers), 'worker')}", *host.masters])
        self.box(x, y, wide=_box_wide(host), tall=_tall(host), token="band", title=title)
        for place, worker in enumerate(host.workers):
            left, top = x + 3 + _STEP * (place % _across(host)), y + 3 + _STEP * (place // _across(host))
            token, shade = _shade(worker, self.span)
            facts = ["lost during the run"] if worker.lost else []
            facts += [
                f"{format_counted(count, 'replica')} of {name}"
                for name, count in zip(self.names, worker.replicas, strict=True)
                if count is not None
            ]
            title = ": ".join(filter(None, (worker.name, ", ".join(facts))))
            self.box(left, top, wide=_CELL, tall=_CELL, token=token, shade=shade, title=title)


def _across(host: HostPlace) -> int:
    return max(1, min(5, len(host.workers)))


def _box_wide(host: HostPlace) -> float:
    return _STEP * _across(host) + 4


def _tall(host: HostPlace) -> float:
    return _STEP * max(1, ceil(len(host.workers) / _across(host))) + 4


def _shade(worker: Place, span: tuple[int, int]) -> tuple[str, float]:
    """Light for the fewest replicas, dark for the most; a worker that was lost has the colour of ink."""
    if worker.lost:
        return "ink", 1.0
    count = worker.replicas[-1] if worker.replicas else None
    if count is None:
        return "phase-3", 1.0
    least, most = span
    part = (count - least) / (most - least) if most > least else 0.5
    return "disk-write", round(_LEAST_SHADE + (1 - _LEAST_SHADE) * part, 3)

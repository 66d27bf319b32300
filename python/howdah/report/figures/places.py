"""Where a cluster's workers lie, and the sheet on which they are drawn."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

from howdah.analysis.evidence.volumes import ReplicaBalance
from howdah.model.placement import placed_hosts
from howdah.report.figure import FigureSource
from howdah.report.theme import DATA, chart, layer, scaled, tips

SHEET = 964
"""The width of the still picture's plot, pixels."""
_SIDE = 8
_TOKENS = ("band", "phase-3", "disk-write", "ink")


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
    counts = [dict(zip(balance.names, balance.replicas, strict=True)) for balance in balances]
    lost = {event.worker for event in source.record.events if event.kind.endswith("-lost")}
    masters = _masters(source)
    by_host: dict[tuple[str, str], list[Place]] = {}
    for machine in source.evidence.machines:
        if not machine.planned:
            continue
        here = by_host.setdefault((machine.rack, machine.host), [])
        if machine.level == "worker":
            here.append(
                Place(machine.name, tuple(count.get(machine.name) for count in counts), machine.name in lost)
            )
    working = {rack for (rack, _), here in by_host.items() if here}
    ordered = sorted(by_host.items(), key=lambda item: (item[0][0] not in working, item[0][0]))
    return tuple(
        PlacedRack(
            rack, tuple(HostPlace(host, tuple(here), masters.get(host, ())) for (_, host), here in group)
        )
        for rack, group in groupby(ordered, key=lambda item: item[0][0])
    )


def _masters(source: FigureSource) -> dict[str, tuple[str, ...]]:
    cluster = source.record.plan.cluster
    if cluster is None:
        return {}
    return {
        host.name: tuple(f"{master.name}: {', '.join(master.roles)}" for master in host.masters)
        for host in placed_hosts(cluster)
        if host.masters
    }


class Sheet:
    """What has been put on it so far."""

    def __init__(self) -> None:
        self.boxes: list[dict[str, Any]] = []
        self.words: list[dict[str, Any]] = []

    def box(
        self, x: float, y: float, *, wide: float, tall: float, token: str, shade: float = 1.0, title: str = ""
    ) -> None:
        """A box in a colour of the palette; ``title`` is said when one points at it."""
        self.boxes.append(
            {"x": x, "x2": x + wide, "y": y, "y2": y + tall, "token": token, "shade": shade, "title": title}
        )

    def word(self, x: float, y: float, text: str, *, room: float, tone: str = "ink") -> None:
        """One line of words from ``x`` on, cut where it is wider than ``room``; ``y`` is its middle.

        ``tone`` is ``ink``, ``strong``, ``muted`` or ``fault``.
        """
        self.words.append({"x": x, "end": x + room, "y": y, "text": text, "tone": tone})

    def spec(self, height: float) -> dict[str, Any]:
        """The chart."""
        x = scaled([0, SHEET], zero=False)
        y = scaled([0, height], down=True, zero=False)
        colours = {"domain": list(_TOKENS), "range": [f"${token}" for token in _TOKENS]}
        layers: list[dict[str, Any]] = [
            layer(
                self.boxes,
                {"type": "rect", "cornerRadius": 2, "fillOpacity": {"expr": "datum.shade"}},
                {
                    "x": {**x, "field": "x"},
                    "x2": {"field": "x2"},
                    "y": {**y, "field": "y"},
                    "y2": {"field": "y2"},
                    "color": {"field": "token", "type": "nominal", "scale": colours, "legend": None},
                    "tooltip": tips(title="what"),
                },
                name=DATA,
            )
        ]
        for tone, colour, weight in (
            ("strong", "$ink", "bold"),
            ("ink", "$ink", "normal"),
            ("muted", "$muted", "normal"),
            ("fault", "$fault", "bold"),
        ):
            values = [word for word in self.words if word["tone"] == tone]
            if values:
                layers.append(
                    layer(
                        values,
                        {
                            "type": "text",
                            "align": "left",
                            "baseline": "middle",
                            "fontSize": 11,
                            "color": colour,
                            "fontWeight": weight,
                            "limit": {"expr": "max(1, scale('x', datum.end) - scale('x', datum.x))"},
                        },
                        {
                            "x": {**x, "field": "x"},
                            "y": {**y, "field": "y"},
                            "text": {"field": "text"},
                        },
                    )
                )
        return chart(
            layers,
            height=height,
            width=SHEET,
            top=4,
            bottom=8,
            left=_SIDE,
            right=_SIDE,
            resolve={"scale": {"color": "independent", "opacity": "independent"}},
        )

"""At how many blocks a second, and so how many hosts, a master's core or the link to the journals is full."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import geometric_mean
from typing import Any, NamedTuple

from howdah.analysis.comparing.readings import CALL_CPU, CALLS, ELAPSED
from howdah.analysis.comparing.statistics import Estimate, LoadLine, full_at, load_line, mean_of
from howdah.analysis.wording import seconds
from howdah.model.inventory import DiskRole
from howdah.model.plan import Plan, Role
from howdah.model.run import Origin
from howdah.report import vega
from howdah.report.document import Figure, Key, Table
from howdah.report.figures.timeline import Label, spread
from howdah.report.study.cells import CellRuns, StudyFound
from howdah.report.study.masters import (
    BLOCK_COSTS,
    JOURNALNODE,
    NAMENODE,
    NAMENODE_BUSY,
    PER_BLOCKS,
    BlockCost,
    all_but_blocks,
)
from howdah.report.study.results import SORT, by_size, n_log_n, sizes_table
from howdah.report.theme import MOST_COLOURS, RIGHT, series_keys
from howdah.report.words import NONE
from howdah.units import exact_bytes, format_bytes

HEIGHT = 260
_ROOM = 1.08  # Above and below what is drawn, so many times.


def scaling(findings: StudyFound) -> Figure | None:
    """The figure; None where size does not vary."""
    lines = by_size(findings)[:MOST_COLOURS]
    if not lines:
        return None
    levels = [cells[0].cell.levels.items() for cells in lines]
    names = [", ".join(label for name, label in own if name != "dataset") or SORT for own in levels]
    keys = series_keys(names)
    return Figure(
        "scaling",
        "Time to sort against the dataset's size",
        "Points are runs, hollow if simulated; dashed lines grow with n log n from the "
        "smallest dataset. Both axes are logarithmic.",
        _spec(dict(zip(names, lines, strict=True)), keys),
        sizes_table(findings),
        keys if len(keys) > 1 else (),
        marks=sum(len(cell.good) for cells in lines for cell in cells) + 2 * len(lines),
        labelled=True,
    )


def _spec(lines: dict[str, list[CellRuns]], keys: tuple[Key, ...]) -> dict[str, Any]:
    runs: list[dict[str, Any]] = []
    laws: list[dict[str, Any]] = []
    ends: dict[str, float] = {}
    for name, cells in lines.items():
        sizes = [cell.cell.settings.dataset or 0 for cell in cells]
        times = [cell.values(ELAPSED, SORT, None) for cell in cells]
        first = geometric_mean(times[0])
        ends[name] = geometric_mean(times[-1])
        for cell, size, some in zip(cells, sizes, times, strict=True):
            solid = 0 if cell.good[0].origin is Origin.SIMULATED else 0.6
            place = {"series": name, "size": size / 1e9}
            runs += [
                {**place, "time": time_s, "said": f"{format_bytes(size)}: {seconds(time_s)}", "solid": solid}
                for time_s in some
            ]
            laws.append({**place, "time": first * n_log_n(size) / n_log_n(sizes[0])})
    drawn = [datum["time"] for datum in (*runs, *laws)]
    low, high = min(drawn) / _ROOM, max(drawn) * _ROOM
    steps = (1, 2, 5) if high / low > 5 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    labels = [
        Label(key.name, key.token, HEIGHT * (1 - math.log(ends[key.name] / low) / math.log(high / low)))
        for key in keys
    ]
    names = [{"series": label.name, "y": label.y} for label in spread(labels, HEIGHT)]
    sizes_gb = sorted({point["size"] for point in runs})
    x_axis = {"title": "dataset (GB)", "format": "~g", "values": sizes_gb, "labelOverlap": True}
    x = vega.logarithmic("size", x_axis, padding=12)
    values = vega.round_numbers(low, high, steps)
    y_axis = vega.level_title("terasort (s)", format="~g", values=values, grid=True)
    y = vega.logarithmic("time", y_axis, [low, high])
    colour = vega.series_colour(keys)
    line = {"type": "line", "strokeDash": [4, 4], "strokeWidth": 1, "opacity": 0.7}
    end = {"x": vega.RIGHT_END, "y": vega.in_pixels("y"), "color": colour}
    layers: list[dict[str, Any]] = [
        vega.layer(laws, line, {"x": x, "y": y, "color": colour}, vega.SHOWN),
        vega.points(runs, {"x": x, "y": y}, colour, vega.tips(series=None, said="terasort"), size=50),
        vega.switching(vega.texts(names, end, field="series", baseline="middle", dx=8, limit=RIGHT - 8)),
    ]
    return vega.chart(layers, height=HEIGHT, top=28, right=RIGHT)


ABOUT = (
    "The load per block is the slope of a line through all runs, by block size. For a NameNode it is the "
    "slope of its calls times the CPU time of a call, fitted within each run. A NameNode and a scheduler are "
    "full at one core, because each makes one change at a time under a lock; JournalNodes are full when the "
    "edits for all of them fill the link of the NameNode's host. The last columns show how many hosts fill "
    "them if each reads or writes every block once, as fast as its disks; with other work or more replicas "
    "it takes more hosts. Intervals are 95 %; loads that do not clearly grow with blocks are left out."
)


class Saturating(NamedTuple):
    """A load of cells that differ in their block size alone, and where it is full."""

    cells: str
    workload: str
    cost: BlockCost
    idle: float  # What there is without blocks.
    per_block: Estimate  # For one block a second.
    limit: float
    plan: Plan

    @property
    def full_at(self) -> tuple[float, float, float]:
        """Blocks a second: the fewest, the likeliest, the most."""
        return full_at(self.limit - max(self.idle, 0.0), self.per_block)


def saturation_table(findings: StudyFound) -> Table:
    """A row for each load that grows with blocks; no rows where fewer than two block sizes were measured."""
    sizes = sorted({cell.block_bytes for cell in findings.cells if cell.block_bytes}, reverse=True)
    ends = [sizes[0], sizes[-1]] if len(sizes) > 1 else []
    rows = tuple(
        (
            load.cells,
            load.workload,
            load.cost.of,
            load.cost.say(max(load.idle, 0.0)),
            load.cost.say(PER_BLOCKS * load.per_block.value),
            _interval(load.full_at),
            *(_hosts(load, size) for size in ends),
        )
        for load in _all(findings)
    )
    hosts = tuple(f"hosts, {exact_bytes(size)} blocks" for size in ends)
    columns = ("cells", "workload", "of", "without blocks", f"per {PER_BLOCKS} blocks/s", "full at blocks/s")
    return Table((*columns, *hosts), rows, label="Where masters are full")


def _all(findings: StudyFound) -> Iterator[Saturating]:
    lines: dict[str, list[CellRuns]] = {}
    for cell in findings.cells:
        lines.setdefault(all_but_blocks(findings.study, cell), []).append(cell)
    for name, cells in lines.items():
        plan = next((cell.plan for cell in cells if cell.plan is not None), None)
        if plan is None or len({cell.block_bytes for cell in cells}) < 2:
            continue
        workloads = dict.fromkeys(
            reading.measure.workload for cell in cells for run in cell.good for reading in run.readings
        )
        for workload in workloads:
            for cost in BLOCK_COSTS:
                line = _calls_line(cells, workload) if cost.of == NAMENODE else None
                line, limit = line or _straight(cells, workload, cost), _limit(cost, plan)
                if line is not None and limit is not None and line.per_unit.certain and line.idle < limit:
                    yield Saturating(name or NONE, workload, cost, line.idle, line.per_unit, limit, plan)


def _straight(cells: Sequence[CellRuns], workload: str, cost: BlockCost) -> LoadLine | None:
    measured = []
    for cell in cells:
        loads, times = (cell.values(name, workload, None) for name in (cost.measure, ELAPSED))
        if cell.blocks is not None and len(loads) == len(times):
            measured += [(cell.blocks / time, load) for time, load in zip(times, loads, strict=True)]
    return load_line([blocks for blocks, _ in measured], [load for _, load in measured])


def _calls_line(cells: Sequence[CellRuns], workload: str) -> LoadLine | None:
    """A NameNode's load by its calls; None where they were not counted, or tell nothing for certain.

    In small clusters what blocks ask of a NameNode is lost in what it does anyway, but not within a run.
    """
    measured = [
        (cell.blocks, calls)
        for cell in cells
        if cell.blocks is not None
        for calls in cell.values(CALLS, workload, None)
    ]
    calls = load_line([blocks for blocks, _ in measured], [calls for _, calls in measured])
    cpu = mean_of([value for cell in cells for value in cell.values(CALL_CPU, workload, None)])
    busy = [value for cell in cells for value in cell.values(NAMENODE_BUSY, workload, None)]
    if calls is None or cpu is None or not busy or not (calls.per_unit.certain and cpu.certain):
        return None
    return LoadLine(idle=min(busy), per_unit=calls.per_unit.times(cpu))


def _limit(cost: BlockCost, plan: Plan) -> float | None:
    """A core; of JournalNodes each one's part of the link of the NameNode's host."""
    if cost.of != JOURNALNODE:
        return 1.0
    cluster = plan.cluster
    if cluster is None:
        return None
    journals = sum(Role.JOURNALNODE in master.roles for master in cluster.masters)
    host = next((master.host for master in cluster.masters if Role.NAMENODE in master.roles), None)
    group = next((group for group in cluster.inventory.groups if host in group.names), None)
    return group.network_bits_per_s / 8 / journals if group is not None and journals else None


def _hosts(load: Saturating, block_bytes: int) -> str:
    groups = load.plan.cluster.inventory.worker_groups if load.plan.cluster else ()
    rates = [
        sum(disk.count * (disk.outer_bytes_per_s or 0) for disk in group.disks if disk.role is DiskRole.DATA)
        for group in groups
    ]
    rate = max(rates, default=0)
    return _interval([blocks * block_bytes / rate for blocks in load.full_at]) if rate else NONE


def _interval(low_middle_high: Sequence[float]) -> str:
    """With two digits that count, since intervals are wide; less than one host is one."""
    low, middle, high = (f"{int(float(f'{max(value, 1.0):.2g}')):,}" for value in low_middle_high)
    return f"{middle} ({low} to {high})"

"""What blocks ask of the masters, and at how many blocks a second, and so how many hosts, one is full."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, geometric_mean
from typing import Any, NamedTuple

from howdah.analysis.comparing.readings import CALL_CPU, CALLS, ELAPSED, JOURNAL_RATE
from howdah.analysis.comparing.statistics import Estimate, LoadLine, full_at, load_line, mean_of
from howdah.analysis.wording import percent
from howdah.model.inventory import DiskRole
from howdah.model.plan import Plan, Role
from howdah.model.run import Origin
from howdah.model.study import Study
from howdah.report import vega
from howdah.report.document import Figure, Table
from howdah.report.study.cells import CellRuns, StudyFound
from howdah.report.words import NONE, optional, table_of
from howdah.study.matrix import named
from howdah.units import exact_bytes, format_rate


class BlockCost(NamedTuple):
    """One thing that blocks cost the masters, and how it is told."""

    of: str
    measure: str
    column: str
    axis: str
    scale: float  # What a measure is multiplied by on the axis.
    say: Callable[[float], str]


NAMENODE, JOURNALNODE = "NameNode", "JournalNode"
NAMENODE_BUSY = "NameNode busy"
BLOCK_COSTS = (
    BlockCost(NAMENODE, NAMENODE_BUSY, "NameNode, one core", "% of a core", 100, percent),
    BlockCost("scheduler", "scheduler busy", "scheduler, one core", "% of a core", 100, percent),
    BlockCost(JOURNALNODE, JOURNAL_RATE, "to each JournalNode", "kB/s", 1e-3, format_rate),
)

PER_BLOCKS = 100  # Blocks per second for which a load is shown.
LEAST_BLOCKS_PER_S = 1.0  # With fewer, a master mostly does what it does without any work.
HEIGHT = 170
_BLOCKS = "block_size"


class Load(NamedTuple):
    """What one workload of a cell asked of the masters."""

    cell: CellRuns
    workload: str
    blocks_per_s: float | None  # None where the block size or the data are not known.
    means: tuple[float | None, ...]  # Of everything in ``BLOCK_COSTS``, over the cell's runs.

    def normalised(self, place: int) -> float | None:
        """What was asked for PER_BLOCKS blocks a second; None where there were hardly any."""
        mean = self.means[place]
        if mean is None or self.blocks_per_s is None or self.blocks_per_s < LEAST_BLOCKS_PER_S:
            return None
        return PER_BLOCKS * mean / self.blocks_per_s


def loads(findings: StudyFound) -> tuple[Load, ...]:
    """Every load there is, in the matrix's order."""
    return tuple(load for cell in findings.cells for load in _loads(cell))


def masters_table(findings: StudyFound) -> Table:
    """What was asked of the masters, and for 100 blocks a second where these are known."""
    every = loads(findings)
    shown = [
        (place, cost)
        for place, cost in enumerate(BLOCK_COSTS)
        if any(load.means[place] is not None for load in every)
    ]
    columns = ("cell", "workload", "blocks/s", *(cost.column for _, cost in shown))
    columns += tuple(f"{cost.of} per {PER_BLOCKS} blocks/s" for _, cost in shown)
    rows = tuple(
        (
            load.cell.cell.name,
            load.workload,
            f"{load.blocks_per_s:.3g}" if load.blocks_per_s else NONE,
            *(optional(load.means[place], cost.say) for place, cost in shown),
            *(optional(load.normalised(place), cost.say) for place, cost in shown),
        )
        for load in every
    )
    return Table(columns, rows, label="Masters' load", fold=True)


def _loads(cell: CellRuns) -> Iterator[Load]:
    workloads = dict.fromkeys(reading.measure.workload for run in cell.good for reading in run.readings)
    for workload in workloads:
        values = [cell.values(cost.measure, workload, None) for cost in BLOCK_COSTS]
        times = cell.values(ELAPSED, workload, None)
        if any(map(any, values)) and times:
            blocks_per_s = cell.blocks / geometric_mean(times) if cell.blocks else None
            yield Load(cell, workload, blocks_per_s, tuple(fmean(some) if some else None for some in values))


def masters_load(findings: StudyFound) -> tuple[Figure, ...]:
    """A figure for everything that is asked where it and the blocks are known in two cells or more."""
    every = loads(findings)
    normalised = [
        [load for load in every if load.normalised(place) is not None] for place in range(len(BLOCK_COSTS))
    ]
    return tuple(
        _figure(findings, some, place)
        for place, some in enumerate(normalised)
        if len({load.cell.cell.number for load in some}) > 1
    )


def _figure(findings: StudyFound, normalised: list[Load], place: int) -> Figure:
    cost, lines = BLOCK_COSTS[place], _series(findings, normalised)
    keys = vega.series_keys(lines)
    joined = any(len({_line(load) for load in some}) < len(some) for some in lines.values())
    every = [(name, load) for name, some in lines.items() for load in some]
    values = [
        {
            "series": name,
            "line": _line(load),
            "blocks": load.blocks_per_s,
            "load": cost.scale * (load.normalised(place) or 0),
            "cell": load.cell.cell.name,
            "said": cost.say(load.normalised(place) or 0),
            "solid": 0 if load.cell.good[0].origin is Origin.SIMULATED else 0.6,
        }
        for name, load in every
    ]
    x = vega.logarithmic("blocks", {"title": "blocks a second", "format": "~g", "tickCount": 5}, padding=12)
    axis = vega.level_title(cost.axis, tickCount=4)
    y = vega.quantity("load", scale={"zero": True, "nice": True}, axis=axis)
    colour = vega.series_colour(keys)
    dashed = {"type": "line", "strokeWidth": 1, "strokeDash": [4, 4], "opacity": 0.7}
    layers: list[dict[str, Any]] = [
        vega.layer(values, dashed, {"x": x, "y": y, "color": colour, "detail": "line"}, vega.SHOWN),
        vega.points(
            values, {"x": x, "y": y}, colour, vega.tips(cell=None, series=None, said="load"), size=50
        ),
    ]
    table = table_of(
        every,
        f"line {{0}} | cell {{1.cell.cell.name}} | blocks/s {{1.blocks_per_s:.3g}} | "
        f"load ({cost.axis}) {{load:.3g}} | for {PER_BLOCKS} blocks/s ({cost.axis}) {{same:.3g}}",
        load=lambda pair: cost.scale * (pair[1].means[place] or 0),
        same=lambda pair: cost.scale * (pair[1].normalised(place) or 0),
    )
    return Figure(
        f"masters-{place}",
        f"{cost.of}: load for {PER_BLOCKS} blocks a second",
        "A point for each cell, hollow if simulated"
        + ("; lines join cells of one kind by block size." if joined else "."),
        vega.chart(layers, height=HEIGHT, width=vega.HALF_WIDTH - vega.LEFT - 14, top=28, right=14),
        table,
        keys if len(keys) > 1 else (),
        half=True,
        marks=2 * len(normalised),
    )


def _series(findings: StudyFound, normalised: list[Load]) -> dict[str, list[Load]]:
    """A workload with all but the block size alike, where colours suffice; else all of a workload."""
    by_levels: dict[str, list[Load]] = {}
    by_workload: dict[str, list[Load]] = {}
    for load in normalised:
        settings = all_but_blocks(findings.study, load.cell)
        by_levels.setdefault(f"{load.workload}, {settings}" if settings else load.workload, []).append(load)
        by_workload.setdefault(load.workload, []).append(load)
    lines = by_levels if len(by_levels) <= vega.MOST_COLOURS else by_workload
    return {name: sorted(some, key=lambda load: load.blocks_per_s or 0) for name, some in lines.items()}


def all_but_blocks(study: Study, cell: CellRuns) -> str:
    """A cell's name without its block size: empty where nothing else varies."""
    return named(study, {factor: label for factor, label in cell.cell.levels.items() if factor != _BLOCKS})


def _line(load: Load) -> str:
    """The levels of all but the block size: cells that differ in that alone lie on one line."""
    return ", ".join(label for factor, label in load.cell.cell.levels.items() if factor != _BLOCKS)


SATURATION_ABOUT = (
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

"""Where everything is: racks, their hosts, the workers on these, and how many replicas lie on each."""

from __future__ import annotations

from howdah.analysis.evidence import MachineOfRun, ReplicaBalance
from howdah.report.figure import Figure, FigureSource, Table
from howdah.report.figures.places import PlacedRack, placed_racks
from howdah.report.figures.topology_cells import cells
from howdah.report.figures.topology_hosts import hosts
from howdah.units import format_counted

MOST_DETAILED = 40
"""More workers than this are drawn as cells, without numbers."""


def topology(source: FigureSource) -> Figure | None:
    """The figure; None off a cluster, or where nobody names a worker."""
    workers = [one for one in source.evidence.machines if one.level == "worker"]
    if source.record.cluster is None or not workers:
        return None
    balances = source.evidence.replicas
    racks = placed_racks(source, balances)
    detailed = len(workers) <= MOST_DETAILED
    names = tuple(one.workload for one in balances)
    most = tuple(max(one.replicas, default=0) for one in balances)
    return Figure(
        id="topology",
        title="Where everything is" + (", and how replicas are spread" if balances else ""),
        caption=_caption(racks, balances, detailed=detailed),
        spec=hosts(racks, names, most) if detailed else cells(racks, names),
        table=_table(workers, balances),
        marks=len(workers) * (1 + len(balances)),
    )


def _caption(racks: tuple[PlacedRack, ...], balances: tuple[ReplicaBalance, ...], *, detailed: bool) -> str:
    every = [host for rack in racks for host in rack.hosts]
    workers = sum(len(host.workers) for host in every)
    said = [f"{format_counted(len(every), 'host')} with {format_counted(workers, 'worker')}."]
    said += [_spread(one) for one in balances]
    if not detailed and balances:
        last = balances[-1]
        said.append(
            f"Every cell is a worker: the lightest hold {min(last.replicas):,} replicas of {last.workload}, "
            f"the darkest {max(last.replicas):,}."
        )
    if not detailed and any(worker.lost for host in every for worker in host.workers):
        said.append("Those lost during the run have the colour of these words.")
    return " ".join(said)


def _spread(one: ReplicaBalance) -> str:
    replicas, blocks = format_counted(sum(one.replicas), "replica"), format_counted(one.blocks, "block")
    above = 100 * (one.max_over_mean - 1)
    even = "spread evenly" if above < 0.5 else f"the fullest DataNode {above:.0f} % above the mean"
    shared = f"{one.sharing_host:,}" if one.sharing_host else "none"
    said = f"{one.workload}: {replicas} of {blocks}, {even}; {shared} with two replicas on one host"
    if one.under_replicated or one.missing:
        said += f"; {one.under_replicated:,} with too few replicas, {one.missing:,} with none"
    return f"{said}."


def _table(workers: list[MachineOfRun], balances: tuple[ReplicaBalance, ...]) -> Table:
    counts = [dict(zip(one.names, one.replicas, strict=True)) for one in balances]
    return Table(
        ("worker", "host", "rack", *(f"{one.workload}, replicas" for one in balances)),
        tuple(
            (one.name, one.host, one.rack, *(str(count.get(one.name, "–")) for count in counts))
            for one in workers
        ),
    )

"""The figures of a report, and the order in which a reader meets them."""

from __future__ import annotations

from typing import NamedTuple

from howdah.report.document import Figure
from howdah.report.figures.by_machine import by_machine
from howdah.report.figures.elapsed import elapsed
from howdah.report.figures.flow import flow_figures
from howdah.report.figures.operations import availability, latencies, operations, rates
from howdah.report.figures.resources import cpu, memory, network, other_processes, quiet_network, storage
from howdah.report.figures.tail import tail
from howdah.report.figures.tasks import tasks
from howdah.report.figures.throughput import files, links, partitions
from howdah.report.figures.timeaxis import FigureSource, left_out
from howdah.report.figures.topology import topology


class Figures(NamedTuple):
    """A report's figures: the answer's own, those over time, and the rest."""

    answer: Figure | None
    over_time: tuple[Figure, ...]
    throughput: tuple[Figure, ...]
    places: tuple[Figure, ...]  # Where things are on a cluster.
    flows: tuple[Figure, ...]  # The bytes of its jobs.
    not_shown: tuple[str, ...]  # In sentences, what the figures over time leave out.


def draw(source: FigureSource) -> Figures:
    over_time = [
        availability(source),
        operations(source),
        tail(source),
        cpu(source),
        *storage(source),
        *memory(source),
        network(source),
        *by_machine(source),
        other_processes(source),
        tasks(source),
    ]
    return Figures(
        answer=elapsed(source),
        over_time=tuple(figure for figure in over_time if figure is not None),
        throughput=(*partitions(source), *files(source)),
        places=(*filter(None, (topology(source),)), *links(source), *rates(source), *latencies(source)),
        flows=tuple(flow_figures(source)),
        not_shown=tuple(filter(None, (left_out(source), quiet_network(source)))),
    )

"""A plan as terminal text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.plan import Candidate, Cluster, Plan, Worker
from howdah.report.plan import words
from howdah.units import format_counted

_MOST_ADVICE = 6
_SEVERITIES = ("must", "should", "may")
_STYLES = {"must": "red", "should": "yellow", "may": "dim"}


def plan_text(plan: Plan, path: Path, page: Path | None) -> RenderableType:
    """The answer, the platforms, where masters and replicas go, what to know, and where the files are."""
    cluster = plan.cluster
    if cluster is None:
        raise ValueError("a plan for one machine without Hadoop has no cluster to show")
    return Group(
        Text(words.answer(plan, cluster), style="bold"),
        Text(),
        _platforms(cluster),
        Text(),
        _lines(plan, cluster, path, page),
    )


def _platforms(cluster: Cluster) -> Table:
    several = len({candidate.group for candidate in cluster.candidates}) > 1
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    if several:
        table.add_column("hosts")
    table.add_column("platform", no_wrap=True)
    for number in ("workers", "vCPU", "memory", "disks", "at once"):
        table.add_column(number, justify="right", no_wrap=True)
    table.add_column("verdict")
    for candidate in cluster.candidates:
        row = [candidate.platform, *_figures(candidate), words.verdict(candidate)]
        style = {"recommended": "bold", "refused": "dim"}.get(candidate.verdict, "")
        table.add_row(*([candidate.group] if several else []), *row, style=style)
    return table


def _figures(candidate: Candidate) -> list[str]:
    if not candidate.kinds:
        return ["–"] * 5
    kinds = candidate.kinds
    return [
        f"{candidate.workers:,}",
        _each(kinds, "vcpus"),
        " / ".join(words.gib(kind.memory_bytes) for kind in kinds),
        _each(kinds, "data_disks"),
        " / ".join(f"{kind.map_slots} + {kind.reduce_slots}" for kind in kinds),
    ]


def _each(kinds: tuple[Worker, ...], figure: str) -> str:
    return " / ".join(str(getattr(kind, figure)) for kind in kinds)


def _lines(plan: Plan, cluster: Cluster, path: Path, page: Path | None) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for head, line in _said(plan, cluster):
        table.add_row(head, line)
    table.add_row("plan", f"{path}   `howdah plan explain {path}` tells why, value by value")
    if page is not None:
        table.add_row("page", str(page))
    table.add_row("next", f"howdah render {path} --output DIR")
    return table


def _said(plan: Plan, cluster: Cluster) -> Iterator[tuple[str, str | Text]]:
    for number, master in enumerate(cluster.masters):
        yield ("" if number else "masters", words.masters_line(master))
    yield "topology", words.topology_line(cluster)
    yield "capacity", words.capacity_line(cluster.capacity)
    given = [setting for setting in plan.settings if setting.origin == "user"]
    for number, setting in enumerate(given):
        broken = "; ".join(f"breaks {breach.rule}: {breach.says}" for breach in setting.breaks)
        said = f"{setting.key} = {words.value_text(setting)}"
        yield ("" if number else "yours", f"{said}   {broken}" if broken else said)
    yield from _advice(cluster)


def _advice(cluster: Cluster) -> Iterator[tuple[str, str | Text]]:
    ordered = sorted(cluster.advice, key=lambda one: _SEVERITIES.index(one.severity))
    for number, one in enumerate(ordered[:_MOST_ADVICE]):
        yield (
            "" if number else "advice",
            Text.assemble((f"{one.severity}  ", _STYLES[one.severity]), one.text),
        )
    if len(ordered) > _MOST_ADVICE:
        rest = format_counted(len(ordered) - _MOST_ADVICE, "more on the page")
        yield "", Text(rest.removesuffix("s"), style="dim")

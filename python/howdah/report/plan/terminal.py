"""A plan as terminal text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from howdah.model.plan import Candidate, Cluster, Plan
from howdah.model.value import value_text
from howdah.report.plan import words

_MOST_ADVICE = 6
_STYLES = {"must": "red", "should": "yellow", "may": "dim"}
_WIDE = 110
"""With fewer columns, what speaks of a platform stands below the table."""


def plan_text(plan: Plan, path: Path, page: Path | None) -> RenderableType:
    """The answer, the platforms, where masters and replicas go, what to know, and where the files are."""
    cluster = plan.cluster
    if cluster is None:
        raise ValueError("a plan for one machine without Hadoop has no cluster to show")
    return Group(
        Text(words.answer(plan, cluster), style="bold"),
        Text(),
        _Platforms(cluster),
        Text(),
        _lines(plan, cluster, path, page),
    )


class _Platforms:
    """The possible platforms, the best of each group first; of many groups only the best."""

    def __init__(self, cluster: Cluster) -> None:
        unwanted = {"refused", "possible"} if words.many_groups(cluster) else {"refused"}
        self.candidates = [one for one in cluster.candidates if one.verdict not in unwanted]
        self.several = len({one.group for one in cluster.candidates}) > 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= _WIDE
        yield self._table(wide=wide)
        if not wide:
            yield Text()
            yield self._verdicts()

    def _name(self, candidate: Candidate) -> str:
        return f"{candidate.group}: {candidate.platform}" if self.several else candidate.platform

    def _table(self, *, wide: bool) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        table.add_column("platform")
        for number in ("workers", "vCPU", "memory", "disks", "at once"):
            table.add_column(number, justify="right", no_wrap=True)
        if wide:
            table.add_column("verdict")
        for one in self.candidates:
            row = [self._name(one), *words.figures(one), *([words.verdict(one)] if wide else [])]
            table.add_row(*map(Text, row), style="bold" if one.verdict == "recommended" else "")
        return table

    def _verdicts(self) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="dim")
        table.add_column()
        for one in self.candidates:
            table.add_row(Text(self._name(one)), Text(words.verdict(one)))
        return table


def _lines(plan: Plan, cluster: Cluster, path: Path, page: Path | None) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    said = ""
    for head, line in _said(plan, cluster):
        # A heading stands once, before the first of its lines.
        table.add_row("" if head == said else head, Text(line) if isinstance(line, str) else line)
        said = head
    named = shlex.quote(str(path))
    table.add_row("plan", Text(f"{path}   `howdah plan explain {named}` says why, value by value"))
    if page is not None:
        table.add_row("page", Text(str(page)))
    table.add_row("next", Text(f"howdah render {named} --output DIR"))
    return table


def _said(plan: Plan, cluster: Cluster) -> Iterator[tuple[str, str | Text]]:
    yield "work", words.work_line(cluster)
    several = len({one.group for one in cluster.candidates}) > 1
    told = () if words.many_groups(cluster) else cluster.candidates
    if not told:
        yield "platforms", f"{len(cluster.candidates):,} were weighed; `howdah plan explain` explains each"
    for one in told:
        if one.verdict == "refused":
            where = f"{one.group}: " if several else ""
            yield "refused", f"{where}{one.platform}: {'; '.join(reason.text for reason in one.judgements)}"
    for one in told:
        if one.verdict == "recommended":
            for reason in words.against(one):
                where = f"{one.group}: " if several else ""
                cost = words.weight_text(reason)
                yield "against it", f"{where}{reason.text}{f' (costs {cost})' if cost else ''}"
    for master in cluster.masters:
        yield "masters", words.masters_line(master)
    yield "topology", words.topology_line(cluster)
    yield "capacity", words.capacity_line(cluster.capacity)
    yield "settings", words.settings_line(plan)
    for setting in plan.settings:
        if setting.origin == "user":
            broken = "; ".join(f"breaks {breach.rule}: {breach.says}" for breach in setting.breaks)
            line = f"{setting.key} = {value_text(setting.value)}"
            yield "yours", f"{line}   {broken}" if broken else line
    yield from _advice(cluster)


def _advice(cluster: Cluster) -> Iterator[tuple[str, Text]]:
    ordered = words.by_severity(cluster.advice)
    for one in ordered[:_MOST_ADVICE]:
        yield "advice", Text.assemble((f"{one.severity:<8}", _STYLES[one.severity]), one.text)
    if len(ordered) > _MOST_ADVICE:
        yield (
            "advice",
            Text(f"{len(ordered) - _MOST_ADVICE} more, which `howdah plan explain` lists", style="dim"),
        )

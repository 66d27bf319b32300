"""A plan in a terminal: what it holds, and what one value of it rests on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from howdah.model.plan import Candidate, Cluster, ClusterPlan, Master, Setting
from howdah.model.value import value_text
from howdah.report.plan import words
from howdah.report.plan.content import Cited, Grounds, RuleText
from howdah.report.terminal import pairs
from howdah.report.words import sentence
from howdah.units import format_counted

_SENTENCE = re.compile(r"[.!?](?=\s+[A-Z`(])")
_CLAUSE = re.compile(r"[,;:](?= )| (?=\()")
_LEAST = 0.4
"""A clause that fills less of the line says too little alone."""


def shortened(text: str, width: int) -> str:
    """The first sentence; if that is too long, the clauses that fit; otherwise the words, and an ellipsis."""
    end = _SENTENCE.search(text)
    sentence = text[: end.end()] if end else text
    if len(sentence) <= width:
        return sentence
    for clause in reversed([match.start() for match in _CLAUSE.finditer(sentence, 0, width + 1)]):
        if clause >= _LEAST * width and _closed(sentence[:clause]):
            return sentence[:clause]
    return f"{sentence[: max(width - 1, 1)].rpartition(' ')[0]} …"


def _closed(text: str) -> bool:
    return text.count("`") % 2 == 0 and text.count("(") == text.count(")")


_MOST_ADVICE = 4
_HEAD = len("platforms") + 2
"""Columns of the headings."""
_SEVERITY = len("should") + 2
_LEAST_COST = 0.01
"""A smaller part of the work's time is not worth a line."""
_STYLES = {"must": "red", "should": "yellow", "may": "dim"}
_WIDE = 110
"""With fewer columns, verdicts on platforms stand below the table."""
_UNKNOWN = RuleText("")


def plan_text(plan: ClusterPlan, path: Path, page: Path | None) -> RenderableType:
    """The answer, the platforms, where masters and replicas go, what to know, and where the files are."""
    cluster = plan.cluster
    return Group(
        *(Text(line, style="bold") for line in words.answer_lines(plan, cluster)),
        Text(),
        _Platforms(cluster),
        Text(),
        _Lines(plan, cluster, path, page),
    )


class _Platforms:
    """The possible platforms, the best of each group first; of many groups only the best."""

    def __init__(self, cluster: Cluster) -> None:
        unwanted = {"refused", "possible"} if words.many_groups(cluster) else {"refused"}
        self.candidates = [candidate for candidate in cluster.candidates if candidate.verdict not in unwanted]
        groups = {candidate.group for candidate in self.candidates}
        self.several = len({candidate.group for candidate in cluster.candidates}) > 1
        self.choice = len(self.candidates) > len(groups)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= _WIDE
        yield self._table(options.max_width, wide=wide)
        if not wide and self.choice:
            yield Text()
            yield self._verdicts(options.max_width)

    def _name(self, candidate: Candidate) -> str:
        return f"{candidate.group}: {candidate.platform}" if self.several else candidate.platform

    def _table(self, width: int, *, wide: bool) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        table.add_column("platform")
        for number in ("workers", "CPUs", "memory", "disks", "at once"):
            table.add_column(number, justify="right", no_wrap=True)
        rows = [[self._name(candidate), *words.figures(candidate)] for candidate in self.candidates]
        if wide:
            table.add_column("verdict")
            cells = [
                [column.header, *(row[at] for row in rows)] for at, column in enumerate(table.columns[:-1])
            ]
            used = sum(
                2 + max(len(line) for cell in column for line in str(cell).split("\n")) for column in cells
            )
            for row, candidate in zip(rows, self.candidates, strict=True):
                row.append(shortened(words.verdict(candidate), width - used))
        for row, candidate in zip(rows, self.candidates, strict=True):
            table.add_row(*map(Text, row), style="bold" if candidate.verdict == "recommended" else "")
        return table

    def _verdicts(self, width: int) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="dim")
        table.add_column()
        room = width - 2 - max(len(self._name(candidate)) for candidate in self.candidates)
        for candidate in self.candidates:
            table.add_row(Text(self._name(candidate)), Text(shortened(words.verdict(candidate), room)))
        return table


class _Lines:
    """The rest of a plan, each item in one line of the terminal; `howdah plan explain` shows all of it."""

    def __init__(self, plan: ClusterPlan, cluster: Cluster, path: Path, page: Path | None) -> None:
        self.plan, self.cluster, self.path, self.page = plan, cluster, path, page

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="dim", no_wrap=True)
        table.add_column()
        before = ""
        for head, line in self._rows(options.max_width - _HEAD):
            # A heading stands once, before the first of its lines.
            table.add_row("" if head == before else head, Text(line) if isinstance(line, str) else line)
            before = head
        yield table

    def _rows(self, width: int) -> Iterator[tuple[str, str | Text]]:
        yield "work", words.work_line(self.cluster)
        yield from _considered(self.cluster, width)
        for master in self.cluster.masters:
            for line in words.masters_lines(master, width):
                yield "masters", line
        yield "topology", shortened(words.topology_line(self.cluster), width)
        for line in words.capacity_line(self.cluster.capacity).split("; "):
            yield "capacity", line
        yield "settings", words.settings_line(self.plan, width)
        yield from _yours(self.plan)
        yield from _advice(self.cluster, width)
        named = shlex.quote(str(self.path))
        yield "plan", str(self.path)
        if self.page is not None:
            yield "page", str(self.page)
        yield "reasons", f"howdah plan explain {named}"
        yield "next", f"howdah render {named} --output DIR"


def _considered(cluster: Cluster, width: int) -> Iterator[tuple[str, str]]:
    """Platforms that are not in the table, and what the recommended ones cost."""
    if words.many_groups(cluster):
        yield "platforms", f"{len(cluster.candidates):,} were considered; `howdah plan explain` explains each"
        return
    several = len({candidate.group for candidate in cluster.candidates}) > 1
    refused: dict[str, list[str]] = {}
    for candidate in cluster.candidates:
        if candidate.verdict == "refused":
            reasons = "; ".join(reason.text for reason in candidate.judgements)
            name = f"{candidate.group}: {candidate.platform}" if several else candidate.platform
            refused.setdefault(reasons, []).append(name)
    for reasons, names in refused.items():
        head = f"{', '.join(names)}: "
        yield "refused", head + shortened(reasons, width - len(head))
    for candidate in cluster.candidates:
        if candidate.verdict == "recommended":
            for reason in words.against(candidate):
                if abs(reason.weight) >= _LEAST_COST:
                    head = f"{candidate.group}: " if several else ""
                    head += f"costs {words.weight_text(reason)}: "
                    yield "drawback", head + shortened(reason.text, width - len(head))


def _yours(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    """The user's own values, and the rules that they break."""
    for setting in plan.settings:
        if setting.origin == "user":
            yield "yours", f"{setting.key} = {value_text(setting.value)}"
            for breach in setting.breaks:
                yield "yours", f"breaks {breach.rule} ({words.weight_of(breach)}): {breach.says}"


def _advice(cluster: Cluster, width: int) -> Iterator[tuple[str, Text]]:
    ordered = words.by_severity(cluster.advice)
    for advice in ordered[:_MOST_ADVICE]:
        text = shortened(advice.text, width - _SEVERITY)
        yield "advice", Text.assemble((f"{advice.severity:<{_SEVERITY}}", _STYLES[advice.severity]), text)
    if len(ordered) > _MOST_ADVICE:
        more = f"{len(ordered) - _MOST_ADVICE} more; `howdah plan explain` shows all in full"
        yield "advice", Text(more, style="dim")


def setting_text(setting: Setting, grounds: Grounds, default: str | None) -> RenderableType:
    """One value: what it is, why, by which rule, from which numbers, and who says so."""
    note = words.size_note(setting)
    head = Text.assemble((setting.key, "bold"), " = ", (value_text(setting.value), "bold"))
    head.append(f"   {note}" if note else "", "dim")
    return Group(
        head,
        Text(sentence(setting.reason)),
        Text(),
        pairs(_of_setting(setting, grounds, default)),
        *_under("numbers that went in", _inputs(setting)),
        *_under("sources", _sources(grounds.cited(setting.source))),
    )


def _of_setting(setting: Setting, grounds: Grounds, default: str | None) -> Iterator[tuple[str, str]]:
    yield "set by", "you" if setting.origin == "user" else "a rule"
    if setting.rule is not None:
        yield "rule", _rule(setting.rule, grounds)
        if today := grounds.rules.get(setting.rule, _UNKNOWN).today:
            yield "today", today
    for breach in setting.breaks:
        yield "breaks", f"{breach.rule} ({words.weight_of(breach)}): {breach.says}"
    if setting.file is not None:
        yield "file", setting.file
    if setting.worker is not None:
        yield "workers", setting.worker
    if setting.group is not None:
        yield "hosts", setting.group
    if default is not None:
        yield "default", f"{words.default_text(default)} in the release"


def _rule(rule: str, grounds: Grounds) -> str:
    """A rule's id and its words, which an older plan's rule may no longer have."""
    text = grounds.rules.get(rule, _UNKNOWN)
    return f"{rule}: {text.says}" if text.says else rule


def _inputs(setting: Setting) -> list[tuple[str, RenderableType]]:
    return [(fact.name, Text(words.input_text(fact))) for fact in setting.inputs]


def _sources(sources: Iterable[Cited]) -> list[tuple[str, RenderableType]]:
    rows: list[tuple[str, RenderableType]] = []
    for source in sources:
        spelled = Text(source.says)
        if source.title:
            spelled.append(f"\n{source.title}", "dim")
        rows.append((source.name, spelled))
    return rows


def candidate_text(candidate: Candidate, grounds: Grounds) -> RenderableType:
    """One platform: what speaks for and against it, rule by rule."""
    head = Text.assemble((candidate.platform, "bold"), f" on {candidate.group}: {candidate.verdict}")
    virtual = candidate.platform != "native"
    kinds = pairs(
        (
            f"{kind.per_host} × {kind.name}",
            words.size(kind, virtual=virtual)
            + (f", {words.at_once(kind)} tasks at once" if kind.map_slots else ""),
        )
        for kind in candidate.kinds
    )
    if candidate.verdict != "refused":
        head.append(f", {format_counted(candidate.workers, 'worker')}")
    reasons = Table.grid(padding=(0, 2, 0, 0))
    for column in ("verdict", "weight"):
        reasons.add_column(no_wrap=True, justify="right" if column == "weight" else "left")
    reasons.add_column()
    for judgement in sorted(
        candidate.judgements, key=lambda judgement: (judgement.verdict != "for", -abs(judgement.weight))
    ):
        reason = Text(judgement.text).append(f"\n{_rule(judgement.rule, grounds)}", "dim")
        reasons.add_row(
            Text(judgement.verdict, "green" if judgement.verdict == "for" else "red"),
            words.weight_text(judgement),
            reason,
        )
    return Group(head, *([kinds] if candidate.kinds else []), Text(), reasons)


def master_text(master: Master, plan: ClusterPlan, grounds: Grounds) -> RenderableType:
    """One master: what it runs, where, and why there."""
    facts = [
        ("runs", ", ".join(master.roles)),
        ("address", master.address),
        ("host", f"{master.host}, {words.place(master)}"),
        ("size", words.master_size(master, plan.cluster)),
    ]
    if master.shadow_host is not None:
        facts.append(("shadow", f"on {master.shadow_host}, where the same room is kept free"))
    if master.rule is not None:
        facts.append(("rule", _rule(master.rule, grounds)))
    return Group(Text(master.name, "bold"), Text(sentence(master.reason)), Text(), pairs(facts))


def list_text(plan: ClusterPlan) -> RenderableType:
    """Every value with its reason, by the file it belongs to; then what is no value, the weightiest first."""
    files = dict.fromkeys(setting.file or words.OF_THE_PLAN for setting in plan.settings)
    parts: list[RenderableType] = []
    for name in files:
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(ratio=3, overflow="fold")
        table.add_column(ratio=2, overflow="fold")
        table.add_column(ratio=4)
        for setting in plan.settings:
            if (setting.file or words.OF_THE_PLAN) == name:
                held_for = (
                    f" ({setting.worker or setting.group})" if (setting.worker or setting.group) else ""
                )
                value = words.size_note(setting) or value_text(setting.value)
                mark = Text("yours: ", "yellow") if setting.origin == "user" else Text()
                table.add_row(
                    Text(f"{setting.key}{held_for}"), Text(value), mark.append(setting.reason, "dim")
                )
        parts += [Text(name, "bold"), Padding(table, (0, 0, 1, 2))]
    if plan.cluster.advice:
        table = pairs((advice.severity, advice.text) for advice in words.by_severity(plan.cluster.advice))
        parts += [Text("advice", "bold"), Padding(table, (0, 0, 1, 2))]
    return Group(*parts)


def _under(title: str, rows: list[tuple[str, RenderableType]]) -> list[RenderableType]:
    """A heading with rows below it; nothing where there are none."""
    if not rows:
        return []
    return [Text(f"\n{title}", "bold"), Padding(pairs(rows), (0, 0, 0, 2))]

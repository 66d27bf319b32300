"""Why a plan says what it says, as terminal text: one value, one platform, one master, or all values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from howdah.model.plan import Candidate, Master, Plan, Setting
from howdah.model.value import value_text
from howdah.report.plan import words
from howdah.report.plan.grounds import Cited, Grounds, RuleText
from howdah.units import format_counted, format_gib

_UNKNOWN = RuleText("")


def setting_text(setting: Setting, grounds: Grounds, default: str | None) -> RenderableType:
    """One value: what it is, why, by which rule, from which numbers, and who says so."""
    note = words.size_note(setting)
    head = Text.assemble((setting.key, "bold"), " = ", (value_text(setting.value), "bold"))
    head.append(f"   {note}" if note else "", "dim")
    return Group(
        head,
        Text(_sentence(setting.reason)),
        Text(),
        _pairs(_of_setting(setting, grounds, default)),
        *_under("numbers that went in", _inputs(setting)),
        *_under("sources", _sources(grounds.cited(setting.source))),
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."


def _of_setting(setting: Setting, grounds: Grounds, default: str | None) -> Iterator[tuple[str, str]]:
    yield "set by", "you" if setting.origin == "user" else "a rule"
    if setting.rule is not None:
        yield "rule", _rule(setting.rule, grounds)
        if today := grounds.rules.get(setting.rule, _UNKNOWN).today:
            yield "today", today
    for breach in setting.breaks:
        yield "breaks", f"{breach.rule}: {breach.says}"
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
    return [(one.name, Text(words.input_text(one))) for one in setting.inputs]


def _sources(sources: Iterable[Cited]) -> list[tuple[str, RenderableType]]:
    rows: list[tuple[str, RenderableType]] = []
    for one in sources:
        spelled = Text(one.says)
        if one.title:
            spelled.append(f"\n{one.title}", "dim")
        rows.append((one.label, spelled))
    return rows


def candidate_text(candidate: Candidate, grounds: Grounds) -> RenderableType:
    """One platform: what speaks for and against it, rule by rule."""
    head = Text.assemble((candidate.platform, "bold"), f" on {candidate.group}: {candidate.verdict}")
    kinds = Table.grid(padding=(0, 2, 0, 0))
    kinds.add_column(no_wrap=True)
    kinds.add_column()
    virtual = candidate.platform != "native"
    for kind in candidate.kinds:
        at_once = f", {words.at_once(kind)} tasks at once" if kind.map_slots else ""
        kinds.add_row(
            Text(f"{kind.per_host} × {kind.name}"), Text(f"{words.size(kind, virtual=virtual)}{at_once}")
        )
    if candidate.verdict != "refused":
        head.append(f", {format_counted(candidate.workers, 'worker')}")
    reasons = Table.grid(padding=(0, 2, 0, 0))
    for column in ("verdict", "weight"):
        reasons.add_column(no_wrap=True, justify="right" if column == "weight" else "left")
    reasons.add_column()
    for one in sorted(candidate.judgements, key=lambda one: (one.verdict != "for", -abs(one.weight))):
        said = Text(one.text).append(f"\n{_rule(one.rule, grounds)}", "dim")
        reasons.add_row(
            Text(one.verdict, "green" if one.verdict == "for" else "red"), words.weight_text(one), said
        )
    return Group(head, *([kinds] if candidate.kinds else []), Text(), reasons)


def master_text(master: Master, grounds: Grounds) -> RenderableType:
    """One master: what it runs, where, and why there."""
    facts = [
        ("runs", ", ".join(master.roles)),
        ("answers to", master.address),
        ("host", f"{master.host}, {words.place(master)}"),
        ("size", f"{format_counted(master.vcpus, 'vCPU')}, {format_gib(master.memory_bytes)}"),
    ]
    if master.shadow_host is not None:
        facts.append(("shadow", f"on {master.shadow_host}, where the same places are freed"))
    if master.rule is not None:
        facts.append(("rule", _rule(master.rule, grounds)))
    return Group(Text(master.name, "bold"), Text(_sentence(master.reason)), Text(), _pairs(facts))


def list_text(plan: Plan) -> RenderableType:
    """Every value with its reason, by the file it belongs to; then what is no value, the weightiest first."""
    files = dict.fromkeys(one.file or words.OF_THE_PLAN for one in plan.settings)
    parts: list[RenderableType] = []
    for name in files:
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(ratio=3, overflow="fold")
        table.add_column(ratio=2, overflow="fold")
        table.add_column(ratio=4)
        for one in plan.settings:
            if (one.file or words.OF_THE_PLAN) == name:
                held_for = f" ({one.worker or one.group})" if (one.worker or one.group) else ""
                value = words.size_note(one) or value_text(one.value)
                mark = Text("yours: ", "yellow") if one.origin == "user" else Text()
                table.add_row(Text(f"{one.key}{held_for}"), Text(value), mark.append(one.reason, "dim"))
        parts += [Text(name, "bold"), Padding(table, (0, 0, 1, 2))]
    if plan.cluster is not None and plan.cluster.advice:
        table = _pairs((one.severity, one.text) for one in words.by_severity(plan.cluster.advice))
        parts += [Text("advice", "bold"), Padding(table, (0, 0, 1, 2))]
    return Group(*parts)


def _pairs(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, text in rows:
        table.add_row(Text(name), Text(text))
    return table


def _under(title: str, rows: list[tuple[str, RenderableType]]) -> list[RenderableType]:
    """A heading with rows below it; nothing where there are none."""
    if not rows:
        return []
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, said in rows:
        table.add_row(Text(name), said)
    return [Text(f"\n{title}", "bold"), Padding(table, (0, 0, 0, 2))]

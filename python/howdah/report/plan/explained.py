"""A plan in short, and what one value, platform or master of it rests on, for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from howdah.model.plan import Candidate, Cluster, ClusterPlan, Master, Setting
from howdah.report.document import Document, FactList, FoldedBlocks, Paragraph, present
from howdah.report.plan import content, words
from howdah.report.plan.content import Grounds
from howdah.report.words import sentence
from howdah.units import format_counted

_MOST_ADVICE = 4
_LEAST_COST = 0.01
"""A smaller part of the work's time is not worth a line."""
_SHORT = frozenset({"refused", "drawback", "topology", "settings", "must", "should", "may"})
"""The lines that a terminal may cut; `howdah plan explain` shows all of them."""


def plan_summary(plan: ClusterPlan, path: Path, page: Path | None) -> Document:
    """The answer, the platforms, where masters and replicas go, what to know, and where the files are."""
    cluster = plan.cluster
    left_out = {"refused", "possible"} if words.many_groups(cluster) else {"refused"}
    shown = [candidate for candidate in cluster.candidates if candidate.verdict not in left_out]
    choice = len(shown) > len(cluster.layouts)
    platforms = content.platform_table(cluster, shown, map(words.verdict, shown) if choice else ())
    facts = (
        ("work", words.work_line(cluster)),
        *_considered(cluster),
        *(("masters", words.masters_line(master)) for master in cluster.masters),
        ("topology", words.topology_line(cluster)),
        *(("capacity", line) for line in words.capacity_line(cluster.capacity).split("; ")),
        ("settings", words.settings_line(plan)),
        *(("yours", text) for text in content.yours(plan)),
        *_advice(cluster),
        *_files(path, page),
    )
    return Document(
        "plan",
        "",
        (),
        words.answer(plan, cluster),
        (
            Paragraph(words.result(plan, cluster)),
            platforms._replace(short=choice),
            FactList("", facts, short=_SHORT),
        ),
    )


def _considered(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Platforms that are not in the table, and what the recommended ones cost."""
    if words.many_groups(cluster):
        yield "platforms", f"{len(cluster.candidates):,} were considered; `howdah plan explain` explains each"
        return
    refused: dict[str, list[str]] = {}
    for candidate in cluster.candidates:
        if candidate.verdict == "refused":
            reasons = "; ".join(reason.text for reason in candidate.judgements)
            refused.setdefault(reasons, []).append(content.platform_name(cluster, candidate))
    yield from (("refused", f"{', '.join(names)}: {reasons}") for reasons, names in refused.items())
    for candidate in cluster.candidates:
        if candidate.verdict == "recommended":
            group = f"{candidate.group}: " if content.several_groups(cluster) else ""
            for reason in words.against(candidate):
                if abs(reason.weight) >= _LEAST_COST:
                    yield "drawback", f"{group}costs {words.weight_text(reason)}: {reason.text}"


def _advice(cluster: Cluster) -> Iterator[tuple[str, str]]:
    ordered = words.by_severity(cluster.advice)
    yield from ((advice.severity, advice.text) for advice in ordered[:_MOST_ADVICE])
    if len(ordered) > _MOST_ADVICE:
        yield "", f"{len(ordered) - _MOST_ADVICE} more; `howdah plan explain` shows all in full"


def _files(path: Path, page: Path | None) -> Iterator[tuple[str, str]]:
    named = shlex.quote(str(path))
    yield "plan", str(path)
    if page is not None:
        yield "page", str(page)
    yield "reasons", f"howdah plan explain {named}"
    yield "next", f"howdah render {named} --output DIR"


def plan_values(plan: ClusterPlan, grounds: Grounds) -> Document:
    """Every value with its reason, by the file it belongs to; then what is no value."""
    advice = content.advice(plan.cluster, grounds)
    folded = FoldedBlocks("advice", present(advice), size=len(advice.items))
    return Document("values", "", (), "", present(*content.values(plan, grounds), folded))


def setting_document(setting: Setting, grounds: Grounds, default: str | None) -> Document:
    """One value: what it is, why, by which rule, from which numbers and sources."""
    facts = (
        ("set by", "you" if setting.origin == "user" else "a rule"),
        *content.setting_facts(setting, grounds),
        ("file", setting.file or ""),
        ("workers", setting.worker or ""),
        ("hosts", setting.group or ""),
        ("default", "" if default is None else f"{words.default_text(default)} in the release"),
    )
    inputs = content.setting_inputs(setting)
    sources = content.sources(grounds.cited(setting.source))
    return Document(
        "value",
        "",
        (),
        f"{setting.key} = {words.setting_value(setting)}",
        present(
            Paragraph(sentence(setting.reason)),
            FactList("", tuple((name, value) for name, value in facts if value)),
            FoldedBlocks("numbers that went in", present(FactList("", inputs)), size=len(inputs)),
            FoldedBlocks("sources", present(sources), size=len(sources.items)),
        ),
    )


def candidate_document(candidate: Candidate, grounds: Grounds) -> Document:
    """One platform: its pros and cons, rule by rule."""
    virtual = candidate.platform != "native"
    kinds = tuple(
        (
            f"{kind.per_host} × {kind.name}",
            words.size(kind, virtual=virtual)
            + (f", {words.at_once(kind)} tasks at once" if kind.map_slots else ""),
        )
        for kind in candidate.kinds
    )
    head = f"{candidate.platform} on {candidate.group}: {candidate.verdict}"
    if candidate.verdict != "refused":
        head += f", {format_counted(candidate.workers, 'worker')}"
    return Document(
        "platform", "", (), head, present(FactList("", kinds), content.reasons(candidate, grounds))
    )


def master_document(master: Master, plan: ClusterPlan, grounds: Grounds) -> Document:
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
        facts.append(("rule", grounds.rule(master.rule)))
    return Document(
        "master", "", (), master.name, (Paragraph(sentence(master.reason)), FactList("", tuple(facts)))
    )

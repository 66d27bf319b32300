"""A plan in a terminal: in short, the reasons for one of its values, and its storage policies compared."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from howdah.model.plan import Candidate, Cluster, ClusterPlan, Master, Setting
from howdah.model.storage_policy import HostMove, PolicyCost, StorageComparison
from howdah.report.document import Block, Bullets, Document, FactList, FoldedBlocks, Paragraph, present
from howdah.report.plan import content, words
from howdah.report.plan.content import Grounds
from howdah.report.words import NONE, sentence, table_of
from howdah.units import format_bytes, format_count_short, format_counted, format_percent, format_seconds

_MOST_ADVICE = 4
_LEAST_COST = 0.01  # A smaller part of the work's time is not worth a line.
_SHORT = frozenset({"refused", "drawback", "topology", "settings", "must", "should", "may"})
"""The lines that a terminal may cut; `howdah plan explain` shows all of them."""


def plan_summary(plan: ClusterPlan, path: Path, page: Path | None) -> Document:
    """The answer, the platforms, where masters and replicas go, what to know, and where the files are."""
    cluster = plan.cluster
    left_out = {"refused", "possible"} if words.many_groups(cluster) else {"refused"}
    shown = [candidate for candidate in cluster.candidates if candidate.verdict not in left_out]
    choice = len(shown) > len(cluster.layouts)
    platforms = content.platform_table(cluster, shown, map(words.verdict, shown) if choice else ())
    ordered = words.by_severity(cluster.advice)
    unlisted = len(ordered) - _MOST_ADVICE
    facts = (
        ("work", words.work_line(cluster)),
        *_considered(cluster),
        *(("masters", words.masters_line(master)) for master in cluster.masters),
        ("topology", words.topology_line(cluster)),
        *(("capacity", line) for line in words.capacity_line(cluster.capacity).split("; ")),
        ("settings", words.settings_line(plan)),
        *(("yours", text) for text in content.yours(plan)),
        *((advice.severity, advice.text) for advice in ordered[:_MOST_ADVICE]),
        *((("", f"{unlisted} more; `howdah plan explain` shows all in full"),) if unlisted > 0 else ()),
        ("plan", str(path)),
        *((("page", str(page)),) if page is not None else ()),
        ("reasons", f"howdah plan explain {shlex.quote(str(path))}"),
        ("next", f"howdah render {shlex.quote(str(path))} --output DIR"),
    )
    result = Paragraph(words.result(plan, cluster))
    shown_facts = FactList("", facts, short=_SHORT)
    return Document.for_terminal(
        "plan", words.answer(plan, cluster), result, platforms._replace(short=choice), shown_facts
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


def plan_values(plan: ClusterPlan, grounds: Grounds) -> Document:
    """Every value with its reason, by the file it belongs to; then what is no value."""
    advice = content.advice(plan.cluster, grounds)
    folded = FoldedBlocks("advice", present(advice), size=len(advice.items))
    return Document.for_terminal("values", "", *content.values(plan, grounds), folded)


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
    return Document.for_terminal(
        "value",
        f"{setting.key} = {words.setting_value(setting)}",
        Paragraph(sentence(setting.reason)),
        FactList("", tuple((name, value) for name, value in facts if value)),
        FoldedBlocks("numbers that went in", present(FactList("", inputs)), size=len(inputs)),
        FoldedBlocks("sources", present(sources), size=len(sources.items)),
    )


def candidate_document(candidate: Candidate, grounds: Grounds) -> Document:
    """One platform: its pros and cons, rule by rule."""
    virtual = candidate.platform != "native"
    kinds = []
    for kind in candidate.kinds:
        slots = f", {words.at_once(kind)} tasks at once" if kind.map_slots else ""
        kinds.append((f"{kind.per_host} × {kind.name}", f"{words.size(kind, virtual=virtual)}{slots}"))
    head = f"{candidate.platform} on {candidate.group}: {candidate.verdict}"
    if candidate.verdict != "refused":
        head += f", {format_counted(candidate.workers, 'worker')}"
    reasons = content.reasons(candidate, grounds)
    return Document.for_terminal("platform", head, FactList("", tuple(kinds)), reasons)


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
    reason = Paragraph(sentence(master.reason))
    return Document.for_terminal("master", master.name, reason, FactList("", tuple(facts)))


def storage_blocks(comparison: StorageComparison) -> Iterator[Block]:
    """The answer, needs and costs of every policy, what one host takes, and the reasons."""
    yield Paragraph(_answer(comparison), "lead")
    yield table_of(
        comparison.policies,
        "policy {policy} | verdict {verdict} | on disk {raw_bytes:B} | per byte {raw_per_byte:.3g} | "
        "survives {survives} | hosts {least_hosts} | racks {least_racks:?}",
        title="What each policy needs",
        about="Hosts and racks are the fewest with which it survives a loss and rebuilds a host.",
        survives=_survives,
    )
    yield table_of(
        comparison.policies,
        "policy {policy} | network to write {write_network_per_byte:.2f} | "
        "to read {read_network_per_byte:.2f} | reads a month {read_network_per_month:?B} | "
        "CPU per TB {encode_core_s_per_tb:?time} | names {objects}",
        title="What each policy costs",
        about="Network is in bytes for each byte that a task on a worker writes, or reads next to its data.",
        objects=lambda cost: format_count_short(cost.objects),
    )
    stored = [cost for cost in comparison.policies if cost.verdict != "impossible"]
    yield table_of(
        stored,
        "policy {policy} | lost {rebuild.lost_bytes:B} | network {rebuild.network_bytes:B} | "
        "CPU {rebuild.core_s:?time} | time {took} | limit {rebuild.limit}",
        title=f"Rebuild of a lost {comparison.lost}",
        took=lambda cost: _time(cost.rebuild),
    )
    yield table_of(
        stored,
        "policy {policy} | moved {drain.network_bytes:B} | time {took} | limit {drain.limit}",
        title=f"Draining of a {comparison.lost}",
        took=lambda cost: _time(cost.drain),
    )
    yield Paragraph(
        "Rebuilding starts when the NameNode gives up lost DataNodes, after "
        f"{format_seconds(comparison.noticed_s)}, "
        f"and may take {format_percent(comparison.share)} of disks, network and cores from jobs.",
        "note",
    )
    if any(cost.rebuild.simulated_s is not None for cost in comparison.policies):
        yield Paragraph("Times in parentheses are simulated, block by block.", "note")
    yield Bullets(
        tuple(f"{cost.policy}: {reason}" for cost in comparison.policies for reason in cost.reasons)
    )
    if comparison.racks < 2:
        yield Paragraph("No racks are known, so the loss of one may lose data under any policy.", "note")
    yield Paragraph(
        "CPU is that of Hadoop's Java coder; ISA-L codes several times faster. HBase's directories need "
        "replicas: its log is synced, which coded files cannot be.",
        "note",
    )


def _answer(comparison: StorageComparison) -> str:
    data = comparison.data
    best = next((cost for cost in comparison.policies if cost.verdict == "recommended"), None)
    age = f", {data.age_days:g} days old" if data.age_days is not None else ""
    amount = f"{format_bytes(data.data_bytes)} in files of {format_bytes(data.file_bytes)}{age}"
    racks = format_counted(comparison.racks, "rack") if comparison.racks > 1 else "no known racks"
    nodes = format_counted(comparison.workers, "DataNode")
    where = f"{format_counted(comparison.hosts, 'host')} with {nodes} in {racks}"
    if best is None:
        possible = any(cost.verdict != "impossible" for cost in comparison.policies)
        return f"No policy is {'safe' if possible else 'possible'} for {amount} on {where}."
    disks = format_bytes(best.raw_bytes)
    return f"Recommended for {amount} on {where}: {best.policy}, with {disks} on disks."


def _survives(cost: PolicyCost) -> str:
    if cost.verdict == "impossible":
        return NONE
    hosts = format_counted(cost.hosts_lost, "host")
    if cost.survives_rack is None:
        return hosts
    return f"{hosts}, a rack" if cost.survives_rack else f"{hosts}, no rack"


def _time(move: HostMove) -> str:
    computed = format_seconds(move.elapsed_s)
    return computed if move.simulated_s is None else f"{computed} (~{format_seconds(move.simulated_s)})"

"""What a plan's page says, in order, before any form is given to it."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import howdah
from howdah.model.hostname import expand_all
from howdah.model.plan import Advice, Breach, Candidate, Cluster, ClusterPlan, Master, Setting
from howdah.model.plan_options import written_options
from howdah.model.request import PlanRequest
from howdah.model.sharing import Sharing
from howdah.model.value import value_text
from howdah.report.document import Table
from howdah.report.plan import words
from howdah.report.words import sentence, source_text
from howdah.units import format_counted

MOST_RACKS = 200
"""More racks than this are left to the plan's file."""
_COMMAND, _DIGEST = "planned by", "inventory's SHA-256"


class Cited(NamedTuple):
    """One source as it is cited; where it is an item of a paper, the paper's title and what it says there."""

    label: str
    title: str = ""
    says: str = ""

    @property
    def name(self) -> str:
        """The source for readers."""
        return source_text(self.label)


class RuleText(NamedTuple):
    """What a rule says, and what time has changed of it."""

    says: str
    today: str = ""


class Grounds(NamedTuple):
    """The rules by their id, and the sources by how they are cited."""

    rules: Mapping[str, RuleText]
    sources: Mapping[str, Cited]

    def cited(self, source: str) -> tuple[Cited, ...]:
        """The sources that one text cites, each in full where it is known."""
        return tuple(self.sources.get(label, Cited(label)) for label in labels(source))


def labels(source: str) -> tuple[str, ...]:
    """The sources that one text cites: ``D0 49, X7`` are two."""
    return tuple(part.strip() for part in source.split(",") if part.strip())


def command(request: PlanRequest, hosts: str = "hosts.yaml") -> str:
    """The words that ask for this plan, quoted for a shell; what is left to the planner is left out."""
    sharing = _sharing(request.sharing) if request.sharing is not None else ()
    return shlex.join(["howdah", "plan", hosts, *written_options(request), *sharing])


def _sharing(sharing: Sharing) -> Iterator[str]:
    """The others' plans are called after their clusters: where they are kept is not a plan's to know."""
    if sharing.percent is not None:
        yield from ("--share", f"{sharing.percent}%")
    for other in sharing.beside:
        yield from ("--beside", f"{other.cluster}.yaml")
    yield from ("--cluster", sharing.cluster)


class PlatformChoice(NamedTuple):
    """One platform with its figures and what speaks for and against it."""

    candidate: Candidate
    cells: tuple[str, ...]
    verdict: str
    reasons: tuple[tuple[str, str, str, str], ...]
    """Which way, how much, what and by which rule."""


class Decided(NamedTuple):
    """One setting as the page shows it."""

    key: str
    value: str
    note: str
    holds_for: str
    reason: str
    rule: str
    rule_text: RuleText
    sources: tuple[Cited, ...]
    inputs: tuple[tuple[str, str], ...]
    breaks: tuple[tuple[Breach, str], ...]
    """Each rule that it breaks, and how much that matters."""
    yours: bool


class PlanContent(NamedTuple):
    """Everything the page says."""

    title: str
    kicker: tuple[str, ...]
    answer: str
    leads: tuple[str, ...]
    several_groups: bool
    choices: tuple[PlatformChoice, ...]
    choices_left_out: int
    masters: tuple[tuple[Master, str, str], ...]
    topology: tuple[tuple[str, str], ...]
    racks: Table
    files: tuple[tuple[str, tuple[Decided, ...]], ...]
    yours: tuple[Decided, ...]
    advice: tuple[tuple[Advice, tuple[Cited, ...]], ...]
    cited: tuple[Cited, ...]
    facts: tuple[tuple[str, str], ...]
    verbatim: frozenset[str]
    """The facts that are read by machines."""


def content(plan: ClusterPlan, cluster: Cluster, grounds: Grounds) -> PlanContent:
    """The page's content."""
    request = cluster.request
    several = len(plan.workers) > 1 or len(cluster.inventory.groups) > 1
    decided = [
        (setting.file or words.OF_THE_PLAN, _decided(setting, grounds, several=several))
        for setting in plan.settings
    ]
    chosen = [
        candidate
        for candidate in cluster.candidates
        if candidate.verdict == "recommended" or not words.many_groups(cluster)
    ]
    names = dict.fromkeys(file for file, _ in decided)
    claim, _, does = words.answer(plan, cluster).partition(": ")
    return PlanContent(
        title=f"{cluster.inventory.cluster}: plan",
        kicker=(
            f"plan of {cluster.inventory.cluster}",
            f"Hadoop {request.hadoop}",
            *((f"HBase {request.hbase}",) if request.hbase_used else ()),
        ),
        answer=f"{claim}.",
        leads=(
            does,
            sentence(words.topology_line(cluster)),
            f"It holds {words.capacity_line(cluster.capacity)}.",
        ),
        several_groups=len({candidate.group for candidate in cluster.candidates}) > 1,
        choices=tuple(_choice(candidate) for candidate in chosen),
        choices_left_out=len(cluster.candidates) - len(chosen),
        masters=tuple(
            (master, words.place(master), words.master_size(master, cluster)) for master in cluster.masters
        ),
        topology=_topology(cluster),
        racks=_racks(cluster),
        files=tuple((name, tuple(decision for file, decision in decided if file == name)) for name in names),
        yours=tuple(decision for _, decision in decided if decision.yours),
        advice=tuple((advice, grounds.cited(advice.source)) for advice in words.by_severity(cluster.advice)),
        cited=_all_cited(plan, cluster, grounds),
        facts=_facts(cluster),
        verbatim=frozenset({_COMMAND, _DIGEST}),
    )


def _choice(candidate: Candidate) -> PlatformChoice:
    ordered = sorted(
        candidate.judgements, key=lambda judgement: (judgement.verdict != "for", -abs(judgement.weight))
    )
    reasons = tuple(
        (judgement.verdict, words.weight_text(judgement), judgement.text, judgement.rule)
        for judgement in ordered
    )
    verdict = "" if candidate.verdict == "possible" else candidate.verdict
    return PlatformChoice(candidate, words.figures(candidate), verdict, reasons)


def _topology(cluster: Cluster) -> tuple[tuple[str, str], ...]:
    topology = cluster.topology
    return (
        (
            "racks",
            "as the inventory lists them" if topology.real_racks else "virtual: the inventory lists none",
        ),
        ("replicas", f"kept on different hosts by {words.PLACEMENTS[topology.placement]}"),
        ("because", topology.reason),
    )


def _racks(cluster: Cluster) -> Table:
    racks = cluster.topology.racks
    rows = [
        (f"/{rack.name}", f"{len(expand_all(rack.hosts)):,}", ", ".join(rack.hosts))
        for rack in racks[:MOST_RACKS]
    ]
    if len(racks) > MOST_RACKS:
        rest = racks[MOST_RACKS:]
        more = f"{format_counted(len(rest), 'more rack')} to /{rest[-1].name}, in the plan's file"
        rows.append(("…", f"{sum(len(expand_all(rack.hosts)) for rack in rest):,}", more))
    return Table(("rack", "hosts", "which"), tuple(rows))


def _decided(setting: Setting, grounds: Grounds, *, several: bool) -> Decided:
    return Decided(
        key=setting.key,
        value=value_text(setting.value),
        note=words.size_note(setting),
        holds_for=(setting.worker or setting.group or "") if several else "",
        reason=setting.reason,
        rule=setting.rule or "",
        rule_text=grounds.rules.get(setting.rule or "", RuleText("")),
        sources=grounds.cited(setting.source),
        inputs=tuple((fact.name, words.input_text(fact)) for fact in setting.inputs),
        breaks=tuple((breach, words.weight_of(breach)) for breach in setting.breaks),
        yours=setting.origin == "user",
    )


def _all_cited(plan: ClusterPlan, cluster: Cluster, grounds: Grounds) -> tuple[Cited, ...]:
    """Every item of a paper that the page cites, in the papers' order."""
    texts = [*(setting.source for setting in plan.settings), *(advice.source for advice in cluster.advice)]
    used = {label for text in texts for label in labels(text)}
    return tuple(source for label, source in grounds.sources.items() if label in used and source.says)


def _facts(cluster: Cluster) -> tuple[tuple[str, str], ...]:
    inventory = cluster.inventory
    digest = hashlib.sha256(inventory.model_dump_json().encode()).hexdigest()
    groups = ", ".join(f"{group.name} ({group.count:,})" for group in inventory.groups)
    return (
        (_COMMAND, command(cluster.request)),
        ("hosts", f"{format_counted(inventory.host_count, 'host')}: {groups}"),
        (_DIGEST, digest),
        ("made for", f"Hadoop {cluster.request.hadoop}, HBase {cluster.request.hbase}"),
        ("profile", cluster.request.profile.value),
        ("howdah", howdah.__version__),
        ("format", str(cluster.howdah)),
    )

"""What a plan's page and a terminal show: its platforms, masters, values, advice and sources as blocks."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import howdah
from howdah.model.hostname import expand_all
from howdah.model.inventory import Sharing
from howdah.model.plan import Candidate, Cluster, ClusterPlan, Setting, value_text
from howdah.model.plan_options import written_options
from howdah.model.request import PlanRequest
from howdah.releases.values import read_list
from howdah.report.document import Block, Entries, FactList, FoldedBlocks, Table, TextEntry
from howdah.report.plan import words
from howdah.report.words import source_text
from howdah.units import format_counted

MOST_RACKS = 200  # More racks than this are left to the plan's file.


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

    def names(self, source: str) -> str:
        """The names of the sources that one text cites."""
        return ", ".join(cited.name for cited in self.cited(source))

    def rule(self, rule: str) -> str:
        """A rule's id and its words, which an older plan's rule may no longer have."""
        says = self.rules.get(rule, RuleText("")).says
        return f"{rule}: {says}" if says else rule


def labels(source: str) -> tuple[str, ...]:
    """The sources that one text cites: ``D0 49, X7`` are two."""
    return read_list(source)


def command(request: PlanRequest, hosts: str = "hosts.yaml") -> str:
    """The words that ask for this plan, quoted for a shell; what is left to the planner is left out."""
    sharing = _sharing(request.sharing) if request.sharing is not None else ()
    return shlex.join(["howdah", "plan", hosts, *written_options(request), *sharing])


def _sharing(sharing: Sharing) -> Iterator[str]:
    """The others' plans are called after their clusters: where they are kept is not a plan's to know."""
    if sharing.percent is not None:
        yield from ("--share", f"{sharing.percent}%")
    for cluster_plan in sharing.beside:
        yield from ("--beside", f"{cluster_plan.cluster}.yaml")
    yield from ("--cluster", sharing.cluster)


def several_groups(cluster: Cluster) -> bool:
    """Whether there are platforms of several groups of hosts."""
    return len({candidate.group for candidate in cluster.candidates}) > 1


def platform_name(cluster: Cluster, platform: Candidate) -> str:
    """A platform's name, with that of its group if there are several."""
    return f"{platform.group}: {platform.platform}" if several_groups(cluster) else platform.platform


def platform_table(cluster: Cluster, platforms: Sequence[Candidate], verdicts: Iterable[str]) -> Table:
    """Platforms with their numbers; with ``verdicts``, a word or a sentence on each."""
    last = tuple((verdict,) for verdict in verdicts)
    columns = ("platform", "workers", "CPUs", "memory", "disks", "at once", *(["verdict"] if last else []))
    rows = (
        (platform_name(cluster, platform), *words.figures(platform), *verdict)
        for platform, verdict in zip(platforms, last or [()] * len(platforms), strict=True)
    )

    def with_verdict(verdict: str) -> frozenset[int]:
        return frozenset(at for at, platform in enumerate(platforms) if platform.verdict == verdict)

    return Table(columns, tuple(rows), strong=with_verdict("recommended"), faint=with_verdict("refused"))


def best_platforms(cluster: Cluster) -> list[Candidate]:
    """Every platform, the best first; of many groups only the best of each."""
    many = words.many_groups(cluster)
    return [candidate for candidate in cluster.candidates if candidate.verdict == "recommended" or not many]


def platforms_opening(cluster: Cluster, grounds: Grounds) -> Table:
    """The best platforms, which open onto their pros and cons."""
    shown = best_platforms(cluster)
    verdicts = ["" if candidate.verdict == "possible" else candidate.verdict for candidate in shown]
    return platform_table(cluster, shown, verdicts)._replace(
        label="Platforms",
        style="choices",
        details=tuple((reasons(candidate, grounds),) for candidate in shown),
    )


def reasons(candidate: Candidate, grounds: Grounds) -> Entries:
    """The pros of a platform, then its cons, the weightiest first."""
    entries = []
    for judgement in words.by_weight(candidate):
        weight = words.weight_text(judgement)
        text = f"{judgement.text} ({weight})" if weight else judgement.text
        entries.append(TextEntry(judgement.verdict, text, grounds.rule(judgement.rule)))
    return Entries(tuple(entries))


def masters(cluster: Cluster) -> Entries:
    """Every master with its daemons, its host and the reason."""
    entries = []
    for master in cluster.masters:
        shadow = f"; shadow on {master.shadow_host}" if master.shadow_host else ""
        text = f"on {master.host}, {words.place(master)}; {words.master_size(master, cluster)}{shadow}"
        note = f"{master.reason} · {master.rule}" if master.rule else master.reason
        entries.append(TextEntry(master.name, text, note, strong=", ".join(master.roles)))
    return Entries(tuple(entries))


def topology(cluster: Cluster) -> FactList:
    """How racks and replicas are arranged."""
    placed = cluster.topology
    racks = "as the inventory lists them" if placed.real_racks else "virtual: the inventory lists none"
    replicas = f"kept on different hosts by {words.PLACEMENTS[placed.placement]}"
    return FactList("", (("racks", racks), ("replicas", replicas), ("because", placed.reason)))


def racks(cluster: Cluster) -> Table:
    racks = cluster.topology.racks
    rows = [
        (f"/{rack.name}", f"{len(expand_all(rack.hosts)):,}", ", ".join(rack.hosts))
        for rack in racks[:MOST_RACKS]
    ]
    if len(racks) > MOST_RACKS:
        further = racks[MOST_RACKS:]
        more = f"{format_counted(len(further), 'more rack')} to /{further[-1].name}, in the plan's file"
        rows.append(("…", f"{sum(len(expand_all(rack.hosts)) for rack in further):,}", more))
    return Table(("rack", "hosts", "which"), tuple(rows), label="Racks and their hosts")


def advice(cluster: Cluster, grounds: Grounds) -> Entries:
    entries = []
    for advice in words.by_severity(cluster.advice):
        note = f"{advice.rule} · {grounds.names(advice.source)}"
        entries.append(TextEntry(advice.severity, advice.text, note))
    return Entries(tuple(entries))


def yours(plan: ClusterPlan) -> Iterator[str]:
    """The user's own values, and the rules that they break."""
    for setting in plan.settings:
        if setting.origin == "user":
            breaches = "; ".join(
                f"{breach.rule} ({words.weight_of(breach)}): {breach.says}" for breach in setting.breaks
            )
            value = f"{setting.key} = {value_text(setting.value)}"
            yield f"{value} breaks {breaches}" if breaches else value


def values(plan: ClusterPlan, grounds: Grounds) -> tuple[Block, ...]:
    """Every value with its reason, by the file that it belongs to; each opens onto its grounds."""
    several = len(plan.workers) > 1 or len(plan.cluster.inventory.groups) > 1
    files: dict[str, list[Setting]] = {}
    for setting in plan.settings:
        files.setdefault(setting.file or words.OF_THE_PLAN, []).append(setting)
    return tuple(
        FoldedBlocks(name, (_values(settings, grounds, several=several),), size=len(settings))
        for name, settings in files.items()
    )


def _values(settings: Sequence[Setting], grounds: Grounds, *, several: bool) -> Table:
    rows, details = [], []
    for setting in settings:
        workers = setting.worker or setting.group or ""
        key = f"{setting.key} ({workers})" if several and workers else setting.key
        reason = f"yours: {setting.reason}" if setting.origin == "user" else setting.reason
        rows.append((key, words.setting_value(setting), reason))
        source = ("source", grounds.names(setting.source))
        facts = (*setting_facts(setting, grounds), source, *setting_inputs(setting))
        details.append((FactList("", facts),))
    yours = frozenset(at for at, setting in enumerate(settings) if setting.origin == "user")
    label, blanks = "Values", ("", "", "")
    return Table(blanks, tuple(rows), label=label, style="settings", strong=yours, details=tuple(details))


def setting_facts(setting: Setting, grounds: Grounds) -> tuple[tuple[str, str], ...]:
    """The rule of a value, and the rules that it breaks."""
    facts = []
    if setting.rule is not None:
        facts.append(("rule", grounds.rule(setting.rule)))
        if today := grounds.rules.get(setting.rule, RuleText("")).today:
            facts.append(("today", today))
    breaches = (f"{breach.rule} ({words.weight_of(breach)}): {breach.says}" for breach in setting.breaks)
    return (*facts, *(("breaks", breach) for breach in breaches))


def setting_inputs(setting: Setting) -> tuple[tuple[str, str], ...]:
    """The numbers that went into a value."""
    return tuple((fact.name, words.input_text(fact)) for fact in setting.inputs)


def source_entries(plan: ClusterPlan, grounds: Grounds) -> Entries:
    """Every item of a paper that the plan cites, in the papers' order."""
    advice = plan.cluster.advice
    texts = [*(setting.source for setting in plan.settings), *(item.source for item in advice)]
    used = {label for text in texts for label in labels(text)}
    return sources(source for label, source in grounds.sources.items() if label in used and source.says)


def sources(cited: Iterable[Cited]) -> Entries:
    """Sources with their words; the page links to those that it has words of."""
    entries = []
    for source in cited:
        anchor = f"source-{source.label.replace(' ', '-')}" if source.says else ""
        entries.append(TextEntry(source.name, source.says, source.title, anchor=anchor))
    return Entries(tuple(entries))


def facts(cluster: Cluster) -> FactList:
    inventory = cluster.inventory
    digest = hashlib.sha256(inventory.model_dump_json().encode()).hexdigest()
    groups = ", ".join(f"{group.name} ({group.count:,})" for group in inventory.groups)
    return FactList(
        "",
        (
            ("planned by", command(cluster.request)),
            ("hosts", f"{format_counted(inventory.host_count, 'host')}: {groups}"),
            ("inventory's SHA-256", digest),
            ("made for", f"Hadoop {cluster.request.hadoop}, HBase {cluster.request.hbase}"),
            ("profile", cluster.request.profile.value),
            ("howdah", howdah.__version__),
            ("format", str(cluster.howdah)),
        ),
        verbatim=frozenset({"planned by", "inventory's SHA-256"}),
    )

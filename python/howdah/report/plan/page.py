"""A plan as a page: the answer, the evidence, every value with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.plan import Cluster, ClusterPlan
from howdah.report.document import (
    Block,
    Document,
    FoldedBlocks,
    Heading,
    PagePart,
    Paragraph,
    Section,
    present,
)
from howdah.report.html import html
from howdah.report.plan.content import Grounds, PlanContent, content
from howdah.report.plan.drawings.host import host
from howdah.report.plan.drawings.racks import racks
from howdah.report.plan.growth import growth
from howdah.report.plan.memory import memory
from howdah.report.plan.platforms import platforms
from howdah.report.renderer import svg

HOSTS_ABOUT = "How a full host is divided, what every host carries, and where the masters are."
ADVICE_ABOUT = "What no setting covers: hardware to buy, firmware settings, first steps and what to monitor."
SETTINGS_ABOUT = (
    "Every value with its reason; a row opens onto its rule, its sources and the numbers that went in."
)
TEMPLATE = "plan.html.j2"
_MOST_HOSTS = 8
"""More groups of hosts than this are not all drawn."""


def plan_page(plan: ClusterPlan, grounds: Grounds) -> str:
    """The whole HTML document; the plan is one of a cluster."""
    document = plan_document(plan, grounds)
    return html(document, {figure.id: svg(figure) for figure in document.figures()})


def plan_document(plan: ClusterPlan, grounds: Grounds) -> Document:
    """The page of a plan of a cluster."""
    cluster = plan.cluster
    shown, capacity = content(plan, cluster, grounds), growth(cluster.capacity)
    return Document(
        "plan",
        shown.title,
        shown.kicker,
        shown.answer,
        present(
            *(Paragraph(text, "lead") for text in shown.leads),
            PagePart(TEMPLATE, "yours", shown.yours) if shown.yours else None,
            platforms(cluster),
        ),
        (
            Section("hosts", "Hosts", "Hosts", _hosts(plan, cluster, shown), HOSTS_ABOUT),
            Section("memory-section", "Memory", "Memory", present(memory(plan))),
            Section("capacity", "Capacity", "Capacity", present(capacity)),
            Section("choices", "Platforms", "Platforms", _choices(shown), _choices_about(shown)),
            Section("advice", "Advice", "Advice", _part("advice", shown.advice), ADVICE_ABOUT),
            Section(
                "settings",
                "Settings",
                "Settings",
                (PagePart(TEMPLATE, "settings", shown.files),),
                SETTINGS_ABOUT,
            ),
            Section("provenance", "Provenance", "Provenance", _provenance(shown)),
        ),
        save_name=f"{cluster.inventory.cluster}-plan",
        own="plan",
    )


def _hosts(plan: ClusterPlan, cluster: Cluster, shown: PlanContent) -> tuple[Block, ...]:
    """One full host of every group that carries workers, then racks and masters."""
    groups = {group.name: group for group in cluster.inventory.groups}
    drawings = [
        host(groups[layout.group], layout, [kind for kind in plan.workers if kind.group == layout.group])
        for layout in cluster.layouts[:_MOST_HOSTS]
    ]
    more = len(cluster.layouts) - len(drawings)
    return present(
        *(PagePart(TEMPLATE, "drawing", drawing) for drawing in drawings),
        Paragraph(f"The hosts of {more} more groups are not drawn." if more else "", "note"),
        PagePart(TEMPLATE, "drawing", racks(cluster)),
        Heading("Masters"),
        PagePart(TEMPLATE, "masters", shown.masters),
        Heading("Topology"),
        PagePart(TEMPLATE, "pairs", [(name, value, False) for name, value in shown.topology]),
        FoldedBlocks("Racks and their hosts", (shown.racks._replace(label="Racks and their hosts"),)),
    )


def _choices(shown: PlanContent) -> tuple[Block, ...]:
    return (PagePart(TEMPLATE, "choices", (shown.several_groups, shown.choices)),)


def _choices_about(shown: PlanContent) -> str:
    about = (
        "Every way to divide these hosts that was considered, the best first. A row opens onto its pros and "
        "cons."
    )
    if not shown.choices_left_out:
        return about
    more = f"`howdah plan explain` lists the other {shown.choices_left_out}."
    return f"{about} Of so many groups only the best are here; {more}"


def _provenance(shown: PlanContent) -> tuple[Block, ...]:
    pairs = [(name, value, name in shown.verbatim) for name, value in shown.facts]
    return (PagePart(TEMPLATE, "pairs", pairs), *_part("sources", shown.cited))


def _part(macro: str, value: Sequence[object]) -> tuple[Block, ...]:
    return (PagePart(TEMPLATE, macro, value),) if value else ()

"""A plan as a page: the answer, the evidence, every value with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.plan import Cluster, Plan
from howdah.report.document import data, drawn, environment, scripts, style
from howdah.report.figure import Figure
from howdah.report.plan.content import Grounds, PlanContent, content
from howdah.report.plan.drawings import Drawing
from howdah.report.plan.drawings.host import host
from howdah.report.plan.drawings.racks import racks
from howdah.report.plan.growth import growth
from howdah.report.plan.memory import memory
from howdah.report.plan.platforms import platforms
from howdah.report.renderer import svg
from howdah.units import format_gib

_MOST_HOSTS = 8
"""More groups of hosts than this are not all drawn."""


def plan_page(plan: Plan, grounds: Grounds) -> str:
    """The whole HTML document; the plan is one of a cluster."""
    cluster = plan.cluster
    if cluster is None:
        raise ValueError("a plan for one machine without Hadoop has no cluster to show")
    said = content(plan, cluster, grounds)
    figures = {
        one.id: one for one in (platforms(cluster), memory(plan), growth(cluster.capacity)) if one is not None
    }
    pictures = {id_: svg(figure) for id_, figure in figures.items()}
    running = scripts("plan.js")
    templates = environment()
    templates.filters["gib"] = format_gib
    return templates.get_template("plan.html.j2").render(
        said=said,
        cluster=cluster,
        figures={id_: drawn(figure, pictures) for id_, figure in figures.items()},
        hosts=_hosts(plan, cluster),
        racks=racks(cluster),
        sections=_sections(said, list(figures.values())),
        style=style("plan.css"),
        scripts=running,
        policy=running.policy(),
        data=data(f"{cluster.inventory.cluster}-plan", figures.values()),
    )


def _hosts(plan: Plan, cluster: Cluster) -> list[Drawing]:
    """One full host of every group that carries workers, of very many the first ones."""
    groups = {group.name: group for group in cluster.inventory.groups}
    return [
        host(groups[layout.group], layout, [kind for kind in plan.workers if kind.group == layout.group])
        for layout in cluster.layouts[:_MOST_HOSTS]
    ]


def _sections(said: PlanContent, figures: Sequence[Figure]) -> list[tuple[str, str]]:
    present = [
        ("hosts", "Hosts", True),
        ("memory-section", "Memory", True),
        ("capacity", "Capacity", any(one.id == "growth" for one in figures)),
        ("choices", "Platforms", True),
        ("advice", "Advice", said.advice),
        ("settings", "Settings", True),
        ("provenance", "Provenance", True),
    ]
    return [(id_, name) for id_, name, content_ in present if content_]

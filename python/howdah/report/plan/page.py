"""A plan as a page: the answer, the evidence, every value with its reason."""

from __future__ import annotations

from howdah.model.plan import Cluster, ClusterPlan
from howdah.report.document import Figure
from howdah.report.html_shell import Shell, ShownPage, drawn, page
from howdah.report.plan.content import Grounds, content
from howdah.report.plan.drawings import Drawing
from howdah.report.plan.drawings.host import host
from howdah.report.plan.drawings.racks import racks
from howdah.report.plan.growth import growth
from howdah.report.plan.memory import memory
from howdah.report.plan.platforms import platforms
from howdah.report.renderer import svg

_MOST_HOSTS = 8
"""More groups of hosts than this are not all drawn."""


def plan_page(plan: ClusterPlan, grounds: Grounds) -> str:
    """The whole HTML document; the plan is one of a cluster."""
    figures = _figures(plan)
    return _page(plan, grounds, figures, {figure.id: svg(figure) for figure in figures})


def shown_plan(plan: ClusterPlan, grounds: Grounds, shell: Shell) -> ShownPage:
    """A plan as a page within a shell."""
    figures = _figures(plan)
    return ShownPage(_page(plan, grounds, figures, None, shell), figures)


def _figures(plan: ClusterPlan) -> tuple[Figure, ...]:
    cluster = plan.cluster
    every = (platforms(cluster), memory(plan), growth(cluster.capacity))
    return tuple(figure for figure in every if figure is not None)


def _page(
    plan: ClusterPlan,
    grounds: Grounds,
    drawings: tuple[Figure, ...],
    pictures: dict[str, str] | None,
    shell: Shell | None = None,
) -> str:
    cluster = plan.cluster
    said = content(plan, cluster, grounds)
    figures = {figure.id: figure for figure in drawings}
    return page(
        "plan.html.j2",
        f"{cluster.inventory.cluster}-plan",
        figures.values(),
        sections=(
            ("hosts", "Hosts", True),
            ("memory-section", "Memory", True),
            ("capacity", "Capacity", "growth" in figures),
            ("choices", "Platforms", True),
            ("advice", "Advice", said.advice),
            ("settings", "Settings", True),
            ("provenance", "Provenance", True),
        ),
        own="plan",
        shell=shell,
        said=said,
        cluster=cluster,
        figures={id_: drawn(figure, pictures) for id_, figure in figures.items()},
        hosts=_hosts(plan, cluster),
        racks=racks(cluster),
    )


def _hosts(plan: ClusterPlan, cluster: Cluster) -> list[Drawing]:
    """One full host of every group that carries workers, of very many the first ones."""
    groups = {group.name: group for group in cluster.inventory.groups}
    return [
        host(groups[layout.group], layout, [kind for kind in plan.workers if kind.group == layout.group])
        for layout in cluster.layouts[:_MOST_HOSTS]
    ]

"""Facts with a plan: its request, hosts, worker and cluster, with the values that were found."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.audit.part import Part, settings_for
from howdah.audit.releases import Releases
from howdah.audit.values import Layers
from howdah.model.plan import Cluster, Plan, Value
from howdah.planner.facts import Facts
from howdah.planner.known import cluster_facts


def planned_facts(
    plan: Plan, cluster: Cluster, part: Part, known: Mapping[str, Value], releases: Releases
) -> Facts:
    """The facts that the plan's rules had, for one part of it."""
    sizes = {setting.key: setting.value for setting in settings_for(plan, part) if setting.file is None}
    return Facts(
        request=cluster.request.model_copy(update={"hadoop": releases.hadoop, "hbase": releases.hbase}),
        known_group=part.group,
        known_worker=part.kind,
        known_cluster=cluster_facts(
            cluster.inventory, cluster.layouts, plan.workers, cluster.masters, cluster.topology
        ),
        decided=Layers(known, sizes),
    )

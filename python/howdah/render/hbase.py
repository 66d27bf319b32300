"""HBase's configuration, where the plan has HBase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from howdah.model.configset import ConfigFile
from howdah.model.placement import PlacedHost
from howdah.model.plan import Cluster, Plan, Role
from howdah.render.env import env_file
from howdah.render.files import HBASE_ENV, HBASE_XML
from howdah.render.variant import EVERYWHERE, Variant, differ, of_kind, select
from howdah.render.xml import xml_file

FILES = (*HBASE_XML, *HBASE_ENV)


def hbase_files(plan: Plan, cluster: Cluster, hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """Everything of ``hbase/`` and, where kinds of workers differ, of ``hbase-<kind>/``."""
    if not cluster.request.hbase_used:
        return
    variants = [EVERYWHERE, *(map(of_kind, plan.workers) if differ(plan, FILES) else ())]
    for variant in variants:
        yield from _settings(plan, cluster, variant)
        yield from _members(variant.folder("hbase"), plan, cluster, hosts)


def _settings(plan: Plan, cluster: Cluster, variant: Variant) -> Iterable[ConfigFile]:
    for name in FILES:
        if settings := select(plan, name, variant):
            title = f"{name} of {cluster.inventory.cluster}, HBase {cluster.request.hbase}"
            content = xml_file(title, settings) if name in HBASE_XML else env_file(title, settings)
            yield ConfigFile(path=f"{variant.folder('hbase')}/{name}", content=content)


def _members(folder: str, plan: Plan, cluster: Cluster, hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    serving = {worker.name for worker in plan.workers if Role.REGIONSERVER in worker.roles}
    servers = [worker.name for host in hosts for worker in host.workers if worker.kind in serving]
    yield ConfigFile(path=f"{folder}/regionservers", content="".join(f"{name}\n" for name in servers))
    # The first HMaster is started by hand, the scripts start those in this file to wait behind it.
    waiting = [master.address for master in cluster.masters if Role.HMASTER in master.roles][1:]
    if waiting:
        yield ConfigFile(path=f"{folder}/backup-masters", content="".join(f"{name}\n" for name in waiting))

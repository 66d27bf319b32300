"""A plan's whole ConfigSet."""

from __future__ import annotations

from collections.abc import Collection

from howdah.model.configset import ConfigFile, ConfigSet
from howdah.model.placement import placed_hosts
from howdah.model.plan import Plan
from howdah.render.frameworks import framework_files
from howdah.render.hadoop import hadoop_files, hbase_files, zookeeper_files
from howdah.render.hypervisor import firmware_files, hypervisor_files
from howdah.render.members import host_files
from howdah.render.names import check_names, guard
from howdah.render.network import network_files
from howdah.render.project import project_files
from howdah.render.readme import readme
from howdah.render.sources import Spell, sources_file
from howdah.render.system import system_files
from howdah.render.units import unit_files


def render(plan: Plan, spell: Spell | None = None, leaving: Collection[str] = ()) -> ConfigSet:
    """Every file that the plan's cluster needs, sorted by path; the same plan gives the same bytes.

    ``spell`` says what a source is, for the index of sources; without it there is none. ``leaving`` are the
    workers whose data and tasks go elsewhere, before they are taken away. Raises UserError if
    the plan is for one machine without Hadoop, if a name in it is not one, or if a key or value is not what
    the release it is for takes.
    """
    cluster = guard(plan)
    check_names(plan, cluster.request)
    hosts = tuple(placed_hosts(cluster))
    files: list[ConfigFile] = [
        *hadoop_files(plan, cluster, hosts, leaving),
        *hbase_files(plan, cluster, hosts),
        *zookeeper_files(plan, cluster),
        *framework_files(plan, cluster),
        *system_files(plan, cluster),
        *network_files(plan, cluster),
        *hypervisor_files(plan, cluster, hosts),
        *firmware_files(plan),
        *host_files(hosts),
        *unit_files(plan, cluster),
    ]
    files += project_files(plan, cluster, hosts, files)
    if spell is not None:
        files.append(sources_file(plan, spell))
    files.append(readme(plan, cluster, hosts, files))
    return ConfigSet(files=tuple(sorted(files, key=lambda file: file.path)))

"""A plan's whole ConfigSet."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from howdah.model.configset import ConfigFile, ConfigSet
from howdah.model.placement import placed_hosts
from howdah.model.plan import ClusterPlan
from howdah.render.daemons import unit_files
from howdah.render.hadoop import framework_files, hadoop_files, hbase_files, zookeeper_files
from howdah.render.hypervisor import firmware_files, hypervisor_files
from howdah.render.members import host_files
from howdah.render.project import project_files
from howdah.render.readme import readme
from howdah.render.system import network_files, system_files
from howdah.render.text import check_names, guard, wrapped

Spell = Callable[[str], str]
"""Describes a source in a sentence, ``D0 74``."""

_HEAD = (
    "# Sources\n\n"
    "Every value in these files has its reason, the rule that decided it and, after a semicolon, "
    "the sources of the rule: `[hdfs.replication; X5, D0 60]`. The table explains each source.\n\n"
    "| source | meaning |\n|---|---|\n"
)
_NUMBERS = re.compile(r"(\d+)")


def sources_file(plan: ClusterPlan, spell: Spell) -> ConfigFile:
    """Every source that a setting of the plan cites, in order, with what it is."""
    rows = (
        f"| {source} | {_plain(spell(source))} |\n" for source in sorted(set(_sources(plan)), key=_in_order)
    )
    return ConfigFile(path="SOURCES.md", content=_HEAD + "".join(rows))


def _sources(plan: ClusterPlan) -> Iterator[str]:
    for setting in plan.settings:
        if setting.origin != "user":
            yield from setting.source.split(", ")


def _in_order(source: str) -> list[tuple[int, str]]:
    """Numbers by their size: D0 9 before D0 74."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in _NUMBERS.split(source)]


def _plain(text: str) -> str:
    """One line that ends no cell of the table early."""
    return " ".join(wrapped(text)).replace("|", "\\|")


def render(plan: ClusterPlan, spell: Spell | None = None, leaving: Collection[str] = ()) -> ConfigSet:
    """Every file that the plan's cluster needs, sorted by path; the same plan gives the same bytes.

    ``spell`` describes a source in the index of sources; without it there is no index. ``leaving`` are the
    workers that are drained before they are removed. Raises UserError
    for an invalid name, and for a key or value that the release does not accept.
    """
    cluster = guard(plan)
    check_names(plan, cluster.request)
    hosts = tuple(placed_hosts(cluster))
    files: list[ConfigFile] = [
        *hadoop_files(plan, hosts, leaving),
        *hbase_files(plan, hosts),
        *zookeeper_files(plan),
        *framework_files(plan),
        *system_files(plan),
        *network_files(plan),
        *hypervisor_files(plan, hosts),
        *firmware_files(plan),
        *host_files(hosts),
        *unit_files(plan),
    ]
    files += project_files(plan, hosts, files)
    if spell is not None:
        files.append(sources_file(plan, spell))
    files.append(readme(plan, hosts, files))
    return ConfigSet(files=tuple(sorted(files, key=lambda file: file.path)))

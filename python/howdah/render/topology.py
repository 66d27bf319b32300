"""Where hosts are in the network, as HDFS and YARN ask for it: a script and its table."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.configset import ConfigFile
from howdah.model.placement import PlacedHost
from howdah.model.plan import Cluster, Placement
from howdah.render.templates import template

SCRIPT = "topology.sh"
TABLE = "topology.data"


def topology_files(folder: str, cluster: Cluster, hosts: Sequence[PlacedHost]) -> tuple[ConfigFile, ...]:
    """The script that prints locations, and its table of all workers and masters."""
    grouped = cluster.topology.placement is Placement.NODE_GROUPS
    default = "/default-rack/default-nodegroup" if grouped else "/default-rack"
    return (
        ConfigFile(
            path=f"{folder}/{SCRIPT}",
            content=template("topology.sh").replace("@DEFAULT@", default),
            executable=True,
        ),
        ConfigFile(path=f"{folder}/{TABLE}", content=_table(hosts, grouped)),
    )


def _table(hosts: Sequence[PlacedHost], grouped: bool) -> str:
    """``name /rack`` or, where HDFS knows node groups, ``name /rack/host``: one node group for each host."""
    locations: dict[str, str] = {}
    for host in hosts:
        location = f"/{host.rack}/{host.name}" if grouped else f"/{host.rack}"
        locations[host.name] = location
        locations |= {worker.name: location for worker in host.workers}
        locations |= {master.address: location for master in host.masters}
    return "".join(f"{name} {location}\n" for name, location in locations.items())

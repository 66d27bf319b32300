"""Masters that stand in for one another: on which hosts they are, and what Hadoop calls each."""

from __future__ import annotations

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Cluster, Plan, Role
from howdah.model.value import value_text

_RPC = "dfs.namenode.rpc-address."


def peers(plan: Plan, cluster: Cluster, role: Role) -> dict[str, str]:
    """The hosts of all masters of a kind, each with the name that orders to hand over use: ``nn1``.

    Empty where there is one alone, or where all of a kind serve at once. Only NameNodes are given orders.
    """
    hosts = [master.address for master in cluster.masters if role in master.roles]
    if not DAEMONS[role].page.active or len(hosts) < 2:
        return {}
    names = _namenodes(plan) if role is Role.NAMENODE else {}
    return {host: names.get(host, "") for host in hosts}


def _namenodes(plan: Plan) -> dict[str, str]:
    """What the configuration calls the NameNode of each host; the last part of a key is its name."""
    return {
        value_text(setting.value).rpartition(":")[0]: setting.key.rpartition(".")[2]
        for setting in plan.settings
        if setting.file == "hdfs-site.xml" and setting.key.startswith(_RPC)
    }

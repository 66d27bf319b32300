"""Node groups against none: how many blocks have both replicas on one host, as the NameNode's fsck says."""

from __future__ import annotations

from collections.abc import Iterator

from intervals import by_chance
from laboratory import TWO_PER_HOST, Record, conduct, findings, laboratory, plan, run

GROUPED, UNGROUPED = "node groups", "no node groups"
NO_NODE_GROUPS = (
    "net.topology.impl=org.apache.hadoop.net.NetworkTopology",
    "net.topology.script.file.name=",
    "dfs.use.dfs.network.topology=true",
    "dfs.block.replicator.classname=org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyDefault",
)
"""What Hadoop does where nobody tells it which workers share a host."""


def runs() -> Iterator[Record]:
    """TeraGen with node groups and without."""
    for arm, settings in ((GROUPED, ()), (UNGROUPED, NO_NODE_GROUPS)):
        changed = [word for setting in settings for word in ("--set", setting)]
        with laboratory(plan(arm.replace(" ", "-"), *TWO_PER_HOST, *changed)):
            # Blocks of 2 MiB are many at little cost: what counts is where they go.
            yield {
                "arm": arm,
                **run("teragen", "--rows", "1M", "--block-size", "2MiB", "--replication", "2"),
            }


def concluded(made: list[Record]) -> Record:
    """How many blocks have both replicas on one host, and how likely so many are by chance."""
    spreads = {one["arm"]: one["record"]["workloads"][0]["replicas"] for one in made}
    result: Record = {
        "spreads": spreads,
        "reported": {one["arm"]: findings(one, "replicas-share-host", "replica-spread") for one in made},
    }
    if len(spreads) == 2:
        without, grouped = spreads[UNGROUPED], spreads[GROUPED]
        result["by_chance"] = by_chance(
            *(without["sharing_host"], without["blocks"]), *(grouped["sharing_host"], grouped["blocks"])
        )
    return result


if __name__ == "__main__":
    conduct("node_groups", runs(), concluded)

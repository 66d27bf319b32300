"""Coded directories of a plan against the DataNodes that there are."""

from __future__ import annotations

import pytest

from howdah.model.request import CodedDirectory, PlanRequest
from howdah.planner.reading import Inspected
from howdah.planner.rule import Inspection
from howdah.planner.rules.catalogue import find_rule
from support.facts import a_configuration, a_worker, facts_of


@pytest.mark.parametrize(("workers", "fits"), [(8, False), (9, True)])
def test_a_coded_directory_needs_a_datanode_for_each_unit(workers: int, fits: bool) -> None:
    rule = find_rule("consistency.erasure-hosts")
    assert isinstance(rule, Inspection)
    coded = PlanRequest(coded=(CodedDirectory(path="/archive", policy="RS-6-3-1024k"),))
    facts = facts_of(kinds=((a_worker(), workers),), request=coded)
    (told,) = rule.inspect(Inspected(a_configuration()), facts)
    assert told.ok is fits
    assert told.found == f"RS-6-3-1024k, which needs 9 DataNodes; there are {workers}"
    if not fits:
        assert told.fix.startswith(
            "hdfs ec -setPolicy -path /archive -policy RS-3-2-1024k, or add 1 DataNode"
        )


@pytest.mark.parametrize("topology", ["org.apache.hadoop.net.NetworkTopologyWithNodeGroup", None])
@pytest.mark.parametrize("coded", [True, False])
def test_coded_files_are_not_on_a_cluster_with_node_groups(topology: str | None, coded: bool) -> None:
    rule = find_rule("consistency.erasure-node-groups")
    assert isinstance(rule, Inspection)
    directories = (CodedDirectory(path="/archive", policy="RS-6-3-1024k"),) if coded else ()
    facts = facts_of(kinds=((a_worker(), 9),), request=PlanRequest(coded=directories))
    properties = {"net.topology.impl": topology} if topology else {}
    observed = list(rule.inspect(Inspected(a_configuration(properties)), facts))
    assert [one.ok for one in observed] == ([False] if topology and coded else [])
    if observed:
        assert "the NameNode exits" in observed[0].expected

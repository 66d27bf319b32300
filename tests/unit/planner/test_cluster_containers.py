"""Containers that the user insists on: what the plan says with them still adds up."""

from __future__ import annotations

import pytest

from howdah.model.plan import Setting
from howdah.model.request import Hypervisor, Override, PlanRequest
from howdah.planner.cluster import plan_cluster
from support.clusters import host_group, inventory

MEMORY = "yarn.nodemanager.resource.memory-mb"


def planned(**overrides: str) -> dict[str, Setting]:
    given = tuple(Override(key=key.replace("_", "."), value=value) for key, value in overrides.items())
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, overrides=given)
    return {setting.key: setting for setting in plan_cluster(inventory(host_group()), request).settings}


def _mb(settings: dict[str, Setting]) -> int:
    value = settings[MEMORY].value
    assert isinstance(value, int)
    return value


def test_a_node_manager_has_room_for_the_containers_insisted_on() -> None:
    usual, larger = planned(), planned(mapreduce_map_memory_mb="2560")
    slots = usual["worker.map_slots"].value
    assert isinstance(slots, int)
    assert _mb(larger) == _mb(usual) + slots * 512
    assert "map tasks of 2560 MB" in larger[MEMORY].reason
    assert larger["mapreduce.map.memory.mb"].breaks == ()


@pytest.mark.parametrize("kind", ["map", "reduce"])
def test_containers_too_large_for_all_tasks_break_their_rule(kind: str) -> None:
    settings = planned(**{f"mapreduce_{kind}_memory_mb": "8g"})
    (breach,) = settings[f"mapreduce.{kind}.memory.mb"].breaks
    assert breach.rule == f"mapreduce.{kind}-memory"
    assert "so fewer run at once" in settings[MEMORY].reason


def test_what_a_rule_would_have_is_said_as_hadoop_writes_it() -> None:
    settings = planned(dfs_permissions_enabled="false")
    (breach,) = settings["dfs.permissions.enabled"].breaks
    assert "Here: true, because" in breach.says

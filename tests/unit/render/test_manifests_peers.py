"""Masters that stand in for one another, and what Hadoop calls them."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.render.manifests import peers
from support.labs import lab_plan, trio_plan


def test_namenodes_have_the_names_that_orders_to_hand_over_use() -> None:
    plan = trio_plan()
    found = peers(plan, Role.NAMENODE)
    assert sorted(found.values()) == ["nn1", "nn2"]
    settings = {setting.key: setting.value for setting in plan.settings}
    for host, name in found.items():
        key = next(
            key for key in settings if key.startswith("dfs.namenode.rpc-address.") and key.endswith(name)
        )
        assert str(settings[key]).startswith(f"{host}:")


def test_others_that_elect_one_of_them_need_no_names() -> None:
    plan = trio_plan()
    assert list(peers(plan, Role.RESOURCEMANAGER).values()) == ["", ""]


def test_those_that_all_serve_and_those_alone_have_none() -> None:
    plan, single = trio_plan(), lab_plan(workers_per_host=None)
    assert peers(plan, Role.JOURNALNODE) == {}
    assert peers(single, Role.NAMENODE) == {}

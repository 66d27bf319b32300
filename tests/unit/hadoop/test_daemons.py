"""The catalogue of daemons agrees with the releases and with itself."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from howdah.hadoop.daemons import BY_NAME, DAEMONS, NODEMANAGER_PORT, RESTARTING, UPGRADING, default_port
from howdah.model.plan import Role
from howdah.releases.catalogue import hadoop, hbase

RULES = Path(__file__).parents[3] / "python/howdah/planner/rules"


def test_every_daemon_is_in_the_catalogue_once() -> None:
    assert set(DAEMONS) == set(BY_NAME.values()) == set(Role)
    for order in (RESTARTING, UPGRADING):
        assert sorted(role for step in order for role in step) == sorted(Role)


@pytest.mark.parametrize("role", Role)
def test_the_releases_know_every_key(role: Role) -> None:
    kind = DAEMONS[role]
    release = hbase() if kind.product == "hbase" else hadoop()
    page = kind.page
    keys = [page.key, page.policy, page.encrypted_key, *kind.addresses, kind.store.key if kind.store else ""]
    # A port of ZooKeeper's own file is in no release's list.
    for key in filter(None, keys if role is not Role.ZOOKEEPER else ()):
        assert release.find(key) is not None, key


@pytest.mark.parametrize("role", Role)
def test_a_daemon_is_started_after_those_that_it_needs(role: Role) -> None:
    order = list(DAEMONS)
    assert all(order.index(other) < order.index(role) for other in DAEMONS[role].after)


def test_addresses_have_the_ports_that_hadoop_gives_them() -> None:
    pages = {role: default_port(kind.page.key) for role, kind in DAEMONS.items()}
    assert pages[Role.NAMENODE] == 9870
    assert pages[Role.JOB_HISTORY] == 19888
    assert all(pages.values())
    assert default_port("yarn.nodemanager.address") == 0


def test_rules_plan_the_ports_of_the_catalogue() -> None:
    of_nodes, of_zookeeper = (
        tomllib.loads((RULES / file).read_text())[subject]
        for file, subject in (("yarn.toml", "nodemanager"), ("zookeeper.toml", "zookeeper"))
    )
    assert of_nodes["address"]["value"] == f"0.0.0.0:{NODEMANAGER_PORT}"
    assert of_zookeeper["port"]["value"] == default_port("clientPort")

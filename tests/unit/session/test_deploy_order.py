"""What a dry run says of the order of restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.session.deploy_order import Way, steps
from howdah.session.deploy_project import Target, read_target
from support.deployed_hosts import NEW, OLD, found_host
from support.labs import save_plan, trio_plan


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return read_target(save_plan(trio_plan(), tmp_path))


def test_who_leads_comes_last(target: Target) -> None:
    states = {
        "h1": found_host("h1", NEW, NEW, "namenode", leads=True),
        "h2": found_host("h2", NEW, NEW, "namenode"),
        "h3": found_host("h3", NEW, NEW, "datanode"),
    }
    assert steps(target, states, Way.CHANGE) == (
        "restart datanode on h3",
        "restart namenode on h2, then on h1, whose namenode fails over first",
    )


def test_hosts_are_named_in_the_order_in_which_they_are_restarted(target: Target) -> None:
    states = {name: found_host(name, NEW, NEW, "datanode") for name in ("h3", "h1", "h2")}
    assert steps(target, states, Way.CHANGE) == ("restart datanode on h1, h2, h3, 1 at a time",)


def test_nothing_is_said_of_what_is_as_it_should_be(target: Target) -> None:
    states = {"h1": found_host("h1", NEW, NEW, "namenode", leads=True, fresh=True)}
    assert steps(target, states, Way.CHANGE) == ()


def test_an_upgrade_begins_with_the_image_and_with_namenodes(target: Target) -> None:
    states = {
        "h1": found_host("h1", OLD, NEW, "zkfc", "namenode", leads=True),
        "h2": found_host("h2", OLD, NEW, "zkfc", "namenode"),
        "h3": found_host("h3", OLD, NEW, "datanode"),
        "h4": found_host("h4", OLD, NEW, "datanode"),
    }
    assert steps(target, states, Way.UPGRADE) == (
        "HDFS keeps an image of its namespace and deleted blocks for a rollback",
        "restart namenode and zkfc on h2, then on h1, whose namenode fails over first",
        "restart datanode on h3, h4, 1 at a time",
        "HDFS keeps the rollback image until howdah deploy --finalize",
    )

"""Machines on loopback addresses: what tells them apart, and what must not be said of them any more."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.lab.capabilities import check_ports
from howdah.lab.hadoop import redirect
from howdah.lab.hadoop.redirect import configuration_files, properties, redirected_files
from howdah.lab.machines import LOOPBACK, machines
from howdah.lab.state import LabSystem
from howdah.model.cluster import Scaling
from howdah.model.plan import Role
from howdah.planner.lab_fit import quantities
from howdah.render.cluster import render
from support.labs import lab_plan
from support.ports import free_ports


@pytest.fixture(scope="module")
def placed() -> tuple[LabSystem, ...]:
    plan = lab_plan()
    return machines(plan, Path("/lab"), LOOPBACK)


def test_hbases_daemons_have_addresses_and_names_of_their_own() -> None:
    plan = lab_plan(workers_per_host=None, ycsb=True)
    with_hbase = machines(plan, Path("/lab"), LOOPBACK)
    files = configuration_files(render(plan))
    master, worker = (_told(with_hbase, number, files) for number in (0, 1))
    for key in ("hostname", "ipc.address", "info.bindAddress"):
        assert master[f"hbase.master.{key}"] == "m1"
        assert worker[f"hbase.{'unsafe.' if key == 'hostname' else ''}regionserver.{key}"] == "h1"
    assert "hbase.master.hostname" not in worker
    listened = [one for number, machine in enumerate(with_hbase) for one in redirect.ports(machine, number)]
    assert ("127.0.0.3", 16030) in listened
    assert len(set(listened)) == len(listened)


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    return configuration_files(render(lab_plan()))


def _told(placed: tuple[LabSystem, ...], number: int, rendered: dict[str, str]) -> dict[str, str]:
    known = {
        k: v
        for name, text in rendered.items()
        if name.endswith("site.xml")
        for k, v in properties(text).items()
    }
    files = redirected_files(rendered, redirect.changes(placed[number], number, known))
    return {
        k: v for name, text in files.items() if name.endswith("site.xml") for k, v in properties(text).items()
    }


def test_no_two_machines_listen_on_the_same_port(placed: tuple[LabSystem, ...]) -> None:
    listened = [one for number, machine in enumerate(placed) for one in redirect.ports(machine, number)]
    assert len(set(listened)) == len(listened)


def test_datanodes_differ_by_port_since_all_come_from_one_address(
    placed: tuple[LabSystem, ...], rendered: dict[str, str]
) -> None:
    ports = {
        _told(placed, number, rendered)["dfs.datanode.address"].partition(":")[2] for number in range(1, 5)
    }
    assert len(ports) == 4


def test_all_that_listens_does_so_on_its_own_address(
    placed: tuple[LabSystem, ...], rendered: dict[str, str]
) -> None:
    worker = _told(placed, 1, rendered)
    for key in ("dfs.datanode.address", "dfs.datanode.http.address", "dfs.datanode.ipc.address"):
        assert worker[key].startswith("h1-1:")
    assert worker["yarn.nodemanager.address"].startswith("h1-1:")
    assert _told(placed, 0, rendered)["dfs.namenode.http-address"] == "m1:9870"


def test_node_groups_are_given_up_whole(placed: tuple[LabSystem, ...], rendered: dict[str, str]) -> None:
    told = _told(placed, 0, rendered)
    assert told["net.topology.impl"] == "org.apache.hadoop.net.NetworkTopology"
    assert told["dfs.block.replicator.classname"].endswith("BlockPlacementPolicyDefault")
    assert told["dfs.use.dfs.network.topology"] == "true"


def test_yarn_finds_addresses_in_the_topology(
    placed: tuple[LabSystem, ...], rendered: dict[str, str]
) -> None:
    made = redirect.shared_files(rendered, placed)
    located = dict(line.split() for line in made["topology.data"].splitlines())
    assert located["127.0.0.3"] == located["h1-1"] == "/rack-1/h1"
    assert made["dfs.include"] == "127.0.0.1\n"


def test_a_client_has_no_daemons(rendered: dict[str, str]) -> None:
    keys = {change.key for change in redirect.changes(None, 0, {})}
    assert keys == {"dfs.client.use.datanode.hostname", "dfs.datanode.use.datanode.hostname"}


@pytest.mark.parametrize(
    ("role", "listening", "told"),
    [
        (Role.DATANODE, "127.0.0.3", "of 127.0.0.3: is needed for h1-1"),
        # Another program has it on every address.
        (Role.RESOURCEMANAGER, "0.0.0.0", "of 127.0.0.2: is needed for m1"),
    ],
)
def test_a_port_in_use_is_named(
    role: Role, listening: str, told: str, placed: tuple[LabSystem, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Hadoop's own ports may be a real laboratory's at this moment.
    (port,) = free_ports(1)
    monkeypatch.setattr(redirect, "_ports_of", lambda other: (port,) if other is role else ())
    with socket.create_server((listening, port)), pytest.raises(UserError) as refused:
        check_ports(placed)
    assert str(refused.value).startswith(f"port {port} {told}")


def test_what_only_a_limit_would_make_smaller_is_not_said_to_be() -> None:
    plan = lab_plan()
    named = [Scaling(what=what, planned=2, lab=1) for what, _ in quantities(plan, 1.0)]
    silent = {one.what for one in named} - {one.what for one in redirect.scaled(named)}
    assert {what.partition(" per ")[0] for what in silent} == {"CPUs", "uplink", "largest data disk"}


def test_more_workers_than_ports_are_refused(placed: tuple[LabSystem, ...]) -> None:
    many = tuple(
        placed[1].model_copy(update={"name": f"w{number}", "roles": (Role.DATANODE,)})
        for number in range(redirect.MOST_WORKERS + 1)
    )
    with pytest.raises(UserError, match="ports for"):
        check_ports(many)

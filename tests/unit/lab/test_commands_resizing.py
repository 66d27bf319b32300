"""A laboratory's state with more hosts: what was there keeps its address, its limits and its cable."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.lab.commands import extended_state
from howdah.lab.kernel.network import every_link
from howdah.lab.machines import Power, host_specs, machine_specs, machines
from howdah.lab.state import NETWORK, LabSpec, LabState
from howdah.planner.cluster import with_hosts
from support.labs import lab_plan, lab_state

HALF = Power(0.5, lambda disks: disks.outer_bytes_per_s or 1)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabState:
    monkeypatch.setattr("howdah.lab.commands.check_hosts", lambda spec: None)
    plan = lab_plan(disk_bytes=10**9)
    placed = machines(plan, tmp_path, NETWORK)
    spec = LabSpec(
        name="lab",
        directory=tmp_path,
        hosts=tuple(host_specs(plan.cluster, placed, HALF)),
        machines=tuple(machine_specs(plan, placed, HALF)),
    )
    names = {machine.name: machine.address for machine in placed}
    return lab_state(tmp_path, plan).model_copy(
        update={"machines": placed, "spec": spec, "names": names, "rootless": False}
    )


def test_new_machines_come_after_those_that_are_there(state: LabState) -> None:
    more = extended_state(state, with_hosts(state.plan, ["h3"], "h2"), ["h3"], "h2")
    assert more.machines[: len(state.machines)] == state.machines
    assert [(one.name, one.host, one.address) for one in more.machines[len(state.machines) :]] == [
        ("h3-1", "h3", "10.77.0.6"),
        ("h3-2", "h3", "10.77.0.7"),
    ]
    assert more.names["h3-2"] == "10.77.0.7"
    assert not more.complete


def test_a_new_host_has_the_limits_of_the_one_it_is_like(state: LabState) -> None:
    more = extended_state(state, with_hosts(state.plan, ["h3"], "h2"), ["h3"], "h2")
    assert state.spec is not None
    assert more.spec is not None
    one, other = state.spec.machine("h2-1"), more.spec.machine("h3-1")
    assert (one.cpus, one.memory_bytes) == (other.cpus, other.memory_bytes)
    assert [disk.size_bytes for disk in one.disks] == [disk.size_bytes for disk in other.disks]
    assert [str(disk.mount.relative_to(more.directory)) for disk in other.disks] == [
        "machines/h3-1/data/01",
        "machines/h3-1/data/02",
    ]


def test_cables_keep_their_names_when_hosts_come_and_go(state: LabState) -> None:
    more = extended_state(state, with_hosts(state.plan, ["h3"], "h2"), ["h3"], "h2")
    assert state.spec is not None
    assert more.spec is not None
    assert set(every_link(state.spec)) <= set(every_link(more.spec))
    fewer = more.spec.model_copy(
        update={
            "hosts": tuple(host for host in more.spec.hosts if host.name != "h1"),
            "machines": tuple(each for each in more.spec.machines if each.host != "h1"),
        }
    )
    assert set(every_link(fewer)) <= set(every_link(more.spec))

"""Who is on which hosts: places, addresses and cables that do not collide, and what stays when one goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.faults.revert import lab_targets
from howdah.lab import registry, shared_hosts
from howdah.lab.commands import kill
from howdah.lab.kernel.network import every_link, host_space_of, shared_spaces
from howdah.lab.registry import Leftover
from howdah.lab.shared_hosts import LabPlace
from howdah.lab.state import LabSpec, LabState
from howdah.model.cluster import KillMode
from support.shared_labs import begun_lab, shared_plans


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "howdah"
    monkeypatch.setattr(registry, "registry", lambda: path)
    monkeypatch.setattr("howdah.lab.shared_hosts.os.geteuid", lambda: 0)
    return path


@pytest.fixture
def pair(tmp_path: Path) -> tuple[LabState, LabState]:
    """Laboratory b on the hosts of laboratory a, both entered."""
    first, second = shared_plans(tmp_path)
    one = begun_lab("a", tmp_path / "of-a", first, shared_hosts.first_place("a", shares=True))
    shared_hosts.register(one)
    other = begun_lab("b", tmp_path / "of-b", second, shared_hosts.place_with("b", "a"))
    shared_hosts.register(other)
    return one, other


def spec(state: LabState) -> LabSpec:
    assert state.spec is not None
    return state.spec


def test_hosts_are_one_and_everything_else_is_each_ones_own(pair: tuple[LabState, LabState]) -> None:
    one, other = map(spec, pair)
    both = shared_spaces(one) & shared_spaces(other)
    assert both == {"howdah-a+_switch", "howdah-a+_host_h1", "howdah-a+_host_h2"}
    own = [
        {end for link in every_link(each) for end in (link.near_space, link.far_space)}
        for each in (one, other)
    ]
    assert own[0] & own[1] == both
    # Hosts that one machine has for itself are that laboratory's, and go with it.
    assert host_space_of(one, "m1") == "howdah-a_host_m1"
    assert host_space_of(other, "m3") == "howdah-b_host_m3"
    assert not {machine.address for machine in one.machines} & {machine.address for machine in other.machines}
    assert one.client_address != other.client_address


def test_a_shared_uplink_is_the_same_cable_of_the_whole_hosts_speed(pair: tuple[LabState, LabState]) -> None:
    one, other = ({(link.near_space, link.near): link for link in every_link(spec(each))} for each in pair)
    hosts = {link.far_space for link in one.values() if (link.near_space, link.near) in other}
    assert hosts == {"howdah-a+_host_h1", "howdah-a+_host_h2"}
    for key in one.keys() & other.keys():
        assert one[key] == other[key]
        assert one[key].bits_per_s == 100_000_000
    assert all(len(name) < 16 for _, name in (*one, *other))


def test_limits_of_all_machines_on_a_host_are_no_more_than_the_host(pair: tuple[LabState, LabState]) -> None:
    for host in ("h1", "h2"):
        here = [machine for state in pair for machine in spec(state).machines if machine.host == host]
        assert sum(machine.cpus or 0 for machine in here) <= 4 * 0.25
        assert sum(machine.memory_bytes or 0 for machine in here) < 18 * 2**30


def test_who_shares_which_hosts_is_told(pair: tuple[LabState, LabState], tmp_path: Path) -> None:
    assert shared_hosts.shared_with(pair[0]) == {"b": ("h1", "h2")}
    assert shared_hosts.shared_with(pair[1]) == {"a": ("h1", "h2")}
    assert shared_hosts.labs_by_host(pair[1]) == {"h1": ("a",), "h2": ("a",)}
    alone = begun_lab("c", tmp_path / "of-c", pair[0].plan, shared_hosts.first_place("c", shares=True))
    shared_hosts.register(alone)
    assert shared_hosts.shared_with(alone) == {}


def test_a_third_one_has_a_seat_of_its_own(pair: tuple[LabState, LabState]) -> None:
    place = shared_hosts.place_with("c", "b")
    assert (place.lot, place.seat) == ("a+", 2)
    assert [other.name for other in place.neighbours] == ["a", "b"]
    assert str(place.first_machine) == "10.77.32.1"
    assert place.cpu_share == 0.25


def test_one_that_was_there_gets_its_seat_and_its_cables_again(
    pair: tuple[LabState, LabState], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("howdah.lab.shared_hosts.network.remove", lambda lab, used: ())
    shared_hosts.leave("a")
    with pytest.raises(UserError, match="hosts are still used by b"):
        shared_hosts.first_place("a", shares=True)
    assert shared_hosts.first_place("a", shares=False) == LabPlace()
    again = shared_hosts.place_with("a", "b")
    assert (again.lot, again.seat) == ("a+", 0)
    cables = {host.name: host.cable for host in spec(pair[1]).hosts}
    found = {host.name: host.cable for host in again.cabled(spec(pair[0]).hosts)}
    assert {name: found[name] for name in ("h1", "h2")} == {name: cables[name] for name in ("h1", "h2")}
    assert found["m1"] not in cables.values()


def test_a_seat_that_somebody_took_meanwhile_is_refused(
    pair: tuple[LabState, LabState], tmp_path: Path
) -> None:
    late = begun_lab("late", tmp_path / "late", pair[1].plan, LabPlace("a+", 1, (pair[0],)))
    with pytest.raises(UserError, match="has the same addresses as b"):
        shared_hosts.register(late)
    assert registry.entry("late") is None


def test_the_last_one_takes_the_hosts_away(
    pair: tuple[LabState, LabState], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[tuple[str, frozenset[str]]] = []

    def remove(lab: str, used: frozenset[str]) -> tuple[Leftover, ...]:
        removed.append((lab, used))
        return ()

    monkeypatch.setattr("howdah.lab.shared_hosts.network.remove", remove)
    assert shared_hosts.leave("a") == ()
    assert removed == [("a+", shared_spaces(spec(pair[1])))]
    assert shared_hosts.labs_sharing_hosts(pair[1]) == ()
    assert shared_hosts.leave("b") == ()
    assert removed[1:] == [("a+", frozenset()), ("b+", frozenset())]
    assert not folder.exists()


def test_hosts_stay_while_it_cannot_be_told_who_uses_them(
    pair: tuple[LabState, LabState], monkeypatch: pytest.MonkeyPatch
) -> None:
    (pair[1].directory / "lab.json").unlink()
    removed: list[str] = []

    def remove(lab: str, used: frozenset[str]) -> tuple[Leftover, ...]:
        removed.append(lab)
        return ()

    monkeypatch.setattr("howdah.lab.shared_hosts.network.remove", remove)
    shared_hosts.leave("a")
    assert removed == []
    assert shared_hosts.shared_leftovers("a") == ()
    shared_hosts.leave("b")
    assert removed == ["a+", "b+"]


def test_what_cannot_be_removed_keeps_the_entry(
    pair: tuple[LabState, LabState], monkeypatch: pytest.MonkeyPatch
) -> None:
    stays = Leftover("network namespace", "howdah-a+_host_h9", "is busy")
    monkeypatch.setattr("howdah.lab.shared_hosts.network.remove", lambda lab, used: (stays,))
    assert stays in shared_hosts.leave("a")
    assert registry.entry("a") is not None


@pytest.mark.parametrize(
    ("name", "other", "said"),
    [
        ("a", "a", "is this lab itself"),
        ("c", "nobody", "no such lab is up"),
        ("c", "rootless", "was built without root"),
        ("c", "own", "its plan does not share them, or was scaled down to fit this machine"),
        ("c", "half", "is not complete"),
    ],
)
def test_whom_nobody_can_be_beside_is_said(
    name: str, other: str, said: str, pair: tuple[LabState, LabState], tmp_path: Path
) -> None:
    for lab, change in (
        ("rootless", {"rootless": True, "spec": None}),
        ("own", {}),
        ("half", {"complete": False}),
    ):
        state = begun_lab(lab, tmp_path / lab, pair[0].plan, LabPlace()).model_copy(update=change)
        state.write()
        shared_hosts.register(state)
    with pytest.raises(UserError, match=said) as caught:
        shared_hosts.place_with(name, other)
    assert caught.value.hint


def test_a_host_that_others_are_on_is_not_lost_by_one_of_them(pair: tuple[LabState, LabState]) -> None:
    with pytest.raises(UserError, match="also has machines of b") as caught:
        kill(pair[0], "h1", how=KillMode.HOST)
    assert "give machines: " in caught.value.hint
    assert lab_targets(pair[0]).shared == {"h1": ("b",), "h2": ("b",)}
    with pytest.raises(UserError, match="shares its hosts with b: hosts cannot be added"):
        shared_hosts.refuse_shared(pair[0], "hosts cannot be added or removed until then")

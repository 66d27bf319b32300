"""What is wanted held against what is found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.machines import Doing, ExistingMachine, MachineDisk, ProvisionChange, Provisioning
from howdah.provision.differences import differences, machine_changes, whole_changes
from support.wanted import found_machine, wanted_machine

_FACTS = st.dictionaries(st.sampled_from(["vCPUs", "memory", "power", "data disk 1"]), st.text(max_size=3))


def _changes(found: Sequence[ExistingMachine], planned: dict[str, str]) -> list[ProvisionChange]:
    machine = wanted_machine()
    there = {one.name: one for one in found}
    return list(machine_changes([machine], {machine.name: planned}, there, ("power",)))


@given(_FACTS, _FACTS)
def test_what_was_changed_as_shown_differs_no_more(planned: dict[str, str], found: dict[str, str]) -> None:
    mended = {**found, **{one.what: one.planned for one in differences(planned, found)}}
    assert not differences(planned, mended)


def test_what_nobody_planned_is_nobodys_business() -> None:
    assert not differences({"vCPUs": "4"}, {"vCPUs": "4", "annotation": "mine"})


def test_a_running_machine_is_restarted_only_where_it_must_be() -> None:
    (grown,) = _changes([found_machine(facts={"vCPUs": "4", "power": "on"})], {"vCPUs": "8", "power": "on"})
    assert (grown.doing, grown.restarts) == (Doing.CHANGE, True)
    off = found_machine(running=False, facts={"vCPUs": "4", "power": "off"})
    (started,) = _changes([off], {"vCPUs": "8", "power": "on"})
    assert (started.doing, started.restarts) == (Doing.CHANGE, False)
    (same,) = _changes([found_machine(facts={"vCPUs": "8"})], {"vCPUs": "8"})
    assert (same.doing, same.differences) == (Doing.LEAVE, ())


def test_a_machine_that_is_not_planned_any_more_is_told_and_left() -> None:
    left = _changes([found_machine("w9-1.example.com")], {"vCPUs": "8"})
    assert [(one.name, one.doing) for one in left] == [
        ("w1-1.example.com", Doing.MAKE),
        ("w9-1.example.com", Doing.EXTRA),
    ]
    strangers = _changes([found_machine("w9-1.example.com", ours="other")], {"vCPUs": "8"})
    assert [one.doing for one in strangers] == [Doing.MAKE]


def test_a_disk_that_may_hold_data_is_never_exchanged() -> None:
    (changed,) = _changes([found_machine(facts={"data disk 1": "naa.1"})], {"data disk 1": "naa.2"})
    with pytest.raises(UserError) as caught:
        Provisioning(changes=(changed,)).check()
    assert str(caught.value) == "machine w1-1.example.com: data disk 1 is naa.1, planned naa.2"
    assert "which may have data" in caught.value.hint
    (added,) = _changes([found_machine(facts={})], {"data disk 1": "naa.2"})
    assert (added.doing, added.refused) == (Doing.CHANGE, "")


def test_a_machine_with_data_disks_is_never_moved() -> None:
    disk = MachineDisk(number=1, kind="device", name="naa.1", size_bytes=1)
    facts = {"host": "w2", "data disk 1": "naa.1"}
    planned = {"host": "w1", "data disk 1": "naa.1"}
    there = {"w1-1.example.com": found_machine(facts=facts)}
    machines = [wanted_machine(disks=(disk,))]
    (moved,) = machine_changes(machines, {"w1-1.example.com": planned}, there, ("host",))
    assert "its data disks are on w2, so howdah does not move it" in moved.refused
    (free,) = machine_changes(
        [wanted_machine()], {"w1-1.example.com": {"host": "w1"}},
        {"w1-1.example.com": found_machine(facts={"host": "w2"})}, ("host",),
    )  # fmt: skip
    assert (free.refused, free.restarts) == ("", False)


def test_other_things_are_made_changed_or_left() -> None:
    planned = {"new": {"kind": "a"}, "other": {"kind": "b"}, "same": {"kind": "c"}}
    found = {"other": {"kind": "x"}, "same": {"kind": "c"}}
    assert [one.doing for one in whole_changes("rule", planned, found)] == [
        Doing.MAKE,
        Doing.CHANGE,
        Doing.LEAVE,
    ]

"""Where vSphere keeps what a plan sets."""

from __future__ import annotations

from howdah.provision.vsphere.facts import (
    disk_place,
    paired,
    parameters,
    planned_facts,
    planned_hardware,
    reserved_mhz,
)
from support.plans import setting
from support.wanted import host_state, wanted_machine

VMX = "vsphere.vmx"
HIGH = setting("sched.cpu.latencySensitivity", "high", VMX)


def test_disks_are_spread_over_controllers_past_the_place_that_is_their_own() -> None:
    assert [disk_place(number) for number in (1, 2, 3, 4)] == [(1, 0), (2, 0), (3, 0), (1, 1)]
    places = [disk_place(number) for number in range(1, 46)]
    assert len(set(places)) == 45
    assert max(unit for _, unit in places) == 15
    assert 7 not in {unit for _, unit in places}


def test_only_what_the_api_has_no_place_for_is_a_parameter() -> None:
    machine = wanted_machine(
        settings=(
            setting("numvcpus", 20, VMX),
            setting("sched.mem.prealloc", True, VMX),
            setting("numa.vcpu.preferHT", True, VMX),
        ),
        nodes=(1,),
    )
    assert parameters(machine) == {
        "howdah.cluster": "sample",
        "sched.mem.prealloc": "TRUE",
        "numa.vcpu.preferHT": "TRUE",
        "numa.nodeAffinity": "1",
    }


def test_high_latency_sensitivity_takes_cores_or_pairs_of_their_threads() -> None:
    host, machine = host_state(), wanted_machine(settings=(HIGH,))
    assert not paired([machine], host)
    assert reserved_mhz(machine, host, pairs=False) == 20 * 2600
    both = [machine, wanted_machine("w1-2.example.com", settings=(HIGH,))]
    assert paired(both, host)
    assert reserved_mhz(machine, host, pairs=True) == 10 * 2600
    assert planned_facts(machine, host, 20, "hadoop", pairs=True)["virtual CPUs on a core"] == "2"
    assert reserved_mhz(wanted_machine(), host, pairs=False) == 0


def test_masters_reserve_all_of_their_memory_and_start_first() -> None:
    worker = planned_facts(wanted_machine(), host_state(), None, "hadoop", pairs=False)
    master = planned_facts(wanted_machine(master=True), host_state(), None, "hadoop", pairs=False)
    assert (worker["memory reserved"], worker["restart priority"]) == ("0 MiB", "disabled")
    assert (master["memory reserved"], master["restart priority"]) == ("122,880 MiB", "high")


def test_virtual_hardware_is_the_plans_or_the_newest_there_is() -> None:
    machine = wanted_machine(settings=(setting("virtualHW.version", 20, VMX),))
    assert planned_hardware(machine, 21) == 20
    assert planned_hardware(machine, 13) == 13
    assert planned_hardware(wanted_machine(), 13) is None

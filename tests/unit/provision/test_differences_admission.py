"""What hosts cannot carry is said of all of them at once, before anything is made."""

from __future__ import annotations

import re
from typing import Any

import pytest

from howdah.errors import UserError
from howdah.model.machines import ExistingMachine, HostState, MachineDisk, PlannedMachine
from howdah.provision.differences import admit
from howdah.units import GIB
from support.wanted import found_machine, host_state, wanted_machine


def _admit(
    *machines: PlannedMachine,
    hosts: tuple[HostState, ...] | None = None,
    found: tuple[ExistingMachine, ...] = (),
) -> None:
    admit(
        machines,
        {host.name: host for host in hosts or (host_state(), host_state("w2.example.com"))},
        {machine.name: machine for machine in found},
        network="hadoop",
        overcommit=False,
    )


def _disk(kind: str, name: str, size: int = GIB) -> MachineDisk:
    return MachineDisk.model_validate({"number": 1, "kind": kind, "name": name, "size_bytes": size})


def test_what_fits_is_admitted() -> None:
    _admit(wanted_machine(), wanted_machine("w1-2.example.com"))


@pytest.mark.parametrize(
    ("machine", "host", "said"),
    [
        ({"host": "v1.example.com"}, {}, "host v1.example.com: is unknown"),
        ({}, {"ready": "is in maintenance mode"}, "host w1.example.com: is in maintenance mode"),
        ({}, {"networks": frozenset({"other"})}, "host w1.example.com: has no network hadoop"),
        ({"memory_bytes": 257 * GIB}, {}, "has 256 GiB of memory; its machines reserve 257 GiB"),
        ({}, {"taken_bytes": 200 * GIB}, "of which others reserve 200 GiB; its machines reserve 120 GiB"),
        ({"vcpus": 41}, {}, "has 40 threads; its machines have 41 virtual CPUs"),
        ({"nodes": (1,), "memory_bytes": 130 * GIB}, {}, "has 128 GiB on NUMA node 1"),
        ({"nodes": (2,)}, {}, "has 2 NUMA nodes, fewer than in the inventory"),
        ({"disks": (_disk("device", "naa.9"),)}, {}, "has no device naa.9"),
        ({"disks": (_disk("datastore", "none"),)}, {}, "has no access to none"),
        ({"disks": (_disk("datastore", "data", 2 * 10**12),)}, {}, "free in data, for disks of"),
    ],
)
def test_every_reason_is_named_with_its_host(
    machine: dict[str, Any], host: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        _admit(wanted_machine(**machine), hosts=(host_state(**host),))


def test_a_shadow_takes_room_on_its_host_too() -> None:
    master = wanted_machine(
        "w1-nn1.example.com", shadow_host="w2.example.com", memory_bytes=64 * GIB, vcpus=4
    )
    full = [wanted_machine(f"w2-{number}.example.com", host="w2.example.com", vcpus=18) for number in (1, 2)]
    with pytest.raises(UserError, match="has 256 GiB of memory; its machines reserve 304"):
        _admit(master, *full)


def test_fault_tolerance_has_its_own_limits() -> None:
    refused = host_state("w2.example.com", no_fault_tolerance="its API reports no support for it")
    master = wanted_machine("w1-nn1.example.com", shadow_host="w2.example.com", vcpus=10, memory_bytes=GIB)
    with pytest.raises(UserError, match=r"w2.example.com: cannot run w1-nn1.example.com with"):
        _admit(master, hosts=(host_state(), refused))
    with pytest.raises(UserError, match="has 10 vCPUs and 1 GiB, more than Fault Tolerance supports"):
        _admit(master)


def test_somebody_elses_machine_is_never_taken_for_ours() -> None:
    with pytest.raises(UserError, match="already exists and was not created by howdah"):
        _admit(wanted_machine(), found=(found_machine(ours=""),))
    with pytest.raises(UserError, match="belongs to howdah's cluster 'other'"):
        _admit(wanted_machine(), found=(found_machine(ours="other"),))


def test_many_faults_are_one_message() -> None:
    machines = [
        wanted_machine(f"v{number}-1.example.com", host=f"v{number}.example.com") for number in range(5)
    ]
    with pytest.raises(UserError) as caught:
        _admit(*machines)
    assert caught.value.where == "host v0.example.com"
    assert caught.value.what.count("is unknown") == 3
    assert caught.value.what.endswith("; and 2 more")

"""What a laboratory says of a machine that lacks something."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.lab.capabilities import Capabilities, isolation, refuse_lacking, rootless_isolation
from howdah.lab.kernel.cgroups import Controller
from support.lab_hosts import lab_spec

YES, NO = "", "it is not there"
ALL = Capabilities(
    root=YES,
    namespaces=YES,
    rates=YES,
    controllers=dict.fromkeys(Controller, 1),
    loops=YES,
    file_systems=("xfs", "ext4"),
)
SPEC = lab_spec(
    Path("/srv/lab"),
    disks=1,
    disk_bytes_per_s=150_000_000,
    uplink_bits_per_s=10**9,
    cpus=0.5,
    memory_bytes=2**30,
)


def test_a_machine_that_has_all_is_not_refused() -> None:
    refuse_lacking(ALL, SPEC)


@pytest.mark.parametrize(
    ("lacking", "where"),
    [
        (ALL._replace(root=NO), "root"),
        (ALL._replace(namespaces=NO), "network"),
        (ALL._replace(rates=NO), "uplink"),
        (ALL._replace(loops=NO), "disks"),
        (ALL._replace(file_systems=("ext4",)), "disks"),
    ],
)
def test_what_is_needed_and_lacks_is_refused(lacking: Capabilities, where: str) -> None:
    with pytest.raises(UserError) as error:
        refuse_lacking(lacking, SPEC)

    assert error.value.where == where


def test_what_nobody_asks_for_may_lack() -> None:
    refuse_lacking(ALL._replace(rates=NO, loops=NO, file_systems=()), lab_spec(Path("/srv/lab")))


def test_everything_that_was_asked_for_is_kept() -> None:
    told = {one.what: one for one in isolation(ALL, SPEC, cpus=2)}

    assert [what for what, one in told.items() if one.kept] == ["network", "uplink", "CPU", "memory", "disks"]
    assert told["uplink"].how.startswith("1.00 Gb/s each way")
    assert "150 MB/s" in told["disks"].how
    assert {"virtualisation", "NUMA"} <= told.keys()


@pytest.mark.parametrize(
    ("controller", "what"), [(Controller.CPU, "CPU"), (Controller.MEMORY, "memory"), (Controller.IO, "disks")]
)
def test_a_controller_that_lacks_is_told_as_lost(controller: Controller, what: str) -> None:
    controllers = {kind: 2 for kind in Controller if kind is not controller}

    told = {one.what: one for one in isolation(ALL._replace(controllers=controllers), SPEC, cpus=2)}

    assert not told[what].kept
    assert f"no {controller.value} controller" in told[what].how


def test_cpus_that_are_promised_twice_are_not_kept_and_the_numbers_are_said() -> None:
    spec = lab_spec(Path("/srv/lab"), cpus=1, host_cpus=3)
    cpu = {share: {one.what: one for one in isolation(ALL, spec, cpus=share)}["CPU"] for share in (5.9, 6.0)}

    assert cpu[6.0].kept
    assert not cpu[5.9].kept
    assert "together hosts may use 6, and this machine has 5.9" in cpu[5.9].how
    assert cpu[5.9].how.startswith("at most 1 CPUs' worth of time")


def test_without_limits_nothing_is_said_to_be_held() -> None:
    told = isolation(ALL, lab_spec(Path("/srv/lab"), disks=1), cpus=2)

    assert [one.what for one in told if one.kept] == ["network"]


def test_without_root_nothing_is_kept_and_the_reason_is_given() -> None:
    told = rootless_isolation(ALL._replace(root=NO, namespaces=NO))

    assert not any(one.kept for one in told)
    assert "it is not there" in told[0].how

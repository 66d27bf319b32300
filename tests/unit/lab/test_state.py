"""What is written of a laboratory, and what is said before one is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.lab.capabilities import ceilings, check_directory, check_plan, not_run
from howdah.lab.state import STATE, HostSpec, LabSpec, MachineSpec, mark_of, read_state
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.units import GIB
from support.labs import HOSTS, lab_plan, lab_state


def test_what_is_written_is_read(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    state.write()
    assert read_state(tmp_path) == state
    assert [path.name for path in tmp_path.iterdir()] == [STATE]


def test_there_is_none_where_none_was_written(tmp_path: Path) -> None:
    assert read_state(tmp_path) is None
    assert read_state(tmp_path / "nowhere") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"howdah": 2}', b"\xff"])
def test_a_damaged_one_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / STATE).write_bytes(content)
    with pytest.raises(UserError, match="is damaged") as told:
        read_state(tmp_path)
    assert "howdah lab down" in told.value.hint


def test_a_machine_is_found_by_name_or_all_are_named(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    assert state.machine("h1-1").conf == tmp_path / "machines/h1-1/conf"
    with pytest.raises(UserError) as told:
        state.machine("h9")
    assert told.value.hint == "one of m1, h1-1, h1-2, h2-1, h2-2"


def test_a_host_s_name_means_all_its_machines(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    assert [one.name for one in state.machines_of("h2")] == ["h2-1", "h2-2"]
    assert [one.name for one in state.machines_of("h2-1")] == ["h2-1"]
    assert [one.name for one in state.machines_of("m1")] == ["m1"]
    with pytest.raises(UserError) as told:
        state.machines_of("h9")
    assert told.value.hint == "one of m1, h1-1, h1-2, h2-1, h2-2, h1, h2"


def test_laboratories_of_users_and_of_root_do_not_mix() -> None:
    assert mark_of("lab", rootless=False) == "lab"
    assert mark_of("lab", rootless=True).startswith("lab@")


def test_a_new_or_empty_directory_will_do(tmp_path: Path) -> None:
    check_directory(tmp_path)
    check_directory(tmp_path / "new")
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path, tmp_path / "file"):
        with pytest.raises(UserError, match="--dir"):
            check_directory(wrong)


def test_what_no_laboratory_runs_is_said() -> None:
    assert list(not_run(check_plan(lab_plan()))) == []
    assert list(not_run(check_plan(lab_plan(workers_per_host=None, ycsb=True)))) == []
    spark, tez = (
        plan_cluster(
            read_inventory(HOSTS), PlanRequest(workloads=(Demand(kind=kind),), hypervisor=Hypervisor.NONE)
        )
        for kind in ("spark", "tez")
    )
    assert list(not_run(check_plan(spark))) == []
    (left_out,) = not_run(check_plan(tez))
    assert (left_out.what, left_out.kept) == ("Hive", False)


@pytest.mark.parametrize(("memory", "said"), [(31 * GIB, 1), (32 * GIB, 0)])
def test_memory_promised_twice_is_said(tmp_path: Path, memory: int, said: int) -> None:
    names = ("h1", "h2")
    spec = LabSpec(
        name="lab",
        directory=tmp_path,
        hosts=tuple(HostSpec(name=name, virtual=False, memory_bytes=16 * GIB) for name in names),
        machines=tuple(
            MachineSpec(name=name, host=name, address=f"10.77.0.{number}")
            for number, name in enumerate(names, start=1)
        ),
    )
    assert len(list(ceilings(spec, memory))) == said

"""Sizes for one machine: they fit it, and every one says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.plan import WorkerPlan
from howdah.model.run_request import RunRequest
from howdah.model.workloads.dfsio import DFSIO_READ, FILE_SIZE, FILES
from howdah.model.workloads.option import MAPS
from howdah.model.workloads.suite import Suite, programs, suites
from howdah.model.workloads.terasort import CODEC, REDUCES, ROWS, Codec
from howdah.planner.local_plan import LocalPlanner, sample_interval_s
from howdah.units import GIB, MIB
from support.local_plans import host, needs
from support.requests import run_request


def plan(machine: Host | None = None, /, **values: object) -> tuple[WorkerPlan, Suite]:
    request = run_request(**values)
    return LocalPlanner(request, machine or host(), needs).plan()


def test_a_small_machine_sorts_a_gigabyte_in_memory() -> None:
    made, suite = plan()
    generate, sort, validate = suite.workloads
    assert ROWS.of(generate) == ROWS.of(sort) == ROWS.of(validate) == 10_000_000
    assert made.workers[0].map_slots == made.workers[0].reduce_slots == 4
    assert (MAPS.of(sort), REDUCES.of(sort), CODEC.of(sort)) == (16, 4, Codec.NONE)
    assert made.workers[0].memory_bytes >= needs(10_000_000, 4, 4)[1]


@given(threads=st.integers(1, 512), memory_gib=st.integers(1, 4096))
def test_any_machine_gets_a_plan_that_fits_it(threads: int, memory_gib: int) -> None:
    machine = host(threads, memory_gib * GIB)
    here = [
        name
        for name, kinds in suites().items()
        if all("local" in programs()[kind].programs for kind in kinds)
    ]
    for name in here:
        request = RunRequest(suite=name)
        made, suite = LocalPlanner(request, machine, needs, input_rows=1000).plan()
        worker = made.workers[0]
        assert worker.memory_bytes <= machine.memory.available_bytes
        assert worker.map_slots >= 1
        assert [workload.kind for workload in suite.workloads] == list(suites()[name])
        assert all(item.reason and item.source for item in made.settings)
        assert len({item.key for item in made.settings}) == len(made.settings)


def test_more_data_than_memory_is_spilled() -> None:
    made, _ = plan(rows=1_000_000_000)
    assert made.workers[0].memory_bytes == host().memory.available_bytes // 2


def test_a_users_value_is_kept_and_marked_as_theirs() -> None:
    made, suite = plan(rows=5, maps=3, reduces=2, memory_bytes=GIB, codec="zstd")
    assert MAPS.of(suite.workloads[1]) == 3
    assert CODEC.of(suite.workloads[1]) is Codec.ZSTD
    theirs = {item.key for item in made.settings if item.origin == "user"}
    assert theirs == {
        "rows", "memory", "teragen maps", "terasort maps", "terasort reduces", "intermediate compression",
    }  # fmt: skip


def test_short_runs_are_sampled_more_often() -> None:
    assert sample_interval_s(plan()[0]) == 0.1
    assert sample_interval_s(plan(rows=10**9)[0]) == 1.0
    assert sample_interval_s(plan(sample_interval_s=0.5)[0]) == 0.5


def test_dfsio_reads_the_files_it_wrote() -> None:
    _, suite = plan(suite="dfsio", files=3, file_bytes=10 * MIB)
    write, read = suite.workloads
    assert (FILES.of(write), FILE_SIZE.of(write)) == (FILES.of(read), FILE_SIZE.of(read)) == (3, 10 * MIB)
    assert read.kind == DFSIO_READ


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"suite": "terasoup"}, "SUITE"),
        ({"rows": 0}, "--rows"),
        ({"rows": 10**13}, "--rows"),
        ({"maps": 0}, "--maps"),
        ({"reduces": -1}, "--reduces"),
        ({"map_slots": 10**6}, "--map-slots"),
        ({"memory_bytes": 32 * MIB}, "--memory"),
        ({"memory_bytes": 10**15}, "--memory"),
        ({"samples": 5}, "--samples"),
        ({"suite": "pi", "rows": 5}, "--rows"),
        ({"suite": "pi", "samples": 0}, "--samples"),
        ({"suite": "dfsio", "file_bytes": 0}, "--file-size"),
        ({"inputs": (Path("/x"),)}, "--input"),
    ],
)
def test_what_makes_no_sense_is_refused_by_the_flags_name(values: dict[str, object], where: str) -> None:
    with pytest.raises(UserError) as caught:
        plan(**values)
    assert caught.value.where == where
    assert caught.value.hint

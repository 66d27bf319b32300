"""What a run on a cluster is as large as: what the user gave, else what its workers do at once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.placement import AtOnce, at_once
from howdah.model.plan import Role, WorkerPlan
from howdah.model.run_request import RunRequest
from howdah.model.workloads.dfsio import DFSIO_READ, DFSIO_WRITE, DfsioRead
from howdah.model.workloads.terasort import ROWS, Codec
from howdah.planner.suite.cluster import ContainerSizes, FoundNode, FoundValue, observed_plan, size_suite
from howdah.planner.suite.request import requested_programs, suite_line
from howdah.units import GIB, MIB
from support.requests import run_request

FOUR = AtOnce(4, 2)


def sized(capacity: AtOnce = FOUR, **asked: object) -> dict[str, Any]:
    suite = size_suite(run_request(**asked), capacity).suite
    return {one.kind: one for one in suite.workloads}


def found(*nodes: FoundNode) -> WorkerPlan:
    values = [FoundValue("dfs.replication", "2", "hdfs-site.xml:7")]
    return observed_plan(nodes, ContainerSizes(1 * GIB, 2 * GIB, 1 * GIB), values)


def test_what_is_left_out_is_as_large_as_the_cluster_does_at_once() -> None:
    suite = sized(AtOnce(16, 8))
    generated, sorted_, validated = suite.values()
    assert generated.rows == sorted_.rows == validated.rows == 40_000_000
    assert (generated.maps, sorted_.maps, sorted_.reduces) == (16, None, 8)
    assert (generated.block_bytes, generated.replication, sorted_.codec) == (None, None, None)


def test_what_the_user_gives_stays() -> None:
    suite = sized(
        rows=5_000_000,
        reduces=3,
        codec=Codec.SNAPPY,
        block_size=256 * MIB,
        replication=2,
        output_replication=1,
        slowstart=0.5,
    )
    generated, sorted_, _ = suite.values()
    assert (generated.rows, generated.block_bytes, generated.replication) == (5_000_000, 256 * MIB, 2)
    assert (sorted_.reduces, sorted_.codec, sorted_.replication, sorted_.slowstart) == (
        3,
        Codec.SNAPPY,
        1,
        0.5,
    )


def test_every_decided_value_says_who_decided_it() -> None:
    settings = size_suite(run_request(rows=1_000), FOUR).settings
    origins = {one.key: one.origin for one in settings}
    assert origins["rows"] == "user"
    assert {origins[key] for key in ("teragen maps", "terasort reduces", "sample interval")} == {"rule"}


@given(rows=st.integers(1, 10**9), maps=st.integers(1, 500), reduces=st.integers(1, 500))
def test_no_task_has_so_few_rows_that_only_its_start_is_measured(rows: int, maps: int, reduces: int) -> None:
    generated, sorted_, _ = sized(AtOnce(maps, reduces), rows=rows).values()
    for tasks, most in ((generated.maps, maps), (sorted_.reduces, reduces)):
        assert tasks is not None
        assert 1 <= tasks <= most
        assert tasks == 1 or rows // tasks >= 100_000


@pytest.mark.parametrize(
    ("gigabytes", "reduces"), [(0.1, 10), (1, 100), (100, 1_055), (300, 1_826), (1_000, 2_000)]
)
def test_reduces_are_as_many_as_run_at_once_unless_their_starts_take_longer(
    gigabytes: float, reduces: int
) -> None:
    sorted_ = sized(AtOnce(500, 2_000), rows=int(gigabytes * 10_000_000))["terasort"]
    assert sorted_.reduces == reduces


def test_files_are_written_and_read_alike_and_read_alone_as_they_were_left() -> None:
    both = sized(suite="dfsio", replication=2)
    written, read = both[DFSIO_WRITE], both[DFSIO_READ]
    assert (written.files, written.file_bytes) == (read.files, read.file_bytes) == (4, 256 * MIB)
    assert written.replication == 2
    assert sized(suite="dfsio-read")[DFSIO_READ] == DfsioRead()


@pytest.mark.parametrize(
    ("suite", "line"),
    [
        ("terasuite", "10,000,000 rows · 1.00 GB · 2 reduces"),
        ("dfsio", "4 files × 268 MB"),
        ("pi", "4 maps × 10,000,000 samples"),
        ("nnbench", "4 maps × 1,000 files"),
    ],
)
def test_a_suite_is_said_in_a_line(suite: str, line: str) -> None:
    assert suite_line(size_suite(RunRequest(suite=suite), FOUR).suite) == line


def test_a_cluster_is_planned_as_it_is_found() -> None:
    plan = found(FoundNode("w1", 6 * GIB, 4, datanode=True), FoundNode("w2", 3 * GIB, 2, datanode=False))
    first, second = plan.workers
    assert (first.map_slots, first.reduce_slots, second.map_slots, second.reduce_slots) == (6, 3, 3, 1)
    assert (first.roles, second.roles) == ((Role.DATANODE, Role.NODEMANAGER), (Role.NODEMANAGER,))
    (setting,) = plan.settings
    assert (setting.key, setting.value, setting.source) == ("dfs.replication", "2", "hdfs-site.xml:7")
    assert at_once(plan) == AtOnce(9, 4)


def test_a_node_too_small_for_a_task_leaves_one_to_be_tried() -> None:
    assert at_once(found(FoundNode("w1", GIB // 2, 1, datanode=True))) == AtOnce(1, 1)


def test_a_simulation_sorts_what_the_cluster_is_planned_for() -> None:
    whole = 30 * 10**12
    for given_rows, rows in ((None, whole // 100), (10**13, 10**13)):
        request = run_request(**({} if given_rows is None else {"rows": given_rows}))
        planned = size_suite(request, FOUR, engine="sim", dataset_bytes=whole)
        assert {ROWS.of(one) for one in planned.suite.workloads} == {rows}


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"suite": "storage"}, "--engine local"),
        ({"suite": "nnbench"}, "--engine hadoop"),
        ({"suite": "terasuite", "rows": 10**15}, "up to 100T"),
        ({"suite": "terasuite", "input": ("rows",)}, "it belongs to --engine local or --engine hadoop"),
        ({"suite": "terasuite", "memory_bytes": GIB}, "it belongs to --engine local"),
    ],
)
def test_a_simulation_refuses_what_it_cannot_do(asked: dict[str, object], says: str) -> None:
    with pytest.raises(UserError) as caught:
        size_suite(run_request(**asked), FOUR, engine="sim")
    assert says in caught.value.hint


@pytest.mark.parametrize("suite", ["terasort", "teravalidate"])
def test_a_simulation_is_told_how_much_an_earlier_run_left(suite: str) -> None:
    request = run_request(suite, rows=5_000_000)
    (workload,) = size_suite(request, FOUR, engine="sim").suite.workloads
    assert ROWS.of(workload) == 5_000_000
    with pytest.raises(UserError, match="does not use it"):
        size_suite(request, FOUR)


def test_all_flags_that_a_suite_does_not_use_are_refused_at_once() -> None:
    request = RunRequest(suite="hbase-pe", given={"target": 10, "distribution": "zipfian", "records": -1})
    with pytest.raises(UserError) as caught:
        requested_programs(request, "hbase")
    assert caught.value.where == "--target, --distribution, --records"
    assert "--target hbase-pe does not use it; --distribution hbase-pe does not use it; --records " in str(
        caught.value
    )
    alike = request.model_copy(update={"given": {"target": 10, "distribution": "zipfian"}})
    with pytest.raises(UserError, match="--target, --distribution: hbase-pe does not use it"):
        requested_programs(alike, "hbase")

"""The local engine simulated on a machine that was measured."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from howdah.engines.base import Prepared
from howdah.engines.sim.engine import OF_THE_OCCASION
from howdah.engines.sim.local_machine import scenario_of
from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.measured import MeasuredFigure, RowCosts, SortCost
from howdah.model.reported import Simulated
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.session.runs import prepare
from howdah.simulation.local_engine import median, merge_cost, sort_cost
from support.measured import READ_BYTES_PER_S, WRITE_BYTES_PER_S, measured_host, measured_rows
from support.requests import run_request
from support.sinks import MemorySink


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return measured_host(tmp_path / "machine", spread=0.1)


def prepared(host: Host, tmp_path: Path, **values: object) -> Prepared:
    """A run of a suite, terasuite unless told otherwise, on the host by its probe's file."""
    keep_data = bool(values.pop("keep_data", False))
    probe = tmp_path / "probe.json"
    probe.write_text(host.model_dump_json())
    request = run_request(**{"rows": 10_000_000, "probe": probe, **values})
    return prepare("sim", request, runs_dir=tmp_path, command=(), seed=1, keep_data=keep_data)


def simulated(ready: Prepared) -> tuple[RunRecord, MemorySink]:
    sink = MemorySink()
    return ready.engine.run(ready.job, sink), sink


def test_a_suite_takes_what_its_disk_takes_and_says_that_it_is_simulated(host: Host, tmp_path: Path) -> None:
    record, sink = simulated(prepared(host, tmp_path))
    assert (record.origin, record.outcome, record.engine) == (Origin.SIMULATED, Outcome.SUCCEEDED, "sim")
    assert sink.records[0].outcome is Outcome.RUNNING
    assert sink.records[-1] == record
    write_s, read_s = 1e9 / WRITE_BYTES_PER_S, 1e9 / READ_BYTES_PER_S
    for result, least_s in zip(record.workloads, [write_s, read_s + write_s, read_s], strict=True):
        assert least_s < result.elapsed_s < 1.15 * least_s, result.workload.kind
    teragen, terasort, teravalidate = record.workloads
    assert terasort.in_memory
    assert [phase.name for phase in terasort.phases] == ["map-shuffle", "reduce-merge"]
    assert teragen.counters.written_bytes == terasort.counters.read_bytes == teravalidate.counters.read_bytes
    assert record.elapsed_s == teravalidate.end_s


def test_samples_and_tasks_tell_of_the_same_bytes(host: Host, tmp_path: Path) -> None:
    record, sink = simulated(prepared(host, tmp_path, rows=40_000_000, memory_bytes=1 << 30))
    terasort = record.workloads[1].counters
    assert record.workloads[1].in_memory is False
    assert terasort.spilled_bytes == 4 * 10**9 < terasort.spill_read_bytes
    last = {sample.metric: sample.value for sample in sink.sampled}
    assert last["disk/vda/written_bytes"] == pytest.approx(3 * 4e9)
    assert last["disk/vda/read_bytes"] == pytest.approx(2 * 4e9 + terasort.spill_read_bytes)
    times = [sample.time_s for sample in sink.sampled]
    assert times == sorted(times)
    assert last["cpu/all/user_s"] + last["cpu/all/idle_s"] == pytest.approx(2 * times[-1])
    maps = [task for task in sink.attempts if (task.workload, task.kind) == ("terasort", "map")]
    assert sum(task.input_rows for task in maps) == terasort.input_rows
    assert sum(task.spilled_bytes for task in maps) == pytest.approx(terasort.spilled_bytes)
    assert {(task.host, task.worker) for task in sink.attempts} == {(host.name, host.name)}


def test_the_same_probe_gives_the_same_record(host: Host, tmp_path: Path) -> None:
    ready = prepared(host, tmp_path)
    one, other = (simulated(ready)[0].model_dump(exclude=set(OF_THE_OCCASION)) for _ in range(2))
    assert one == other


def test_bands_are_as_wide_as_the_figures_lie_apart(tmp_path: Path) -> None:
    def band(spread: float, replications: int | None = None) -> Simulated:
        host = measured_host(tmp_path / str(spread), spread=spread)
        record = simulated(prepared(host, tmp_path, replications=replications))[0]
        assert record.simulated is not None
        return record.simulated

    wide = band(0.2)
    assert wide.replications == 100
    assert [(one.workload, one.phase) for one in wide.bands[:2]] == [("teragen", None), ("teragen", "map")]
    for one in wide.bands:
        # Of a triangle from 0.8 to 1.2 times the median, nine tenths lie within 0.137 of it.
        assert 0.08 < (one.high_s - one.low_s) / 2 / one.median_s < 0.2, one
    assert all(one.low_s == one.high_s for one in band(0.0).bands)
    assert band(0.2, replications=1).bands == ()


def test_compressing_takes_what_was_measured_of_the_codec(host: Host, tmp_path: Path) -> None:
    sizes = {"rows": 40_000_000, "memory_bytes": 1 << 30}
    plain = simulated(prepared(host, tmp_path, **sizes))[0].workloads[1]
    packed = simulated(prepared(host, tmp_path, codec="lz4", **sizes))[0].workloads[1]
    assert packed.counters.spilled_bytes == pytest.approx(0.4 * plain.counters.spilled_bytes)
    # Four gigabytes at 1.2 ns a byte on two CPUs: the disk would have been quicker.
    assert packed.phases[0].end_s - packed.phases[0].start_s > 4 * 1.2 / 2
    with pytest.raises(UserError, match=r"--codec: snappy was not measured"):
        prepared(host, tmp_path, codec="snappy", **sizes)


def test_dfsio_moves_its_files_through_the_disk(host: Host, tmp_path: Path) -> None:
    record, _ = simulated(prepared(host, tmp_path, suite="dfsio", rows=None, files=8, file_bytes=10**9))
    for result, rate in zip(record.workloads, [WRITE_BYTES_PER_S, READ_BYTES_PER_S], strict=True):
        assert 8e9 / rate <= result.elapsed_s < 1.05 * 8e9 / rate


def test_another_directory_of_a_measured_disk_will_do_and_one_of_another_will_not(
    host: Host, tmp_path: Path
) -> None:
    job = prepared(host, tmp_path).job
    worker = job.plan.workers[0]

    def at(*data_dirs: str) -> object:
        moved = worker.model_copy(update={"data_dirs": data_dirs})
        return scenario_of(job.model_copy(update={"plan": job.plan.model_copy(update={"workers": (moved,)})}))

    assert at("/data") == at("/elsewhere/on/the/root/disk")
    mounts = tuple(one for one in host.file_systems if one.mount != "/")
    bare = host.model_copy(update={"file_systems": mounts})
    job = job.model_copy(update={"host": bare})
    with pytest.raises(UserError, match=r"--data-dir /elsewhere: lies on no disk that was measured: /data"):
        at("/elsewhere")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"plan": Path("plan.yaml")}, "--plan: simulates a cluster, but --probe simulates one machine"),
        ({"keep_data": True}, "--keep-data: has no effect, because a simulation writes no data"),
        ({"replications": 0}, "--replications 0: is out of range"),
        ({"rows": None, "suite": "terasort"}, "SUITE: terasort cannot be simulated alone"),
        ({"rows": None, "suite": "dfsio-read"}, "SUITE: dfsio-read cannot be simulated alone"),
        ({"rows": 10**10, "memory_bytes": 8 << 30}, "--rows: 10B rows are 1.00 TB and the suite needs"),
        ({"rows": None, "suite": "pi"}, "SUITE: pi cannot be simulated alone"),
    ],
)
def test_what_cannot_be_simulated_is_said(
    host: Host, tmp_path: Path, values: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError) as refused:
        prepared(host, tmp_path, **values)
    assert str(refused.value).startswith(message)


def test_a_machine_that_was_only_probed_is_asked_to_be_measured(host: Host, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="was probed but not measured, so its speed is unknown") as refused:
        prepared(host.model_copy(update={"measured": None}), tmp_path)
    assert refused.value.hint == "run howdah probe --measure -o FILE on that machine"


def costs_of(*sorts: tuple[int, int, int, float, float]) -> RowCosts:
    """Measured of (memory, windows, rows in one) the costs of sorting and merging."""
    rows = measured_rows()
    points = tuple(
        SortCost(
            memory_bytes=memory,
            windows=windows,
            window_rows=window_rows,
            sort_s_per_byte=MeasuredFigure.of([sort]),
            merge_s_per_byte=MeasuredFigure.of([merge]),
        )
        for memory, windows, window_rows, sort, merge in sorts
    )
    return rows.model_copy(update={"sorts": points})


def test_costs_between_and_beyond_what_was_measured_follow_the_logarithms() -> None:
    rows = costs_of(
        (1 << 28, 16, 4096, 3.0, 4.0),
        (1 << 28, 256, 256, 2.0, 8.0),
        (1 << 32, 16, 65536, 4.0, 6.0),
        (1 << 32, 256, 4096, 3.0, 10.0),
    )
    sort = sort_cost(rows, median)
    assert sort.cost_s + sort.doubling_s * math.log2(1024 / sort.at) == pytest.approx(2.5)
    for memory, least in [(1 << 28, 4.0), (1 << 30, 5.0), (1 << 32, 6.0), (1 << 34, 7.0)]:
        merge = merge_cost(rows, memory, median)
        assert (merge.at, merge.cost_s, merge.doubling_s) == pytest.approx((16, least, 1.0))


def test_of_one_size_of_memory_nothing_is_known_of_others_and_noise_never_makes_work_free() -> None:
    one_size = costs_of((1 << 28, 16, 4096, 3.0, 4.0), (1 << 28, 256, 256, 2.0, 8.0))
    assert merge_cost(one_size, 1 << 34, median) == merge_cost(one_size, 1 << 28, median)
    shrinking = costs_of(
        (1 << 28, 16, 4096, 3.0, 4.0), (1 << 28, 256, 256, 2.0, 8.0), (1 << 32, 16, 9, 3.0, 1.0)
    )
    assert merge_cost(shrinking, 1 << 40, median).cost_s > 0
    growing = costs_of(
        (1 << 28, 16, 4096, 3.0, 1.0), (1 << 28, 256, 256, 2.0, 2.0), (1 << 32, 16, 9, 3.0, 9.0)
    )
    assert merge_cost(growing, 1 << 20, median).cost_s == 0.5


def test_what_this_process_has_grown_to_is_nothing_to_a_simulated_one(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = scenario_of(prepared(host, tmp_path).job)
    monkeypatch.setattr("howdah.engines.local.work._process_bytes", lambda: 2**40)
    assert scenario_of(prepared(host, tmp_path).job) == one

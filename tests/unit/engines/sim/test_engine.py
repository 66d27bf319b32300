"""A simulated run's record: the same for the same input, whole, and true to its plan."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from howdah.engines.sim.engine import OF_THE_OCCASION, SimEngine, SimTarget
from howdah.engines.sim.results import detail_of
from howdah.errors import UserError
from howdah.model.run import Origin, Outcome
from howdah.model.tables import Job, RunData
from howdah.model.workloads.option import MAPS
from howdah.simulation.replications import Simulations
from howdah.simulation.scenario import Written
from howdah.simulation.translate import translate
from howdah.store.writer import RunWriter
from howdah.units import MIB
from support.sim_plans import slots_plan, small_suite, study_plan, suite_on
from support.sim_runs import sim_job, simulated, small_run
from support.sinks import MemorySink
from support.stored import as_begun


@pytest.fixture(scope="module")
def small() -> RunData:
    return small_run()


def _written(runs_dir: Path, job: Job) -> dict[str, bytes]:
    """The files of a stored simulation, without what tells when and where it was made."""
    data = simulated(job)
    with RunWriter(runs_dir, as_begun(data.record)) as writer:
        writer.task_table(data.tasks)
        writer.sample_table(data.samples)
        writer.finish(data.record)
    files = {name: (writer.path / name).read_bytes() for name in ("tasks.parquet", "samples.parquet")}
    record = json.loads((writer.path / "run.json").read_text())
    lasting = {name: value for name, value in record.items() if name not in OF_THE_OCCASION}
    return files | {"run.json": json.dumps(lasting).encode()}


def test_the_same_input_gives_the_same_record_byte_for_byte(tmp_path: Path) -> None:
    # Of one host: this machine has others' disks and links for a moment while it is looked at twice.
    job = sim_job(slots_plan(), small_suite(slots_plan()), run_id="one")
    assert _written(tmp_path, job) == _written(tmp_path, job.model_copy(update={"run_id": "two"}))


def test_another_seed_gives_another_record(small: RunData) -> None:
    other = simulated(sim_job(slots_plan(), small_suite(slots_plan()), seed=8))
    assert other.record.elapsed_s != small.record.elapsed_s
    assert other.record.elapsed_s == pytest.approx(small.record.elapsed_s, rel=0.2)


def test_a_record_says_that_it_is_simulated_and_on_what(small: RunData) -> None:
    record = small.record
    assert (record.origin, record.engine, record.outcome) == (Origin.SIMULATED, "sim", Outcome.SUCCEEDED)
    assert record.simulated is not None
    assert (record.simulated.calibration, record.simulated.replications) == (None, 1)
    assert record.simulated.activities > 0
    assert "uncalibrated" in {warning.code for warning in record.warnings}
    assert record.cluster is not None
    assert len(record.cluster.datanodes) == 7


def test_every_byte_is_accounted_for(small: RunData) -> None:
    generated, sorted_, validated = small.record.workloads
    size = 10_000_000_000
    assert generated.counters.written_bytes == sorted_.counters.read_bytes == size
    assert sorted_.counters.written_bytes == validated.counters.read_bytes == size
    assert generated.replicas is not None
    replicas = small.record.plan.cluster.request.replication if small.record.plan.cluster else None
    assert generated.replicas.replicas % generated.replicas.blocks == 0
    assert sum(generated.replicas.per_worker.values()) == generated.replicas.replicas
    assert generated.used is not None
    written = sum(phase.disk_written_bytes for phase in generated.used.phases)
    factor = generated.replicas.replicas / generated.replicas.blocks
    assert written == pytest.approx(size * factor, rel=0.01)
    assert replicas is None or factor == replicas
    assert sorted_.job is not None
    counters = sorted_.job.counters
    assert counters["TaskCounter.MAP_INPUT_RECORDS"].total == 100_000_000
    assert counters["TaskCounter.REDUCE_OUTPUT_RECORDS"].total == 100_000_000
    assert counters["TaskCounter.MAP_OUTPUT_BYTES"].total == size
    launched = counters["JobCounter.TOTAL_LAUNCHED_MAPS"].total
    placed = ("DATA_LOCAL_MAPS", "RACK_LOCAL_MAPS", "OTHER_LOCAL_MAPS")
    assert (
        sum(counters[f"JobCounter.{name}"].total for name in placed) == launched == MAPS.of(sorted_.workload)
    )


def test_no_worker_runs_more_tasks_at_once_than_it_has_slots(small: RunData) -> None:
    kind = slots_plan().workers[0]
    for name, slots in (("map", kind.map_slots), ("reduce", kind.reduce_slots)):
        tasks = small.tasks.filter(pc.equal(small.tasks.column("kind"), pa.scalar(name))).to_pylist()
        edges = [(task["start_s"], 1, task["worker"]) for task in tasks]
        edges += [(task["end_s"], -1, task["worker"]) for task in tasks]
        running: Counter[str] = Counter()
        for _, change, worker in sorted(edges, key=lambda edge: edge[:2]):
            running[worker] += change
            assert running[worker] <= slots


def test_samples_add_up_to_what_phases_used(small: RunData) -> None:
    rows = small.samples.to_pylist()
    last = max(row["time_s"] for row in rows)
    ends = {(row["host"], row["metric"]): row["value"] for row in rows if row["time_s"] == last}
    used = [phase for result in small.record.workloads if result.used for phase in result.used.phases]
    for metric, field in (
        ("disk/data/read_bytes", "disk_read_bytes"),
        ("disk/data/written_bytes", "disk_written_bytes"),
        ("nic/net/rx_bytes", "received_bytes"),
        ("nic/net/tx_bytes", "sent_bytes"),
    ):
        sampled = sum(value for (_, name), value in ends.items() if name == metric)
        assert sampled == pytest.approx(sum(getattr(phase, field) for phase in used), rel=0.01)


def test_replications_give_bands_around_the_run_of_the_seed(small: RunData) -> None:
    data = small_run(5)
    assert data.record.simulated is not None
    bands = {(band.workload, band.phase): band for band in data.record.simulated.bands}
    assert set(bands) == {
        (result.workload.kind, phase)
        for result in data.record.workloads
        for phase in (None, *(one.name for one in result.phases))
    }
    for band in bands.values():
        assert band.low_s <= band.median_s <= band.high_s
    assert bands["terasort", None].low_s < bands["terasort", None].high_s
    # The record itself is that of one simulation alone.
    assert data.record.workloads == small.record.workloads
    assert data.tasks.equals(small.tasks)


def test_parameters_that_are_not_sure_widen_the_bands() -> None:
    # The last is beyond what the simulator takes, and is drawn back to it.
    uncertain = SimTarget({}, replications=4, draws=tuple({"map_s_per_byte": x} for x in (1e-8, 6e-8, 1.0)))
    data = simulated(sim_job(slots_plan(), small_suite(slots_plan())), uncertain)
    assert data.record.simulated is not None
    sure = small_run(5).record.simulated
    assert sure is not None
    widths = [
        next(one.high_s / one.low_s for one in bands if (one.workload, one.phase) == ("terasort", None))
        for bands in (sure.bands, data.record.simulated.bands)
    ]
    assert widths[1] > 1.05 * widths[0]
    assert data.record.workloads == small_run().record.workloads


def test_what_the_simulator_refuses_leaves_no_record() -> None:
    sink = MemorySink()
    engine = SimEngine(SimTarget({"softness": float("nan")}))
    with pytest.raises(UserError, match="softness"):
        engine.run(sim_job(slots_plan(), small_suite(slots_plan())), sink)
    assert sink.records == []


def test_more_tasks_than_a_report_can_tell_of_are_not_told_one_by_one() -> None:
    plan = study_plan(4)
    large = translate(plan, suite_on(plan, rows=3 * 10**11, block_bytes=16 * MIB), {}, seed=1).scenario
    usual = translate(plan, suite_on(plan), {}, seed=1).scenario
    written, warnings = detail_of(large, 5.0)
    assert not written.tasks
    assert written.sample_interval_s == 5.0
    assert [one.code for one in warnings] == ["tasks-untold"]
    assert "3.57M tasks" in warnings[0].text
    assert detail_of(usual, 5.0) == (Written(tasks=True, sample_interval_s=5.0), ())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"count": 10**9}, "hosts"),
        ({"memory_bytes": -1}, "expected u64"),
        ({"speed": 0.0}, "speed"),
        ({"nics": ()}, "nics"),
    ],
)
def test_hostile_hosts_are_refused_before_memory_is_taken(changes: dict[str, object], says: str) -> None:
    plan = slots_plan()
    scenario = translate(plan, small_suite(plan), {}, seed=1).scenario
    hosts = scenario.hosts[0].model_copy(update=changes)
    with pytest.raises(UserError, match=says):
        Simulations([scenario.model_copy(update={"hosts": (hosts,)})])


def test_a_calibrations_parameters_change_the_outcome(small: RunData) -> None:
    target = SimTarget({"map_s_per_byte": 2e-7}, calibration="a test", calibration_digest="d")
    data = simulated(sim_job(slots_plan(), small_suite(slots_plan())), target)
    assert data.record.elapsed_s > small.record.elapsed_s
    assert data.record.digests["calibration"] == "d"
    assert "uncalibrated" not in {warning.code for warning in data.record.warnings}


@pytest.mark.parametrize(
    ("suite", "asked"),
    [
        ("teragen", {"rows": 10**7}),
        ("terasort", {"rows": 10**7}),
        ("teravalidate", {"rows": 10**7}),
        ("dfsio", {"files": 14, "file_bytes": 256 * MIB}),
        ("dfsio-read", {"files": 14, "file_bytes": 256 * MIB}),
        ("pi", {"maps": 14, "samples": 10**7}),
    ],
)
def test_every_suite_runs_by_itself(suite: str, asked: dict[str, int]) -> None:
    data = simulated(sim_job(slots_plan(), suite_on(slots_plan(), suite, **asked)))
    assert data.record.error is None
    assert data.record.outcome is Outcome.SUCCEEDED
    assert all(result.elapsed_s > 0 for result in data.record.workloads)


def test_terasort_has_as_many_maps_as_table_1_says() -> None:
    sink = MemorySink()
    plan = study_plan(4)
    job = sim_job(plan, suite_on(plan, "teragen", rows=30_000_000_000))
    record = SimEngine(SimTarget({})).run(job, sink)
    assert MAPS.of(record.workloads[0].workload) == 756

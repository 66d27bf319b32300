"""Bytes through all layers of a cluster: theory, Hadoop's counters, DataNodes, network, disks."""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.volumes import ByteFlow, LayerAccount
from howdah.analysis.links import local_by_lot, shuffle_share
from howdah.model.cluster import CounterValue, Event, ReplicaSpread, SparkRun, SparkStageRun
from howdah.model.tables import RunData
from howdah.model.workloads.dfsio import DfsioRead, DfsioWrite
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_events
from support.cluster_scene import Scene
from support.findings import found
from support.sim_plans import small_plan, suite_on
from support.sim_runs import sim_job, simulated

SIZE = 8_000_000 * 100


def flow_of(run: RunData) -> ByteFlow:
    (flow,) = analyse(run).evidence.flows
    return flow


def layer(run: RunData, name: str, direction: str) -> LayerAccount:
    return next(each for each in flow_of(run).layers if (each.layer, each.direction) == (name, direction))


def counted(run: RunData, **changes: tuple[int, int]) -> RunData:
    """The run with other counters of its job: (map, reduce) by name."""
    (result,) = run.record.workloads
    assert result.job is not None
    counters = dict(result.job.counters)
    for name in counters:
        short = name.partition(".")[2]
        if short in changes:
            of_map, of_reduce = changes[short]
            counters[name] = CounterValue(map=of_map, reduce=of_reduce, total=of_map + of_reduce)
    job = result.job.model_copy(update={"counters": counters})
    changed = result.model_copy(update={"job": job})
    return run._replace(record=run.record.model_copy(update={"workloads": (changed,)}))


@pytest.mark.parametrize("replication", [1, 2])
def test_every_layer_is_what_replicas_and_shuffle_ask(replication: int) -> None:
    run = terasort_on(Scene(replication=replication))
    assert layer(run, "DataNodes", "written").theory == replication * SIZE
    assert layer(run, "DataNodes", "read").theory == SIZE
    # Four workers that do as much: three quarters of the map output cross, as do all replicas but the first.
    stored = SIZE * 1.04 / 1.02
    shuffle = 0.75 * stored
    assert layer(run, "network", "received").theory == pytest.approx(
        (replication - 1) * SIZE + shuffle, rel=0.01
    )
    # Map output is written by maps, and once more by the reduces that merge it.
    assert layer(run, "disks", "written").theory == pytest.approx(replication * SIZE + 2 * stored)
    (finding,) = found(run, "byte-accounting")
    assert finding.severity == "note"


def test_spark_counts_what_its_shuffle_fetched_elsewhere_and_what_stages_read_again() -> None:
    # A sort by SQL reads its input twice: once to choose ranges, and a quarter of the shuffle crosses here.
    run = counted(terasort_on(Scene(replication=1)), HDFS_BYTES_READ=(2 * SIZE, 0))
    (result,) = run.record.workloads
    stages = (
        _stage(0, input_bytes=SIZE),
        _stage(1, input_bytes=SIZE, shuffle_write_bytes=800),
        _stage(2, shuffle_read_bytes=800, shuffle_remote_bytes=200),
    )
    spark = SparkRun(
        id="application_1_0001",
        version="4.3.0",
        deploy_mode="client",
        outcome="succeeded",
        start_s=0.0,
        end_s=10.0,
        stages=stages,
    )
    changed = result.model_copy(update={"spark": spark})
    kinds = ["stage 1" if kind == "map" else "stage 2" for kind in run.tasks.column("kind").to_pylist()]
    column = run.tasks.schema.get_field_index("kind")
    run = run._replace(
        record=run.record.model_copy(update={"workloads": (changed,)}),
        tasks=run.tasks.set_column(column, "kind", pa.array(kinds)),
    )
    assert layer(run, "network", "received").theory == 200
    read = layer(run, "Hadoop", "read")
    again = [part.bytes for part in read.explained if part.reason == "input that further stages read again"]
    assert again == [SIZE]


def _stage(number: int, **numbers: int) -> SparkStageRun:
    return SparkStageRun.model_validate(
        {"id": number, "attempt": 0, "name": "sort", "start_s": 0.0, "end_s": 1.0, "tasks": 1, **numbers}
    )


def test_every_layer_agrees_with_what_was_counted() -> None:
    for one in flow_of(terasort_on(Scene())).layers:
        assert abs(one.unexplained) <= max(0.03 * one.theory, one.resolution), one


def test_records_spilled_twice_are_written_twice_and_read_once_more() -> None:
    once = terasort_on(Scene())
    stored = round(1.04 * SIZE)
    twice = counted(
        once,
        SPILLED_RECORDS=(16_000_000, 8_000_000),
        FILE_BYTES_WRITTEN=(2 * stored, stored),
        FILE_BYTES_READ=(stored, stored),
    )
    assert flow_of(twice).map_spills == 2
    more = layer(twice, "Hadoop", "written").theory - layer(once, "Hadoop", "written").theory
    assert more == pytest.approx(SIZE * 1.04 / 1.02)
    assert layer(twice, "Hadoop", "read").unexplained == pytest.approx(0, abs=1e6)
    (finding,) = found(twice, "extra-spills")
    assert "mapreduce.task.io.sort.mb" in finding.text


def test_compressed_map_output_is_counted_as_it_is_stored() -> None:
    small = SIZE // 3
    run = counted(
        terasort_on(Scene()),
        MAP_OUTPUT_BYTES=(SIZE, 0),
        MAP_OUTPUT_MATERIALIZED_BYTES=(small, 0),
        REDUCE_SHUFFLE_BYTES=(0, small),
        FILE_BYTES_WRITTEN=(small, small),
        FILE_BYTES_READ=(0, small),
    )
    assert flow_of(run).codec_ratio == pytest.approx(3, rel=0.01)
    assert layer(run, "Hadoop", "written").unexplained == pytest.approx(0, abs=1e5)


def test_bytes_that_no_theory_explains_are_named_with_their_layer() -> None:
    run = counted(terasort_on(Scene()), HDFS_BYTES_WRITTEN=(0, 2 * SIZE))
    (finding,) = found(run, "byte-accounting")
    assert finding.severity == "warning"
    assert "tasks wrote" in finding.text
    assert "more unexplained" in finding.text


def test_devices_that_wrote_too_little_without_a_cache_to_explain_it() -> None:
    run = terasort_on(Scene())
    silent = run._replace(samples=run.samples.filter(_mask(run, "disk/01/written_bytes")))
    directions = [each.direction for each in flow_of(silent).layers if each.layer == "disks"]
    assert directions == ["read"]


def _mask(run: RunData, without: str) -> list[bool]:
    return [metric != without for metric in run.samples.column("metric").to_pylist()]


def test_reads_that_never_reached_a_disk_came_from_the_page_cache() -> None:
    one = layer(terasort_on(Scene()), "disks", "read")
    (cache,) = [part for part in one.explained if "page cache" in part.reason]
    assert cache.bytes == pytest.approx(one.remainder, rel=0.05)
    picture = flow_of(terasort_on(Scene())).flows
    assert any(each.source == "cache" and each.bytes > 0.5 * SIZE for each in picture)


def test_what_a_job_wrote_itself_can_be_read_from_the_page_cache() -> None:
    """Reduces fetch map output that was written since the job began, when the cache was nearly empty."""
    run = terasort_on(Scene())
    rows = [
        {**row, "value": 1e6 if row["metric"] == "memory/cached_bytes" else row["value"]}
        for row in run.samples.to_pylist()
    ]
    bare = run._replace(samples=pa.Table.from_pylist(rows, schema=run.samples.schema))
    one = layer(bare, "disks", "read")
    (cache,) = [part for part in one.explained if "page cache" in part.reason]
    assert cache.bytes == pytest.approx(one.remainder, rel=0.05)
    assert abs(one.unexplained) < 0.05 * SIZE


def test_a_picture_loses_nothing_between_its_boxes() -> None:
    flow = flow_of(terasort_on(Scene()))
    keys = {node.key for node in flow.nodes}
    came: defaultdict[str, float] = defaultdict(float)
    went: defaultdict[str, float] = defaultdict(float)
    columns = {node.key: node.column for node in flow.nodes}
    for each in flow.flows:
        assert {each.source, each.target} <= keys
        assert columns[each.source] < columns[each.target]
        went[each.source] += each.bytes
        came[each.target] += each.bytes
    for key in ("blocks-read", "shuffle-network", "replica-network", "blocks-written"):
        assert went[key] == pytest.approx(came[key], rel=0.02), key
    assert came["disks-written"] == pytest.approx(layer(terasort_on(Scene()), "disks", "written").counted)


@settings(max_examples=20, deadline=None)
@given(hosts=st.integers(2, 5), per_host=st.integers(1, 2))
def test_of_like_workers_a_share_of_one_less_than_all_crosses(hosts: int, per_host: int) -> None:
    scene = Scene(hosts=hosts, per_host=per_host, noise=0.0)
    workers = scene.workers
    run = terasort_on(Scene(hosts=hosts, per_host=per_host, noise=0.0, maps=4 * workers))
    remote = shuffle_share(run.tasks, lambda worker: worker)
    assert remote == pytest.approx((workers - 1) / workers)
    uplinks = shuffle_share(run.tasks, lambda worker: worker.partition("-")[0])
    assert uplinks == pytest.approx((hosts - 1) / hosts)


def test_a_late_daemons_counters_are_counted_to_the_end() -> None:
    """A DataNode that shows what it wrote five seconds later accounts for it all the same."""
    run = terasort_on(Scene())
    late = [
        row["time_s"] + (5.0 if row["metric"].startswith("datanode/") else 0.0)
        for row in run.samples.to_pylist()
    ]
    column = run.samples.column_names.index("time_s")
    run = run._replace(samples=run.samples.set_column(column, "time_s", [late]))
    written = layer(run, "DataNodes", "written")
    assert written.counted == pytest.approx(written.theory, rel=0.01)


def test_dfsio_reads_what_lies_elsewhere_as_often_as_chance_has_it() -> None:
    """Its tasks go where their control files are: with two replicas on four workers half of it is remote."""
    run = terasort_on(Scene())
    (result,) = run.record.workloads
    assert result.job is not None
    workload = DfsioRead(files=8, file_bytes=SIZE // 8)
    reading = result.model_copy(
        update={
            "workload": workload,
            "job": result.job.model_copy(update={"conf": {"dfs.replication": "2"}}),
        }
    )
    flow = flow_of(run._replace(record=run.record.model_copy(update={"workloads": (reading,)})))
    received = next(each for each in flow.layers if each.direction == "received")
    assert flow.local_share == 0.5
    assert received.theory == SIZE / 2


@pytest.mark.parametrize("seed", range(4))
def test_simulated_dfsio_reads_as_theory_has_it_and_nobody_is_slow(seed: int) -> None:
    """The simulator knows of no slow link, and its files lie where the lot put them."""
    plan = small_plan()
    run = simulated(sim_job(plan, suite_on(plan, "dfsio"), seed=seed))
    analysis = analyse(run)
    causes = {one.cause for one in analysis.evidence.stragglers}
    assert not causes & {"slow disk", "slow link", "CPU held back"}
    assert not [
        one.text for one in analysis.findings if one.id == "byte-accounting" and one.severity == "warning"
    ]


def test_where_the_files_read_lie_counts() -> None:
    """Readers on the workers that hold most of what was written find more of it beside them."""
    run = terasort_on(Scene())
    (result,) = run.record.workloads
    written = ReplicaSpread(
        path="/dfsio",
        blocks=8,
        replicas=16,
        bytes=SIZE,
        per_worker={"h1-1": 8, "h1-2": 0, "h2-1": 8, "h2-2": 0},
        sharing_host=0,
        under_replicated=0,
        missing=0,
    )
    writing = result.model_copy(
        update={
            "workload": DfsioWrite(files=8, file_bytes=SIZE // 8),
            "replicas": written,
        }
    )
    reading = result.model_copy(update={"workload": DfsioRead(files=8, file_bytes=SIZE // 8)})
    record = run.record.model_copy(update={"workloads": (writing, reading)})
    tasks = run.tasks.filter(pc.equal(run.tasks.column("kind"), pa.scalar("map")))
    places = Counter(tasks.column("worker").to_pylist())
    lot = local_by_lot(record, reading, tasks, lambda worker: worker, 4)
    assert lot is not None
    assert lot.share == pytest.approx((places["h1-1"] + places["h2-1"]) / places.total())
    assert lot.wanders == 0, "what is certain does not wander"


def test_a_job_without_samples_is_accounted_for_by_its_counters() -> None:
    run = terasort_on(Scene())
    flow = flow_of(run._replace(samples=run.samples.slice(0, 0)))
    assert {each.layer for each in flow.layers} == {"Hadoop"}
    assert all(each.theory is not None for each in flow.flows if each.target == "disks-written")


def _after_a_loss(moved: float) -> RunData:
    """A run whose DataNodes wrote more than was asked for, one of four having been lost."""
    run = terasort_on(Scene(replication=2))
    (result,) = run.record.workloads
    assert result.replicas is not None
    lost = Event(time_s=result.start_s + 5, worker="h1-2", kind="datanode-given-up", text="no heartbeat")
    run = with_events(run, lost)
    rows = run.samples.to_pylist()
    own = [row for row in rows if (row["host"], row["metric"]) == ("h2-1", "datanode/written_bytes")]
    most = max(row["value"] for row in own)
    for row in own:
        row["value"] *= 1 + moved / most
    return run._replace(samples=pa.Table.from_pylist(rows, schema=run.samples.schema))


def test_copies_of_what_a_lost_datanode_held_are_no_mystery() -> None:
    part = SIZE * 2 / 4
    whole = layer(terasort_on(Scene(replication=2)), "DataNodes", "written")
    assert not [one for one in whole.explained if "lost DataNodes" in one.reason]
    for more, copied in ((part / 2, part / 2), (part * 3, part)):
        written = layer(_after_a_loss(more), "DataNodes", "written")
        assert written.counted == pytest.approx(whole.counted + more, rel=0.02)
        (copies,) = [one for one in written.explained if "lost DataNodes" in one.reason]
        assert copies.bytes == pytest.approx(copied, rel=0.05)
        assert written.unexplained == pytest.approx(more - copied, abs=0.05 * SIZE)


def _crossing(run: RunData, more: float) -> RunData:
    """The run in which DataNodes count what went to other machines, and so much more did than theory asks."""
    (result,) = run.record.workloads
    whole = layer(run, "network", "received").theory
    rows = run.samples.to_pylist()
    hosts = sorted({row["host"] for row in rows if row["metric"] == "nic/eth0/rx_bytes"})
    for row in rows:
        if row["metric"] in {"nic/eth0/rx_bytes", "nic/eth0/tx_bytes"}:
            row["value"] *= 1 + more / whole
    sent = (SIZE + more) / len(hosts)
    for host in hosts:
        for time_s, value in ((0.0, 0.0), (result.start_s, 0.0), (result.end_s - 0.1, sent)):
            rows.append(
                {"time_s": time_s, "host": host, "metric": "datanode/remote_read_bytes", "value": value}
            )
            rows.append(
                {"time_s": time_s, "host": host, "metric": "datanode/remote_written_bytes", "value": 0.0}
            )
    return run._replace(samples=pa.Table.from_pylist(rows, schema=run.samples.schema))


def test_what_datanodes_count_as_sent_elsewhere_explains_the_network() -> None:
    """Where tasks run and what they find there is chance; theory knows the mean alone."""
    more = 0.4 * SIZE
    run = _crossing(terasort_on(Scene()), more)
    received = layer(run, "network", "received")
    (sent,) = [one for one in received.explained if "as they count it" in one.reason]
    assert sent.bytes == pytest.approx(more, rel=0.01)
    assert sent.sure == "measured"
    assert abs(received.unexplained) < 0.05 * SIZE
    assert found(run, "byte-accounting")[0].severity == "note"


def test_what_killed_attempts_read_is_bounded_by_what_their_tasks_needed() -> None:
    """One that lost a race leaves no counters, and DataNodes have counted what it read."""
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    lost = first._replace(attempt=1, state="killed", input_bytes=0, output_bytes=0, error="Speculation: lost")
    raced = with_attempts(run, [first, lost, *rest])
    for more, told in ((0.5 * first.input_bytes, 0.5), (3.0 * first.input_bytes, 1.0)):
        read = layer(_read_more(raced, more), "DataNodes", "read")
        (untold,) = [one for one in read.explained if "reports no bytes" in one.reason]
        assert untold.bytes == pytest.approx(told * first.input_bytes, rel=0.35)
        assert untold.bytes <= first.input_bytes
    assert not [one for one in layer(run, "DataNodes", "read").explained if "reports no bytes" in one.reason]


def test_a_lost_master_that_left_no_word_may_have_had_everything_read_once() -> None:
    run = terasort_on(Scene())
    anew = with_attempts(run, [each._replace(attempt=1000) for each in attempts_in(run)])
    for more, told in ((0.5 * SIZE, 0.5), (1.5 * SIZE, 1.0)):
        read = layer(_read_more(anew, more), "DataNodes", "read")
        (untold,) = [one for one in read.explained if "reports no bytes" in one.reason]
        assert untold.bytes == pytest.approx(told * SIZE, rel=0.05)


def _read_more(run: RunData, more: float) -> RunData:
    """The run in which DataNodes read so many bytes more."""
    rows = run.samples.to_pylist()
    ends = {row["host"]: row["value"] for row in rows if row["metric"] == "datanode/read_bytes"}
    whole = sum(ends.values())
    for row in rows:
        if row["metric"] == "datanode/read_bytes":
            row["value"] *= 1 + more / whole
    return run._replace(samples=pa.Table.from_pylist(rows, schema=run.samples.schema))


def test_what_a_job_wrote_is_not_laid_at_the_door_of_the_one_that_follows_at_once() -> None:
    """A DataNode that shows what was written only when the next job has begun."""
    run = terasort_on(Scene())
    (result,) = run.record.workloads
    before = result.model_copy(
        update={"start_s": -30.0, "end_s": result.start_s - 0.04, "phases": (), "job": None}
    )
    shown_s = result.start_s + 2.0
    column = run.samples.column_names.index("value")
    late = [
        row["value"] + (SIZE if row["metric"] == "datanode/written_bytes" and row["time_s"] > shown_s else 0)
        for row in run.samples.to_pylist()
    ]
    run = run._replace(samples=run.samples.set_column(column, "value", [late]))
    assert found(run, "byte-accounting")[0].severity == "warning", "nothing was there before"
    after = run._replace(record=run.record.model_copy(update={"workloads": (before, result)}))
    told = [one for one in found(after, "byte-accounting") if one.severity == "warning"]
    assert told == []

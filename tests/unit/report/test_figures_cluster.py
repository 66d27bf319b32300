"""A cluster's report: what is drawn of machines, workers and places, and what its tables say."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.times import FloorDistance
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.report.cluster import cluster_tables, grounds
from howdah.report.document import Figure, Form, Table
from howdah.report.figures import draw
from howdah.report.figures.steps import MOST_ROWS, working
from howdah.report.figures.task_bars import MOST_WORKERS, event_marks, telling
from howdah.report.figures.tasks import LaneGroup, Places, shortened
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.figures.topology import SHEET, HostPlace, Place, PlacedRack, cells
from howdah.report.provenance import provenance
from howdah.report.run import run_report
from howdah.units import format_seconds
from support import records
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_events, with_samples
from support.cluster_reports import LOST_S, laboratory, lossy
from support.cluster_scene import Scene
from support.figures import report_figures, source_of
from support.large_cluster import large_cluster
from support.recorded_losses import recorded_loss
from support.shown import first_table


def _figure(run: RunData, id_: str) -> Figure:
    return next(figure for figure in report_figures(run) if figure.id == id_)


def _titled(run: RunData, title: str) -> Table:
    every = (*cluster_tables(run.record, analyse(run).evidence), *grounds(run.record))
    return next(one for one in every if one.title == title and one.rows)


def _with_hosts_sampled(run: RunData) -> RunData:
    """The run with the hosts' uplinks sampled as well, which carry what their workers' interfaces do."""
    rows = run.samples.to_pylist()
    hosts = [
        (row["time_s"], row["host"].split("-")[0], "nic/uplink/rx_bytes", 2 * row["value"])
        for row in rows
        if row["metric"] == "nic/eth0/rx_bytes" and row["host"].endswith("-1")
    ]
    return with_samples(run, hosts)


def test_a_total_counts_a_host_or_its_workers_never_both() -> None:
    run = terasort_on(Scene(rows=2_000_000))
    alone, both = source_of(run), source_of(_with_hosts_sampled(run))
    assert "h1" in {one.host for one in both.evidence.series if one.subject == "nic"}

    def received(source: FigureSource) -> float:
        every = [one for one in source.evidence.series if (one.subject, one.quantity) == ("nic", "rx")]
        return sum(float((one.values * np.diff(one.edges_s)).sum()) for one in working(source, every))

    assert received(both) == received(alone)


def test_a_host_stands_in_a_total_where_its_workers_were_not_sampled() -> None:
    source = source_of(_with_hosts_sampled(terasort_on(Scene(rows=2_000_000))))
    hosts = [one for one in source.evidence.series if one.host in ("h1", "h2")]
    assert hosts
    assert working(source, hosts) == hosts


def test_off_a_cluster_everything_sampled_is_in_the_total() -> None:
    source = source_of(records.terasuite())
    assert working(source, source.evidence.series) == list(source.evidence.series)


@pytest.mark.parametrize("id_", ["cpu-machines", "storage-machines", "network-machines"])
def test_every_machine_of_a_small_cluster_has_a_row_of_its_own(id_: str) -> None:
    figure = _figure(lossy(), id_)
    assert [row[0] for row in figure.table.rows] == ["h1-1", "h1-2", "h2-1", "h2-2"]


def test_what_a_row_shows_is_what_was_sampled() -> None:
    run = terasort_on(Scene(injected="slow disk", victim=1))
    table = _figure(run, "storage-machines").table
    written = {row[0]: float(row[table.columns.index("write, mean (MB/s)")]) for row in table.rows}
    last: dict[str, float] = {}
    for row in run.samples.to_pylist():
        if row["metric"] == "disk/01/written_bytes":
            last[row["host"]] = row["value"]
    for worker, rate in written.items():
        assert rate == pytest.approx(last[worker] / run.record.elapsed_s / 1e6, rel=0.05)


def test_many_machines_are_hosts_and_of_those_the_most_different_with_the_others_median() -> None:
    run = large_cluster(hosts=20, per_host=2, tasks=400, steps=30)
    figure = _figure(run, "storage-machines")
    names = [row[0] for row in figure.table.rows]
    assert len(names) == MOST_ROWS
    assert names[-1] == "9 more"
    assert set(names[:-1]) < {f"h{number}" for number in range(1, 21)}
    assert "Each host is drawn with all its workers together." in figure.caption
    assert "Of 20 machines, the 11 that differ most from the median." in figure.caption


def test_the_machine_that_is_not_like_the_others_comes_first() -> None:
    run = large_cluster(hosts=20, per_host=1, tasks=400, steps=30)
    rows = [
        {**row, "value": row["value"] / 9} if row["host"] == "h13" else row for row in run.samples.to_pylist()
    ]
    run = run._replace(samples=run.samples.slice(0, 0))
    run = with_samples(run, [(row["time_s"], row["host"], row["metric"], row["value"]) for row in rows])
    assert _figure(run, "network-machines").table.rows[0][0] == "h13"


def test_tasks_of_a_large_cluster_are_those_of_the_most_telling_workers() -> None:
    run = large_cluster(hosts=10, per_host=10, tasks=800, steps=30)
    attempts = attempts_in(run)
    attempts[7] = attempts[7]._replace(state="failed")
    attempts[60] = attempts[60]._replace(end_s=attempts[60].end_s + 900)
    run = with_attempts(run, attempts)
    source = source_of(run)
    names = telling(source, run.tasks.to_pylist())
    assert len(names) == MOST_WORKERS
    assert {run.record.events[0].worker, attempts[7].worker, attempts[60].worker} <= set(names)
    planned = [one.name for one in source.evidence.machines if one.name in set(names)]
    assert names == planned
    caption = _figure(run, "tasks").caption
    assert "800 task attempts on 100 workers" in caption
    assert "60 more are not drawn" in caption


def test_a_reduce_is_drawn_in_two_parts_and_a_lost_attempt_is_marked() -> None:
    figure = _figure(lossy(), "tasks")
    layers = figure.spec["layer"]
    bars = next(layer for layer in layers if layer.get("name") == "data")["data"]["values"]
    kinds = {key.name for key in figure.keys}
    assert kinds == {"map", "reduce fetching map output", "reduce", "failed", "killed"}
    fetching = [bar for bar in bars if bar["series"] == "reduce fetching map output"]
    reducing = [bar for bar in bars if bar["series"] == "reduce"]
    assert len(fetching) == len(reducing) == 8
    assert {bar["end"] for bar in fetching} == {bar["start"] for bar in reducing}
    (failed,) = [bar for bar in bars if bar["series"] == "failed"]
    assert failed["worker"] == "h2-1"
    assert "connection reset" in failed["what"]
    spec = json.dumps(figure.spec)
    assert "DataNode and NodeManager lost" in spec
    assert "DataNode back" in spec
    assert '"slow disk"' in spec


def test_workers_are_named_without_their_domain_where_that_tells_them_apart() -> None:
    def shown(*workers: str) -> list[str]:
        groups = tuple(LaneGroup(name, 0, 1) for name in workers)
        return shortened(Places(groups, (), (), 1))

    assert shown("h1-1.example.com", "h2-1.example.com") == ["h1-1", "h2-1"]
    assert shown("10.0.0.1", "10.0.0.2") == ["10.0.0.1", "10.0.0.2"]


def test_daemons_lost_together_share_a_mark() -> None:
    source = source_of(lossy())
    assert [(one.state, one.daemons, one.time_s) for one in event_marks(source)] == [
        ("lost", ("DataNode", "NodeManager"), LOST_S),
        ("back", ("DataNode",), LOST_S + 25),
    ]


def test_a_daemon_that_is_missed_and_then_given_up_has_one_mark() -> None:
    run = lossy()
    given_up = run.record.events[0].model_copy(update={"time_s": LOST_S + 20, "text": "declared dead"})
    (lost, _) = event_marks(source_of(with_events(run, *run.record.events, given_up)))
    assert (lost.time_s, lost.daemons) == (LOST_S, ("DataNode", "NodeManager"))
    assert "declared dead" in lost.text


def test_being_given_up_is_a_mark_of_its_own_where_there_is_room() -> None:
    run = lossy()
    event = run.record.events[1].model_copy(update={"seen_s": LOST_S - 3})
    soon = event.model_copy(update={"kind": "nodemanager-given-up", "time_s": LOST_S + 2})
    late = soon.model_copy(update={"time_s": LOST_S + 60})
    assert [one.state for one in event_marks(source_of(with_events(run, event, soon)))] == ["lost"]
    marks = event_marks(source_of(with_events(run, event, late)))
    assert [(one.state, one.time_s) for one in marks] == [("lost", LOST_S - 3), ("given-up", LOST_S + 60)]


def test_what_was_under_way_on_a_lost_worker_ends_with_it_in_the_picture() -> None:
    """Hadoop knows only later that it had ended; until then it is drawn as what it was not."""
    run = recorded_loss("brief")
    (loss, _) = analyse(run).evidence.losses
    under_way = next(each for each in loss.ended if each.end_s > loss.lost_s)
    (data,) = (layer for layer in _figure(run, "tasks").spec["layer"] if layer.get("name") == "data")
    values = [one for one in data["data"]["values"] if one["worker"] == loss.worker]
    (missed,) = (one for one in values if one["series"] == "lost, not yet given up")
    assert missed["took"] == format_seconds(under_way.end_s - loss.lost_s)
    assert missed["start"] in {one["end"] for one in values if one["series"] == "killed"}


def test_an_event_on_a_machine_without_tasks_is_drawn_nowhere_and_told() -> None:
    run = lossy()
    event = run.record.events[0].model_copy(update={"worker": "nn1", "kind": "namenode-failover"})
    run = with_events(run, event)
    assert "failover" not in json.dumps(_figure(run, "tasks").spec)
    assert _titled(run, "What happened to the cluster").rows == (
        ("20.0 s", "nn1", "the NameNode lists it as dead"),
    )


def test_the_topology_tells_where_replicas_lie() -> None:
    figure = _figure(lossy(), "topology")
    assert figure.table.rows[0] == ("h1-1", "h1", "rack-1", "4")
    assert "16 replicas of 8 blocks, spread evenly; none with two replicas on one host" in figure.caption
    words = json.dumps(figure.spec, ensure_ascii=False)
    assert "h2-1, lost during the run" in words
    assert "NameNode" in words


def test_blocks_that_share_a_host_are_told_in_the_topology() -> None:
    run = lossy()
    (result,) = run.record.workloads
    assert result.replicas is not None
    spread = result.replicas.model_copy(update={"sharing_host": 3, "under_replicated": 1})
    result = result.model_copy(update={"replicas": spread})
    run = run._replace(record=run.record.model_copy(update={"workloads": (result,)}))
    caption = _figure(run, "topology").caption
    assert "3 with two replicas on one host; 1 with too few replicas, 0 with none" in caption


def test_racks_stand_beside_one_another_as_far_as_there_is_room() -> None:
    racks = tuple(
        PlacedRack(f"rack-{rack}", (HostPlace(f"h{rack}", (Place(f"w{rack}", (), False),), ()),))
        for rack in range(20)
    )
    (words,) = [
        [one for one in layer["data"]["values"] if one["tone"] == "strong"]
        for layer in cells(racks, ())["layer"]
        if layer["mark"]["type"] == "text" and layer["mark"]["fontWeight"] == "bold"
    ]
    rows = sorted({one["y"] for one in words})
    assert [sum(one["y"] == y for one in words) for y in rows] == [13, 7]
    assert all(one["x"] + 44 <= SHEET for one in words)
    assert len({(one["x"], one["y"]) for one in words}) == 20


def test_a_large_cluster_is_drawn_as_cells_from_the_fewest_to_the_most_replicas() -> None:
    run = large_cluster(hosts=10, per_host=10, tasks=400, steps=30)
    figure = _figure(run, "topology")
    (layer,) = [layer for layer in figure.spec["layer"] if layer.get("name") == "data"]
    cells = [one for one in layer["data"]["values"] if one["token"] in ("disk-write", "ink")]
    assert len(cells) == 100
    shades = {one["title"]: one["shade"] for one in cells if one["token"] == "disk-write"}
    most = [shade for title, shade in shades.items() if "55 replicas" in title]
    least = [shade for title, shade in shades.items() if "45 replicas" in title]
    assert set(most) == {1.0}
    assert max(least) < 0.2
    assert [one["title"] for one in cells if one["token"] == "ink"] == [
        "h6-1: lost during the run, 51 replicas of terasort"
    ]


def test_tables_name_the_straggler_with_its_sign_and_the_loss_with_its_cost() -> None:
    (straggler,) = _titled(lossy(), "What slowed other tasks down").rows
    assert straggler[:4] == ("h1-2", "h1", "terasort", "the worker")
    assert straggler[5] == "slow disk"
    assert "MB/s, peers" in straggler[7]
    (loss,) = _titled(lossy(), "Workers lost").rows
    assert loss[:5] == ("h2-1", "h2", "DataNode and NodeManager", "terasort map-shuffle", "18.0 s")
    assert loss[5:9] == ("18.0 s", "–", "43.0 s", "1")


def test_a_quiet_run_has_no_tables_of_trouble() -> None:
    run = terasort_on(Scene())
    titles = [one.title for one in cluster_tables(run.record, analyse(run).evidence) if one.rows]
    assert titles == ["Overheads of jobs"]


def test_the_distance_from_the_floor_is_in_the_first_table_the_first_figure_and_its_own_table() -> None:
    run = terasort_on(Scene())
    analysis = analyse(run)
    time = analysis.evidence.workloads[0]
    floor = FloorDistance("terasort", time.elapsed_s, time.elapsed_s / 4, "20261121-local", ("cores",))
    analysis = replace(analysis, evidence=replace(analysis.evidence, floors=(floor,)))
    stats = first_table(run_report(run, analysis))
    (row,) = stats.rows
    assert row[stats.columns.index("× floor")] == "4.0 ×"
    rows = next(one.rows for one in cluster_tables(run.record, analysis.evidence) if one.rows)
    assert rows[0][3:] == ("4.0 ×", "20261121-local", "cores")
    answer = draw(FigureSource(run, analysis.evidence)).answer
    assert answer is not None
    assert answer.table.rows[0][3] == f"{time.elapsed_s / 4:.3f}"
    assert "without Hadoop" in answer.caption


def test_a_laboratory_says_what_it_keeps_what_it_lost_and_how_small_it_is() -> None:
    run = laboratory()
    assert _titled(run, "How the lab follows the plan").rows == (
        ("uplink", "kept", "1.00 Gb/s each way, a token bucket at both ends"),
        ("NUMA", "lost", "machines share this machine's NUMA nodes"),
    )
    assert _titled(run, "Smaller than planned").rows == (
        ("CPUs per host", "4", "0.5"),
        ("memory per host", "17.2 GB", "4.29 GB"),
        ("uplink", "1.00 Gb/s", "100 Mb/s"),
    )
    assert _titled(run, "Properties that are not as rendered").rows[0][:3] == (
        "dfs.client.read.shortcircuit",
        "true",
        "false",
    )
    assert ("dfs.replication", "2") in _titled(run, "Properties of the jobs as they ran").rows


def test_provenance_names_versions_and_jobs() -> None:
    groups = {one.title: dict(one.entries) for one in provenance(laboratory().record)}
    assert groups["Cluster"]["Hadoop"] == "3.5.0"
    assert groups["Cluster"]["lab"] == "mine, built with root"
    assert groups["Jobs"] == {"terasort": "job_1700000000000_0001, reported by the history server"}
    assert "Host it was started on" in groups


def test_provenance_leaves_out_the_loop_devices_of_a_laboratory() -> None:
    record = laboratory().record
    own, image = record.host.disks[0], record.host.file_systems[0]
    loop = own.model_copy(update={"name": "loop7", "kind": "loop"})
    mounted = image.model_copy(update={"mount": "/lab/disk1", "disk": "loop7", "device": "/dev/loop7"})
    host = record.host.model_copy(
        update={"disks": (own, loop), "file_systems": (image, mounted)},
    )

    def told(changed: RunRecord) -> str:
        return str([one.entries for one in provenance(changed) if one.title.startswith("Host")])

    assert "loop7" not in told(record.model_copy(update={"host": host}))
    assert own.name in told(record.model_copy(update={"host": host}))
    # A local run may well have had its data on one.
    assert "loop7" in told(records.terasuite().record.model_copy(update={"host": host}))


def test_a_report_says_which_cluster_it_is_of() -> None:
    run = laboratory()
    assert run_report(run, analyse(run)).title == "terasort on lab mine"
    run = terasort_on(Scene())
    assert run_report(run, analyse(run)).title == "terasort on hdfs://nn1:8020"


def test_a_local_run_has_nothing_of_a_cluster() -> None:
    run = records.terasuite()
    figures = draw(source_of(run))
    assert figures.places == figures.flows == ()
    assert not any(figure.id.endswith("-machines") for figure in figures.over_time)
    assert "cluster" not in {
        section.id for section in run_report(run, analyse(run)).in_form(Form.HTML).sections
    }
    assert not any(one.rows for one in grounds(run.record))

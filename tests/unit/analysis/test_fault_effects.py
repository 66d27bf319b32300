"""What is told of faults: who had no answer for how long, what logs say about it, and what was lost."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.comparing.readings import unanswered_readings
from howdah.model.faults import CELLS_READ, LEDGER_UNREAD, FaultReport, LedgerReport, ProbeOutage
from howdah.model.run import RunWarning, Sample, SampleGap
from howdah.model.tables import SAMPLES_SCHEMA
from support.faulted_runs import KILL, OUT, faulted, probe, stalled
from support.findings import found, value
from support.table_runs import TableScene, table, table_run


def test_a_fault_is_told_with_its_outages_and_the_way_back() -> None:
    (told,) = found(faulted(KILL, probes=OUT), "fault")
    assert told.severity == "note"
    assert told.text == (
        "kill regionserver@w1 at ycsb-a 40% hit regionserver on w1 at 20.1 s: 2 of 3 probes had no answer, "
        "the longest for 11.0 s; all had one again 10.9 s after it (RegionServer missed after 6.00 s and "
        "regions open after 10.9 s)"
    )
    assert value(told, "longest without an answer") == 11
    assert value(told, "regions open") == pytest.approx(10.9)


@pytest.mark.parametrize(("ended_s", "waited"), [(30.5, True), (28.0, False), (44.0, False)])
def test_an_answer_that_came_with_the_undoing_is_not_taken_for_a_recovery(
    ended_s: float, waited: bool
) -> None:
    fault = KILL.model_copy(update={"ended_s": ended_s})
    (told,) = found(faulted(fault, probes=OUT), "fault")
    assert ("10.9 s after it (not before it was undone) (Region" in told.text) is waited


def test_probes_that_began_after_the_fault_do_not_say_that_nothing_happened() -> None:
    late = probe("region -").model_copy(update={"start_s": 24.0})
    run = faulted(KILL, probes=(late,))
    (told,) = found(run, "fault")
    assert "1 probe, the first 3.90 s after it, always had an answer within a second" in told.text
    (answer,) = found(run, "answer")
    assert answer.text.startswith("after kill regionserver@w1: nothing was asked for the first 3.90 s, ")
    times = analyse(run).evidence.workloads
    assert list(unanswered_readings(run.record, times)) == []
    in_time = faulted(KILL, probes=(probe("region -"),)).record
    assert [reading.value for reading in unanswered_readings(in_time, times)] == [0.0]


def test_an_outage_belongs_to_the_fault_that_was_done_last_before_it() -> None:
    later = KILL.model_copy(update={"fault": "pause regionserver@w2 at 35s", "begun_s": 35.0})
    first, second = analyse(faulted(later, KILL, probes=OUT)).evidence.fault_effects
    assert first.stall is not None
    assert (first.fault, first.stall.probes, first.longest_s) == (KILL, 2, 11)
    assert (second.fault, second.stall, second.later, second.back_s) == (later, None, (), 0.0)
    assert second.steps == ()


LATE = ProbeOutage(start_s=41.0, end_s=42.5)


def test_a_later_stall_is_not_the_faults_own() -> None:
    short = ProbeOutage(start_s=20.0, end_s=25.2)
    run = faulted(KILL, probes=(probe("region -", short, LATE), probe("region user3")))
    (effect,) = analyse(run).evidence.fault_effects
    assert effect.back_s == pytest.approx(5.1)
    (told,) = found(run, "fault")
    assert (
        "1 of 2 probes had no answer, the longest for 5.20 s; all had one again 5.10 s after it "
        "(RegionServer missed after 6.00 s and regions open after 8.90 s); a separate stall of 1.50 s, of "
        "1 probe, began 20.9 s after it, before it was undone"
    ) in told.text
    assert value(told, "all answered again after") == pytest.approx(5.1)
    assert value(told, "longest of a later stall") == 1.5
    (answer,) = found(run, "answer")
    assert answer.text.startswith("after kill regionserver@w1: up to 5.20 s without an answer to probes, ")
    longer = LATE.model_copy(update={"end_s": 50.0})
    record = faulted(KILL, probes=(probe("region -", short, longer),)).record
    readings = unanswered_readings(record, analyse(run).evidence.workloads)
    assert [reading.value for reading in readings] == [pytest.approx(5.2)]


def test_a_stall_that_directly_follows_belongs_to_the_fault() -> None:
    first, next_ = ProbeOutage(start_s=20.0, end_s=25.2), ProbeOutage(start_s=26.8, end_s=31.0)
    (effect,) = analyse(faulted(KILL, probes=(probe("region -", first, next_),))).evidence.fault_effects
    assert effect.back_s == pytest.approx(10.9)
    assert effect.later == ()


def test_on_a_busy_machine_what_is_usual_is_no_stall_of_the_fault() -> None:
    """Recorded while other work kept the machine busy: writes took seconds before the fault, too."""
    usual = (
        (16.6, 17.8), (18.7, 19.0), (19.0, 19.9), (23.2, 24.4), (25.0, 26.1), (28.9, 30.1), (38.0, 39.2)
    )  # fmt: skip
    slow = tuple(ProbeOutage(start_s=start_s, end_s=end_s) for start_s, end_s in usual)
    own = ProbeOutage(start_s=20.0, end_s=22.5)
    writes = probe("HDFS", *sorted((*slow, own), key=lambda outage: outage.start_s))
    run = faulted(KILL, probes=(writes,))
    (effect,) = analyse(run).evidence.fault_effects
    assert effect.stall is not None
    assert (effect.stall.start_s, effect.stall.end_s, effect.later) == (20.0, 22.5, ())
    (told,) = found(run, "fault")
    assert "the longest for 2.50 s (for up to 1.20 s before any fault); all had one again 2.40 s" in told.text


def test_a_stall_long_after_a_killed_daemon_is_reported_by_itself() -> None:
    run = faulted(KILL, probes=(probe("region -", LATE),))
    (effect,) = analyse(run).evidence.fault_effects
    assert (effect.stall, len(effect.later), effect.back_s) == (None, 1, 0.0)
    (answer,) = found(run, "answer")
    assert "no time without an answer, and a separate stall of 1.50 s" in answer.text
    undone = KILL.model_copy(update={"ended_s": 40.0})
    (told,) = found(faulted(undone, probes=(probe("region -", LATE),)), "fault")
    assert "1 probe had an answer within a second; a separate stall" in told.text
    assert told.text.endswith("20.9 s after it, as kill regionserver@w1 at ycsb-a 40% was undone")


def test_what_begins_while_a_server_is_paused_is_the_pauses() -> None:
    pause = KILL.model_copy(update={"fault": "pause regionserver@w1 at 20s for 24s"})
    (effect,) = analyse(faulted(pause, probes=(probe("region -", LATE),))).evidence.fault_effects
    assert (effect.longest_s, effect.later) == (1.5, ())


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("kill regionserver@w1 at 20s", "after so long it pauses 10.0 s between two attempts (100 × h"),
        (
            "pause regionserver@w1 at 20s",
            "it awaits an answer of a silent RegionServer for 1 min 00 s (",
        ),
    ],
)
def test_a_client_that_waits_longer_than_probes_is_shown_with_its_setting(fault: str, reason: str) -> None:
    hit = KILL.model_copy(update={"fault": fault})
    run = stalled(faulted(hit, probes=OUT), 20.0, 38.0)
    (told,) = found(run, "fault")
    assert f"; a request of ycsb-a waited up to 18.0 s: {reason}" in told.text
    assert value(told, "longest wait of a request of ycsb-a") == pytest.approx(18, rel=0.01)
    (answer,) = found(run, "answer")
    assert "up to 11.0 s without an answer to probes and 18.0 s for a request of ycsb-a, " in answer.text


def test_what_was_not_over_when_probes_ended_is_a_warning() -> None:
    open_end = probe("region -", ProbeOutage(start_s=20, end_s=44, ended=False))
    (told,) = found(faulted(KILL, probes=(open_end,)), "fault")
    assert told.severity == "warning"
    assert "not all had one when probing ended" in told.text


def test_the_answer_begins_with_what_was_done_and_whether_anything_is_lost() -> None:
    (answer,) = found(faulted(KILL, probes=OUT), "answer")
    assert answer.text.startswith(
        "after kill regionserver@w1: up to 11.0 s without an answer to probes, nothing acknowledged lost; "
        "ycsb-a "
    )
    (kept,) = found(faulted(KILL, probes=OUT), "acknowledged")
    assert (kept.severity, value(kept, CELLS_READ)) == ("note", 1000)
    (answer,) = found(faulted(KILL, lost=3, probes=OUT), "answer")
    assert "3 acknowledged writes lost" in answer.text
    (gone,) = found(faulted(KILL, lost=3), "acknowledged")
    assert gone.severity == "warning"
    assert "3 are lost" in gone.text


def test_faults_that_did_not_happen_or_stay_are_warnings() -> None:
    never = FaultReport(
        fault="kill hmaster at 900s", state="not happened", why="the run ended before that moment"
    )
    stays = KILL.model_copy(update={"state": "not undone", "why": "start w1: it does not start"})
    told = found(faulted(never, stays), "fault-state")
    assert [one.text for one in told] == [
        "kill hmaster at 900s did not happen: the run ended before that moment",
        "kill regionserver@w1 at ycsb-a 40% could not be undone: start w1: it does not start",
    ]
    assert {one.severity for one in told} == {"warning"}


def test_without_faults_nothing_is_said_of_any() -> None:
    run = table_run(TableScene(seconds=40))
    assert analyse(run).evidence.fault_effects == ()
    assert found(run, "fault") == found(run, "acknowledged") == []


def test_servers_counts_are_held_against_clients_only_without_faults() -> None:
    assert found(table_run(TableScene(seconds=40)), "request-accounting")
    assert not found(faulted(KILL, probes=OUT), "request-accounting")


def test_what_hdfs_kept_is_told_and_what_it_did_not() -> None:
    run = table_run(TableScene(seconds=24))
    sound = LedgerReport(clients=2, asked=300, acknowledged=298, failed=2, files=20)
    record = run.record.model_copy(update={"faults": (KILL,), "ledger": sound})
    (told,) = found(run._replace(record=record), "acknowledged")
    assert told.text == (
        "2 clients asked HDFS for 300 things, 298 were acknowledged, and 20 files read back after all faults "
        "were undone: all is as HDFS promises"
    )
    (answer,) = found(run._replace(record=record), "answer")
    assert answer.text.startswith("after kill regionserver@w1, nothing acknowledged lost; ")
    broken = sound.model_copy(update={"lost": ("record 3 of 0/f1", "file 0/f2"), "doubled": ("0/f4",)})
    record = record.model_copy(update={"ledger": broken})
    (told,) = found(run._replace(record=record), "acknowledged")
    assert told.severity == "warning"
    assert told.text.endswith("record 3 of 0/f1 and file 0/f2 lost; 0/f4 there twice")
    (answer,) = found(run._replace(record=record), "answer")
    assert answer.text.startswith("after kill regionserver@w1, HDFS lost or changed acknowledged data; ")


def test_what_nobody_could_read_back_is_not_called_kept() -> None:
    run = table_run(TableScene(seconds=24))
    warning = RunWarning(code=LEDGER_UNREAD, text="what HDFS acknowledged could not be held against it")
    record = run.record.model_copy(update={"faults": (KILL,), "warnings": (warning,)})
    (answer,) = found(run._replace(record=record), "answer")
    assert answer.text.startswith("after kill regionserver@w1, acknowledged data not read back; ")


GAP = RunWarning(
    code="gap-in-regionserver-samples",
    text="no samples of the RegionServer of w1 from 22.0 to 47.0 s: refused",
    machine="w1",
    gaps=(SampleGap(start_s=22.0, end_s=47.0),),
)


def test_what_follows_from_a_fault_as_a_matter_of_course_is_told_with_it() -> None:
    run = faulted(KILL, probes=OUT)
    elsewhere = GAP.model_copy(update={"machine": "w2"})
    before = GAP.model_copy(update={"gaps": (*GAP.gaps, SampleGap(start_s=7.0, end_s=9.0))})
    for warning, folded in ((GAP, True), (elsewhere, False), (before, False)):
        warned = run._replace(record=run.record.model_copy(update={"warnings": (warning,)}))
        (told,) = found(warned, "fault")
        expected = "; as was to be expected, no samples of the RegionServer of w1 from 22.0 to 47.0 s"
        assert told.text.endswith(expected) is folded
        assert bool(found(warned, "gap-in-regionserver-samples")) is not folded


def test_packets_dropped_on_what_was_lost_are_no_warning() -> None:
    run = faulted(KILL, probes=OUT)
    rows = [Sample(*row) for row in zip(*(column.to_pylist() for column in run.samples.columns), strict=True)]
    rows += [
        Sample(second, "w1", "nic/eth0/drops", 7.0 if second > 25 else 0.0)
        for second in sorted({row.time_s for row in rows})
    ]
    dropping = run._replace(samples=table(sorted(rows), SAMPLES_SCHEMA))
    (told,) = found(dropping, "fault")
    assert told.text.endswith("; as was to be expected, w1 dropped 7 packets")
    assert not found(dropping, "packet-drops")
    elsewhere = KILL.model_copy(update={"hit": ("regionserver on w2",)})
    unrelated = dropping._replace(record=run.record.model_copy(update={"faults": (elsewhere,)}))
    assert len(found(unrelated, "packet-drops")) == 1


@pytest.mark.parametrize(
    ("fault", "hit", "reason"),
    [
        (
            "kill namenode:active at 20s",
            "namenode on m1",
            ": between two attempts to fail over it pauses up to 15.0 s (dfs.client.failover.sleep.max.mi",
        ),
        (
            "pause namenode:active at 20s",
            "namenode on m1",
            ": it awaits an answer of a silent NameNode for 2 min 00 s (ipc.client.rpc-timeout.ms)",
        ),
        ("kill datanode@w1 at 20s", "datanode on w1", ""),
    ],
)
def test_what_clients_of_hdfs_waited_for_is_shown_with_their_setting(
    fault: str, hit: str, reason: str
) -> None:
    run = faulted(KILL.model_copy(update={"fault": fault, "hit": (hit,)}), probes=OUT)
    ledger = LedgerReport(
        clients=2, asked=9, acknowledged=9, failed=0, files=2, longest_s=15.2, longest_at_s=20.3
    )
    settings = tuple(one for one in run.record.plan.settings if "rpc-timeout" not in one.key)
    plan = run.record.plan.model_copy(update={"settings": settings})
    record = run.record.model_copy(update={"ledger": ledger, "plan": plan})
    (told,) = found(run._replace(record=record), "fault")
    assert f"; a client of HDFS waited up to 15.2 s{reason}" in told.text
    before = record.model_copy(update={"ledger": ledger.model_copy(update={"longest_at_s": 1.0})})
    (told,) = found(run._replace(record=before), "fault")
    assert "a client of HDFS" not in told.text

"""What set the tail of requests: told where something did, and not where nothing known coincides."""

from __future__ import annotations

import pyarrow as pa
import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.operations import Tail
from howdah.analysis.tails import WORDS, set_by
from support.findings import found as found_in
from support.table_runs import CAUSES, TableScene, table_run

IN_BURSTS = [cause for cause in CAUSES if cause != "hot server"]
ALL_ALONG = ["server CPU", "client CPU", "disk", "cache misses", "hot server"]


def _evidence(scene: TableScene) -> Evidence:
    return analyse(table_run(scene)).evidence


def _tail(scene: TableScene) -> Tail:
    (tail,) = _evidence(scene).tails
    return tail


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("seed", [3, 4])
def test_what_made_requests_slow_is_told_as_that(cause: str, seed: int) -> None:
    tail = _tail(TableScene(cause=cause, seed=seed))
    first = tail.causes[0]
    assert first.kind == cause
    assert first.caught > 0.8
    assert first.held < 0.3
    assert first.chance <= 0.05
    assert first.without_s is not None
    assert first.without_s < 0.2 * tail.within_s
    assert set_by(tail) == WORDS[first.kind]


@pytest.mark.parametrize("cause", ["collector", "compactions", "regions in transition"])
def test_counters_tell_it_where_no_log_was_read(cause: str) -> None:
    tail = _tail(TableScene(cause=cause, logs=False))
    assert tail.causes[0].kind == cause


@pytest.mark.parametrize("seed", range(3, 9))
def test_where_nothing_coincides_it_cannot_be_told(seed: int) -> None:
    tail = _tail(TableScene(seed=seed))
    assert tail.causes == tail.steady == ()
    assert set_by(tail) is None


def test_what_cannot_be_told_says_what_was_looked_for() -> None:
    run = table_run(TableScene())
    (found,) = found_in(run, "tail")
    assert found.sure == "guess"
    assert "is unknown" in found.text
    assert "flushes" in found.text
    (answer,) = found_in(run, "answer")
    assert "the cause of the tail is unknown" in answer.text


@pytest.mark.parametrize("cause", ALL_ALONG)
def test_what_held_all_along_is_said_to_be_that(cause: str) -> None:
    tail = _tail(TableScene(steady=cause))
    assert tail.causes == ()
    assert tail.steady[0].kind == cause
    assert set_by(tail) == WORDS[tail.steady[0].kind]


def test_two_causes_share_the_slow_requests() -> None:
    """What one has caught counts for no other, so shares add up to one at most."""
    tail = _tail(TableScene(cause="collector", steady=None))
    assert tail.explained <= 1.0


def test_a_run_without_hbase_looks_at_the_machine_that_asked() -> None:
    run = table_run(TableScene(cause="client CPU"))
    kept = [row for row in run.samples.to_pylist() if row["host"] in ("c1", "c2")]
    alone = run._replace(
        samples=run.samples.from_pylist(kept, schema=run.samples.schema),
        server_events=run.server_events.slice(0, 0),
    )
    (tail,) = analyse(alone).evidence.tails
    assert tail.causes[0].kind == "client CPU"
    assert tail.unknown == (), "there are no servers that could have been sampled"


def test_at_a_rate_it_is_told_what_those_waited_who_asked() -> None:
    run = table_run(TableScene(cause="collector"))
    late = [
        row | {"operation": f"{row['operation']}, intended"}
        for row in run.latencies.to_pylist()
        if row["operation"] == "read"
    ]
    both = pa.concat_tables([run.latencies, pa.Table.from_pylist(late, schema=run.latencies.schema)])
    (told,) = found_in(run._replace(latencies=both), "tail")
    assert "counted from when they should have begun, 99 % took at most" in told.text
    assert told.text.endswith("(read)")
    (same,) = analyse(run._replace(latencies=both)).evidence.tails
    assert same.slow == _tail(TableScene(cause="collector")).slow, "no request counts twice"

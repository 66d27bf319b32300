"""Job histories of Hadoop 2: JSON with fewer fields, which its own writer wrote (tests/data/hadoop-2.7.7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from howdah.jobs.mapreduce import mapreduce_application
from howdah.jobs.tasks import demand_of
from howdah.model.cluster import CounterValue
from howdah.services.history import read_history
from howdah.services.job_facts import MasterStart

FILE = Path(__file__).parents[2] / "data/hadoop-2.7.7/job_1699999000000_0007.jhist"
YOUNGER = {
    *("locality", "avataar", "successfulAttemptId", "diagnostics"),
    *("clockSplits", "cpuUsages", "vMemKbytes", "physMemKbytes"),
    *("workflowId", "workflowName", "workflowNodeName", "workflowAdjacencies", "workflowTags"),
}
"""Fields that Hadoop 0.23 and 2.0 did not have yet."""


def test_a_history_of_hadoop_2_is_read_as_one_of_hadoop_3() -> None:
    job = read_history(FILE.read_bytes(), "a file")
    assert (job.id, job.name, job.user, job.queue) == (
        "job_1699999000000_0007",
        "daily über",
        "ann",
        "root.etl",
    )
    assert (job.state, job.maps, job.reduces) == ("succeeded", 4, 1)
    assert job.finish_ms == 1_700_000_031_000
    assert job.masters == (MasterStart(1, 1_700_000_000_000, "nm1"),)
    assert job.counters["TaskCounter.CPU_MILLISECONDS"] == CounterValue(map=8006, reduce=3000, total=11006)
    attempts = [attempt for task in job.tasks for attempt in task.attempts]
    assert [attempt.state for attempt in attempts].count("succeeded") == 5
    [failed] = [attempt for attempt in attempts if attempt.state == "failed"]
    assert "disk full" in failed.error
    assert failed.locality == "NODE_LOCAL"
    reduce = attempts[-1]
    assert (reduce.shuffle_ms, reduce.merge_ms) == (1_700_000_021_000, 1_700_000_022_000)
    assert reduce.counters["TaskCounter.REDUCE_SHUFFLE_BYTES"] == 128 << 20


def test_it_is_summarised_and_replayed() -> None:
    job = read_history(FILE.read_bytes(), "a file")
    application = mapreduce_application(job, "a file", 1)
    assert (application.queue, application.tasks, application.failed_attempts) == ("etl", 5, 1)
    assert application.container_bytes == 2 << 30
    assert application.wait_s == 2.0
    demand = demand_of(job, application.container_bytes)
    assert (demand.hosts, demand.elapsed_s, demand.failed) == (2, 31.0, 1)
    assert [part.tasks for part in demand.parts] == [4, 1]


def test_fields_that_came_later_may_be_missing() -> None:
    encoding, schema, *lines = FILE.read_text().split("\n")
    older = "\n".join(
        [encoding, *(json.dumps(_older(json.loads(line))) for line in (schema, *lines) if line.strip())]
    )
    assert "clockSplits" not in older
    job = read_history(older.encode(), "a file")
    assert (job.state, len(job.tasks)) == ("succeeded", 5)
    assert mapreduce_application(job, "a file", 1).failed_attempts == 1
    assert demand_of(job, 1 << 30).elapsed_s == 31.0


def _older(value: Any) -> Any:
    """A schema or an event without the younger fields."""
    if isinstance(value, list):
        return [
            _older(each) for each in value if not (isinstance(each, dict) and each.get("name") in YOUNGER)
        ]
    if isinstance(value, dict):
        return {name: _older(each) for name, each in value.items() if name not in YOUNGER}
    return value

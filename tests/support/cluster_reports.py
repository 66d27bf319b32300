"""Runs on clusters whose reports are looked at in tests."""

from __future__ import annotations

from howdah.model.cluster import Deviation, Event, Isolation, Laboratory, Scaling
from howdah.model.tables import RunData
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_events
from support.cluster_scene import Scene

LOST_S = 20.0
"""When the lost worker is lost, seconds since the start of the run."""


def lossy() -> RunData:
    """One worker has a slow disk, another is lost and its DataNode comes back, one attempt loses a race."""
    run = terasort_on(Scene(injected="slow disk"))
    attempts = attempts_in(run)
    on_lost = [one for one in attempts if one.worker == "h2-1" and one.kind == "map"]
    last = max(on_lost, key=lambda one: one.start_s)
    # It never ended: the worker was gone before.
    failed = last._replace(end_s=LOST_S, state="failed", error="java.io.IOException: connection reset")
    again = last._replace(worker="h1-1", host="h1", attempt=1, start_s=LOST_S + 1, end_s=LOST_S + 5)
    raced = attempts[0]._replace(
        attempt=1, worker="h2-2", host="h2", slot=2, state="killed", error="Speculation: other attempt first"
    )
    run = with_attempts(run, [*(one for one in attempts if one != last), failed, again, raced])
    return with_events(
        run,
        _event(LOST_S, "datanode-lost", "the NameNode lists it as dead"),
        _event(LOST_S + 1, "nodemanager-lost", "the ResourceManager lists it as LOST"),
        _event(LOST_S + 25, "datanode-back", "the NameNode lists it as live again"),
    )


def _event(time_s: float, kind: str, text: str) -> Event:
    return Event.model_validate({"time_s": time_s, "worker": "h2-1", "kind": kind, "text": text})


def laboratory() -> RunData:
    """A run on a laboratory that is smaller than its plan and not isolated in everything."""
    run = terasort_on(Scene(rows=2_000_000))
    (result,) = run.record.workloads
    assert run.record.cluster is not None
    assert result.job is not None
    lab = Laboratory(
        name="mine",
        rootless=False,
        isolation=(
            Isolation(what="uplink", kept=True, how="1.00 Gb/s each way, a token bucket at both ends"),
            Isolation(what="NUMA", kept=False, how="machines share this machine's NUMA nodes"),
        ),
        scaling=(
            Scaling(what="CPUs per host", planned=4.0, lab=0.5),
            Scaling(what="memory per host", planned=16 * 2.0**30, lab=4 * 2.0**30, unit="B"),
            Scaling(what="uplink", planned=1e9, lab=1e8, unit="bit/s"),
        ),
        deviations=(
            Deviation(
                key="dfs.client.read.shortcircuit",
                planned="true",
                used="false",
                why="these jars have no native library",
            ),
        ),
    )
    conf = {"dfs.replication": "2", "mapreduce.job.maps": "16"}
    result = result.model_copy(update={"job": result.job.model_copy(update={"conf": conf})})
    cluster = run.record.cluster.model_copy(update={"lab": lab})
    return run._replace(record=run.record.model_copy(update={"cluster": cluster, "workloads": (result,)}))

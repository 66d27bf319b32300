"""A record of a cluster as large as the papers' largest: the form of one, not its physics."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from howdah.model.cluster import Event
from howdah.model.run import Phase, RunRecord, TaskAttempt
from howdah.model.tables import SAMPLES_SCHEMA, RunData
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_events
from support.cluster_scene import Scene, cluster_plan, names_of

_METRICS = (
    "cpu/all/user_s",
    "cpu/all/system_s",
    "cpu/all/idle_s",
    "disk/01/read_bytes",
    "disk/01/written_bytes",
    "nic/eth0/rx_bytes",
    "nic/eth0/tx_bytes",
)


def large_cluster(
    *, hosts: int = 32, per_host: int = 20, tasks: int = 20_000, steps: int = 120, elapsed_s: float = 1_200.0
) -> RunData:
    """A sort on ``hosts * per_host`` workers, samples of all of them, one worker lost in its middle."""
    scene = Scene(hosts=hosts, per_host=per_host)
    small = terasort_on(Scene(maps=4))
    names = names_of(scene)
    run = RunData(_record(small.record, scene, elapsed_s), small.tasks, _samples(names, steps, elapsed_s))
    run = with_attempts(run, _attempts(attempts_in(small)[0], names, tasks, elapsed_s))
    lost = names[len(names) // 2][0]
    return with_events(
        run, Event(time_s=elapsed_s / 3, worker=lost, kind="datanode-lost", text=f"DataNode {lost} is dead")
    )


def _record(small: RunRecord, scene: Scene, elapsed_s: float) -> RunRecord:
    names = [name for name, _ in names_of(scene)]
    (result,) = small.workloads
    assert result.replicas is not None
    assert small.cluster is not None
    spread = result.replicas.model_copy(
        update={
            "blocks": len(names) * 25,
            "replicas": len(names) * 50,
            "per_worker": {name: 45 + index % 11 for index, name in enumerate(names)},
        }
    )
    phases = (
        Phase(name="map-shuffle", start_s=2.0, end_s=elapsed_s / 2),
        Phase(name="reduce-merge", start_s=elapsed_s / 2, end_s=elapsed_s - 2),
    )
    result = result.model_copy(
        update={"replicas": spread, "phases": phases, "start_s": 1.0, "end_s": elapsed_s - 1}
    )
    cluster = small.cluster.model_copy(update={"datanodes": tuple(names), "nodemanagers": tuple(names)})
    return small.model_copy(
        update={
            "plan": cluster_plan(scene),
            "workloads": (result,),
            "elapsed_s": elapsed_s,
            "cluster": cluster,
        }
    )


def _attempts(
    like: TaskAttempt, names: list[tuple[str, str]], tasks: int, elapsed_s: float
) -> list[TaskAttempt]:
    """As many maps as reduces, on every worker two places of each, one after the other."""
    rng = np.random.default_rng(7)
    rounds = tasks // 2 // (2 * len(names)) + 1
    each_s = (elapsed_s / 2 - 4) / rounds
    found = []
    for number in range(tasks):
        reduce, task = number >= tasks // 2, number % (tasks // 2)
        worker, host = names[task % len(names)]
        turn, slot = divmod(task // len(names), 2)
        start_s = 2 + turn * each_s + (elapsed_s / 2 if reduce else 0.0)
        end_s = start_s + each_s * float(rng.uniform(0.6, 0.98))
        found.append(
            like._replace(
                kind="reduce" if reduce else "map",
                task=task,
                worker=worker,
                host=host,
                slot=slot,
                start_s=start_s,
                end_s=end_s,
                shuffle_end_s=(start_s + end_s) / 2 if reduce else None,
                merge_end_s=(start_s + end_s) / 2 if reduce else None,
            )
        )
    return found


def _samples(names: list[tuple[str, str]], steps: int, elapsed_s: float) -> pa.Table:
    """Counters that grow by other amounts at every step, on each worker otherwise."""
    rng = np.random.default_rng(8)
    times = np.linspace(0.0, elapsed_s, steps)
    whole = len(names) * len(_METRICS)
    step_s = elapsed_s / steps
    scale = np.array([0.6, 0.1, 0.3, 4e7, 4e7, 5e7, 5e7]) * step_s
    grown = rng.uniform(0.2, 1.0, (steps, len(names), len(_METRICS))) * scale
    values = np.cumsum(grown, axis=0)
    hosts = np.repeat([name for name, _ in names], len(_METRICS))
    columns = {
        "time_s": np.repeat(times, whole),
        "host": np.tile(hosts, steps),
        "metric": np.tile(np.tile(_METRICS, len(names)), steps),
        "value": values.reshape(-1),
    }
    return pa.table({name: pa.array(columns[name]) for name in SAMPLES_SCHEMA.names}, schema=SAMPLES_SCHEMA)

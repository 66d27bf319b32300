"""Runs of TeraSort on a synthetic cluster, with a cause of slowness or without one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from howdah.model.cluster import ClusterState, CounterValue, Event, HadoopJob, ReplicaSpread
from howdah.model.reported import Counters
from howdah.model.run import Origin, Outcome, Phase, RunRecord, TaskAttempt, WorkloadResult
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA, RunData
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import TeraSort
from support.cluster_fluid import Fluid, Node, Work, lognormal, map_task, reduce_task
from support.cluster_scene import Injected, Scene, cluster_plan, names_of
from support.machine import host as machine


def terasort_on(scene: Scene) -> RunData:
    """TeraSort as it would run there: tasks, samples every second, counters that agree."""
    rng = np.random.default_rng(scene.seed)
    nodes = [Node(name, host) for name, host in names_of(scene)]
    for node in nodes:
        node.work_per_byte = lognormal(rng, scene.noise)
        node.disk_rate *= lognormal(rng, scene.noise)
    victim = nodes[scene.victim % len(nodes)]
    _inject(victim, scene.injected, scene.factor)
    _inject(victim, scene.also, scene.also_factor)
    cluster = Fluid(nodes)
    cluster.idle(3)
    begin_s = cluster.clock_s
    maps = _maps(scene, nodes, rng)
    cluster.run(maps)
    middle_s = cluster.clock_s
    reduces = _reduces(scene, nodes, rng)
    cluster.run(reduces)
    end_s = cluster.clock_s
    cluster.idle(3)
    phases = (
        Phase(name="map-shuffle", start_s=begin_s, end_s=middle_s),
        Phase(name="reduce-merge", start_s=middle_s, end_s=end_s),
    )
    result = _result(scene, nodes, phases)
    attempts = [_attempt(task, rng) for task in (*maps, *reduces)]
    return RunData(_record(scene, result, cluster.clock_s), _table(attempts), _samples(scene, cluster, rng))


def _inject(node: Node, injected: Injected | None, factor: float) -> None:
    if injected == "slow disk":
        node.disk_rate *= factor
    elif injected == "slow link":
        node.link_rate *= factor
    elif injected == "CPU held back":
        node.cpus *= factor
    elif injected == "garbage collection":
        node.gc_share = 1 - factor


def _maps(scene: Scene, nodes: Sequence[Node], rng: np.random.Generator) -> list[Work]:
    size = scene.rows * 100 / scene.maps
    return [
        map_task(number, nodes[number % len(nodes)], size, rng.uniform(0.5, 1.0), lognormal(rng, scene.noise))
        for number in range(scene.maps)
    ]


def _reduces(scene: Scene, nodes: Sequence[Node], rng: np.random.Generator) -> list[Work]:
    count = 2 * len(nodes)
    shares = np.array([lognormal(rng, scene.noise / 2) for _ in range(count)])
    if scene.injected == "skewed partition":
        shares[scene.victim % len(nodes)] /= scene.factor
    shares *= scene.rows * 100 / shares.sum()
    tasks = []
    for number, share in enumerate(shares):
        node = nodes[number % len(nodes)]
        others = [one for one in nodes if one.host != node.host] or [one for one in nodes if one is not node]
        picked = rng.permutation(len(others))[: scene.replication - 1]
        sources = dict.fromkeys(nodes, float(share) / len(nodes))
        to = [others[index] for index in picked]
        tasks.append(reduce_task(number, node, sources, to, lognormal(rng, scene.noise)))
    return tasks


def _attempt(task: Work, rng: np.random.Generator) -> TaskAttempt:
    reduce = task.kind == "reduce"
    elapsed = task.end_s - task.start_s
    return TaskAttempt(
        workload="terasort",
        kind=task.kind,
        task=task.number,
        attempt=0,
        host=task.node.host,
        worker=task.node.name,
        slot=task.slot,
        start_s=task.start_s,
        end_s=task.end_s,
        input_rows=task.input_bytes // 100,
        output_rows=task.output_bytes // 100,
        input_bytes=task.input_bytes,
        output_bytes=task.output_bytes,
        spilled_bytes=task.input_bytes,
        locality="" if reduce else "local",
        state="succeeded",
        shuffle_end_s=task.marks[0] if reduce else None,
        merge_end_s=task.marks[0] if reduce else None,
        shuffled_bytes=task.input_bytes if reduce else None,
        cpu_s=task.cpu_s,
        gc_s=elapsed * task.node.gc_share * lognormal(rng, 0.2),
    )


def _result(scene: Scene, nodes: Sequence[Node], phases: tuple[Phase, ...]) -> WorkloadResult:
    size = scene.rows * 100
    stored = round(1.04 * size)
    counters = {
        "TaskCounter.MAP_OUTPUT_RECORDS": (scene.rows, 0),
        "TaskCounter.REDUCE_INPUT_RECORDS": (0, scene.rows),
        "TaskCounter.MAP_OUTPUT_BYTES": (round(1.02 * size), 0),
        "TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES": (stored, 0),
        "TaskCounter.REDUCE_SHUFFLE_BYTES": (0, stored),
        "TaskCounter.SPILLED_RECORDS": (scene.rows, scene.rows),
        "FileSystemCounter.FILE_BYTES_WRITTEN": (stored, stored),
        "FileSystemCounter.FILE_BYTES_READ": (0, stored),
        "FileSystemCounter.HDFS_BYTES_READ": (size, 0),
        "FileSystemCounter.HDFS_BYTES_WRITTEN": (0, size),
    }
    each = 8 * scene.replication // len(nodes)
    return WorkloadResult(
        workload=TeraSort(rows=scene.rows, maps=scene.maps, replication=scene.replication),
        start_s=phases[0].start_s - 1,
        end_s=phases[-1].end_s + 1,
        outcome=Outcome.SUCCEEDED,
        phases=phases,
        counters=Counters(input_rows=scene.rows, output_rows=scene.rows, read_bytes=size, written_bytes=size),
        job=HadoopJob(
            id="job_1700000000000_0001",
            name="TeraSort",
            queue="default",
            told_by="history server",
            submitted_s=phases[0].start_s - 0.9,
            started_s=phases[0].start_s - 0.5,
            finished_s=phases[-1].end_s + 0.5,
            counters={
                name: CounterValue(map=of_map, reduce=of_reduce, total=of_map + of_reduce)
                for name, (of_map, of_reduce) in counters.items()
            },
        ),
        replicas=ReplicaSpread(
            path="/user/test/howdah/output",
            blocks=8,
            replicas=8 * scene.replication,
            bytes=size,
            per_worker={node.name: each for node in nodes},
            sharing_host=0,
            under_replicated=0,
            missing=0,
        ),
    )


def _record(scene: Scene, result: WorkloadResult, elapsed_s: float) -> RunRecord:
    names = tuple(name for name, _ in names_of(scene))
    return RunRecord(
        id="20261121-1200-terasort",
        created="2026-11-21T12:00:00Z",
        howdah_version="0.1.0",
        engine="hadoop",
        engine_version="3.5.0",
        origin=Origin.MEASURED,
        command=("howdah", "run", "terasort"),
        seed=scene.seed,
        host=machine("admin"),
        plan=cluster_plan(scene),
        suite=Suite(name="terasort", workloads=(result.workload,)),
        digests={},
        outcome=Outcome.SUCCEEDED,
        elapsed_s=elapsed_s,
        workloads=(result,),
        cluster=ClusterState(
            hadoop_version="3.5.0",
            client_version="3.5.0",
            default_fs="hdfs://nn1:8020",
            work_dir="/user/test/howdah",
            free_bytes=10**12,
            capacity_bytes=10**12,
            datanodes=names,
            nodemanagers=names,
            queue="default",
        ),
    )


def with_events(run: RunData, *events: Event) -> RunData:
    """The run with things that happened to its cluster."""
    return run._replace(record=run.record.model_copy(update={"events": events}))


def with_attempts(run: RunData, attempts: Sequence[TaskAttempt]) -> RunData:
    """The run with other task attempts."""
    return run._replace(tasks=_table(attempts))


def _table(attempts: Sequence[TaskAttempt]) -> pa.Table:
    columns = list(zip(*attempts, strict=True)) or [()] * len(TASKS_SCHEMA)
    return pa.table(dict(zip(TASKS_SCHEMA.names, columns, strict=True)), schema=TASKS_SCHEMA)


def _samples(scene: Scene, cluster: Fluid, rng: np.random.Generator) -> pa.Table:
    """Every second what the kernel would have counted, each interval off by a few per cent."""
    rows: list[tuple[float, str, str, float]] = []
    log = cluster.log[::2]
    for node in cluster.nodes:
        sums: dict[str, float] = {}
        previous: dict[str, float] | None = None
        for time_s, counters in log:
            now = _counters(scene, counters[node.name])
            for metric, value in now.items():
                grown = (value - previous[metric]) if previous else 0.0
                sums[metric] = sums.get(metric, 0.0) + grown * lognormal(rng, 0.03)
                rows.append((time_s, node.name, metric, sums[metric]))
            idle = node_limit() * time_s - sums["cpu/all/user_s"] - sums["cpu/all/system_s"]
            rows.append((time_s, node.name, "cpu/all/idle_s", max(0.0, idle)))
            sent = (now["nic/eth0/tx_bytes"] - previous["nic/eth0/tx_bytes"]) if previous else 0.0
            full = sent > 0.9 * node.link_rate * 1.0
            if scene.queue_sampled:
                rows.append((time_s, node.name, "nic/eth0/queue_bytes", 180e3 if full else 0.0))
            previous = now
    columns = list(zip(*sorted(rows, key=lambda row: row[0]), strict=True))
    return pa.table(dict(zip(SAMPLES_SCHEMA.names, columns, strict=True)), schema=SAMPLES_SCHEMA)


def node_limit() -> float:
    """The CPUs a worker is planned to have, which is what a sampler counts idle time from."""
    return Node("", "").cpus


def _counters(scene: Scene, used: dict[str, float]) -> dict[str, float]:
    found = {
        "cpu/all/user_s": 0.85 * used["cpu"],
        "cpu/all/system_s": 0.15 * used["cpu"],
        "disk/01/read_bytes": used["read"],
        "disk/01/written_bytes": used["disk-written"],
        "nic/eth0/rx_bytes": 1.01 * used["rx"],
        "nic/eth0/tx_bytes": 1.01 * used["tx"],
        "datanode/read_bytes": 1.008 * used["block"],
        "datanode/written_bytes": used["replica"],
        "jvm/datanode/gc_s": 0.01 * used["cpu"],
    }
    if scene.throttle_sampled:
        found["cpu/all/throttled_s"] = used["throttled"]
    return found


def with_samples(run: RunData, rows: Sequence[tuple[float, str, str, float]]) -> RunData:
    """The run with more samples."""
    columns = list(zip(*rows, strict=True))
    more = pa.table(dict(zip(SAMPLES_SCHEMA.names, columns, strict=True)), schema=SAMPLES_SCHEMA)
    return run._replace(samples=pa.concat_tables([run.samples, more]))


def attempts_in(run: RunData) -> list[TaskAttempt]:
    """The rows of its tasks table."""
    return [TaskAttempt(**row) for row in run.tasks.to_pylist()]

"""The bytes of every job from layer to layer, as data for a flow picture, and what no layer explains."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis import links
from howdah.analysis.accounting import BACKGROUND_BYTES, UNEXPLAINED_SHARE, explained
from howdah.analysis.balance import copied_bytes
from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.volumes import (
    ByteAccount,
    ByteFlow,
    Direction,
    Flow,
    FlowLayer,
    FlowNode,
    LayerAccount,
)
from howdah.analysis.layers import LAG_S, SampleWindow, Traffic, Unreported, layer_accounts
from howdah.analysis.machines import counted, workers_of
from howdah.analysis.operation_steps import TimedRun
from howdah.analysis.phases import (
    ClusterWork,
    JobBytes,
    cluster_work,
    input_policy,
    job_bytes,
    tasks_of,
    window_of,
)
from howdah.analysis.uneven_tasks import succeeded
from howdah.analysis.wording import conclude
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord
from howdah.units import format_bytes

NODES = (
    FlowNode("disks-read", "disks", "disks", 0),
    FlowNode("cache", "page cache", "disks", 0),
    FlowNode("blocks-read", "DataNodes", "DataNodes", 1),
    FlowNode("maps", "maps", "Hadoop", 2),
    FlowNode("map-output", "map output", "Hadoop", 3),
    FlowNode("shuffle-network", "network", "network", 4),
    FlowNode("reduces", "reduces", "Hadoop", 5),
    FlowNode("merge-files", "merge files", "Hadoop", 6),
    FlowNode("replica-network", "network", "network", 6),
    FlowNode("blocks-written", "DataNodes", "DataNodes", 7),
    FlowNode("disks-written", "disks", "disks", 8),
)  # Every box there can be, by columns.

_DISKS = "disk/*/written_bytes, shared out by Hadoop's counters"
# Tasks read their configuration, splits and jars and write logs; a DataNode is asked for more than blocks.
_LAYER_SHARE = {"Hadoop": 0.01, "DataNodes": 0.05, "network": 0.10, "disks": UNEXPLAINED_SHARE}
WORTH_A_CLAUSE = 0.1


Counted = dict[tuple[FlowLayer, Direction], float]


def _reading(work: ClusterWork, job: JobBytes, counted: Counted) -> Iterator[Flow]:
    if not work.input:
        return
    blocks, disks = counted.get(("DataNodes", "read")), counted.get(("disks", "read"))
    read, by = (job.hdfs_read, "HDFS_BYTES_READ") if blocks is None else (blocks, "datanode/read_bytes")
    expected = float(work.input)
    if disks is None:
        yield Flow("disks-read", "blocks-read", "input", expected, None, "")
    else:
        # The disks' reads are the input's first: what they did not read came from the page cache.
        came = min(disks, read)
        yield Flow("disks-read", "blocks-read", "input", expected, came, "disk/*/read_bytes")
        cached = "input, not read from disks"
        yield Flow("cache", "blocks-read", cached, None, read - came, "the difference")
    yield Flow("blocks-read", "maps", "input", expected, read, by)


def _between(work: ClusterWork, job: JobBytes, traffic: Traffic) -> Iterator[Flow]:
    """Map output: written, fetched from here and from elsewhere, merged where it does not fit memory."""
    if not work.stored:
        return
    spilled, written, stored = work.stored * work.map_spills, "FILE_BYTES_WRITTEN", work.stored
    yield Flow("maps", "map-output", "map output, every spill", spilled, job.map_file_written, written)
    remote = traffic.remote_share
    if remote is None:
        yield Flow("map-output", "reduces", "shuffle", stored, job.shuffled, "REDUCE_SHUFFLE_BYTES")
    else:
        crossed, by = job.shuffled * remote, "REDUCE_SHUFFLE_BYTES by tasks' places"
        here, within = stored * (1 - remote), job.shuffled - crossed
        yield Flow("map-output", "reduces", "shuffle on one machine", here, within, by)
        yield Flow("map-output", "shuffle-network", "shuffle", stored * remote, crossed, by)
        yield Flow("shuffle-network", "reduces", "shuffle", stored * remote, crossed, by)
    merged, files = "map output that reduces merge on disk", job.reduce_file_written
    yield Flow("reduces", "merge-files", merged, stored * work.reduce_spills, files, written)


def _writing(work: ClusterWork, job: JobBytes, counted: Counted) -> Iterator[Flow]:
    disks, blocks = counted.get(("disks", "written")), counted.get(("DataNodes", "written"))
    # A disk cannot tell blocks from map output, so what it wrote is shared out as Hadoop counted it.
    files = job.map_file_written + job.reduce_file_written
    expected = work.replication * job.hdfs_written + files
    share = disks / expected if disks is not None and expected else None
    for source, written, theory in (
        ("map-output", job.map_file_written, work.stored * work.map_spills),
        ("merge-files", job.reduce_file_written, work.stored * work.reduce_spills),
    ):
        measured = share * written if share is not None else None
        yield Flow(source, "disks-written", "intermediate data", theory, measured, _DISKS)
    if not work.output:
        return
    source, more = "reduces" if work.stored else "maps", work.sent * work.output
    copied = max(0.0, blocks - job.hdfs_written) if blocks is not None else None
    by = "HDFS_BYTES_WRITTEN"
    yield Flow(source, "blocks-written", "output, first replica", work.output, job.hdfs_written, by)
    if more:
        further, by = "output, further replicas", "datanode/written_bytes beyond HDFS_BYTES_WRITTEN"
        yield Flow(source, "replica-network", further, more, copied, by)
        yield Flow("replica-network", "blocks-written", further, more, copied, by)
    measured = share * work.replication * job.hdfs_written if share is not None else None
    every = float(work.replication * work.output)
    yield Flow("blocks-written", "disks-written", "output, every replica", every, measured, _DISKS)


def flows(timed: TimedRun, accounts: tuple[ByteAccount, ...]) -> tuple[ByteFlow, ...]:
    """The flow of every finished job that moves bytes."""
    run, timeline, machines, times = timed.run, timed.timeline, timed.machines, timed.times
    account_of = {account.workload: account for account in accounts}
    hosts, seen = workers_of(machines), set(counted(machines, timeline, "nic"))

    def place(worker: str) -> str:
        """Where only hosts' interfaces were sampled, what two workers of one host exchange is not seen."""
        return worker if worker in seen or not seen else hosts.get(worker, worker)

    places = len({place(worker) for worker in hosts})
    layered = []
    for time in times:
        result = time.result
        work = cluster_work(result)
        if work is None or result.job is None:
            continue
        job = job_bytes(result.job)
        attempts = tasks_of(run.tasks, result.workload.kind, time)
        done = succeeded(attempts)
        remote = links.shuffle_share(done, place) if work.stored else None
        stages = result.spark.stages if result.spark else ()
        # Spark counts what of its shuffle crossed the network, and reads input again; MapReduce does neither.
        if result.spark and work.stored:
            fetched = sum(stage.shuffle_read_bytes for stage in stages)
            remote = sum(stage.shuffle_remote_bytes for stage in stages) / fetched if fetched else None
        lot = links.local_by_lot(run.record, result, done, place, places)
        local = links.local_share(done, result.job) if lot is None else lot.share
        whole = links.whole_files_share(run.record, result, local, places)
        local = local if whole is None else whole
        if (coded := input_policy(run.record, result)) is not None:
            # A local task has one unit next to it; one that is placed by lot has any of them anywhere.
            local = local / coded.units if lot is None and local is not None else 1 / max(1, places)
        by_lot = 0.0 if lot is None else lot.wanders * work.input
        unreported = Unreported(*links.unreported_bytes(attempts, work.replication))
        copied = copied_bytes(run.record, time)
        again = max(0.0, sum(stage.input_bytes for stage in stages) - work.input) if stages else 0.0
        traffic = Traffic(local, remote, links.read_in_vain(attempts), copied, by_lot, unreported, again)
        span = window_of(run.record, timeline, time)
        follows = any(0 <= time.start_s - earlier.end_s < LAG_S for earlier in times)
        window = SampleWindow(timeline, machines, span, follows) if span else None
        layers = tuple(layer_accounts(work, job, traffic, window, account_of.get(time.workload)))
        counts = {(layer.layer, layer.direction): layer.counted for layer in layers}
        streams = (*_reading(work, job, counts), *_between(work, job, traffic), *_writing(work, job, counts))
        layered.append(
            ByteFlow.of(
                time.workload,
                work.replication if work.output else None,
                NODES,
                streams,
                layers=layers,
                codec_ratio=job.codec_ratio if work.stored else 1.0,
                map_spills=work.map_spills,
                reduce_spills=work.reduce_spills,
                local_share=traffic.local_share if work.input else None,
                remote_share=remote,
            )
        )
    return tuple(layered)


def tolerance(layer: LayerAccount, machines: int) -> float:
    """How large an unexplained remainder of a layer may be before it asks for attention."""
    background = BACKGROUND_BYTES * max(1, machines)
    # What does not matter and what cannot be seen have nothing to do with one another.
    return max(_LAYER_SHARE[layer.layer] * layer.theory, background) + layer.resolution


def find_layers(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One finding per job: its bytes agree in all layers, or where they do not and by how much."""
    machines = len(workers_of(evidence.machines))
    for flow in evidence.flows:
        off = [layer for layer in flow.layers if abs(layer.unexplained) > tolerance(layer, machines)]
        shown = off or [layer for layer in flow.layers if layer.theory]
        yield conclude(
            "byte-accounting",
            flow,
            words="layers",
            warns=bool(off),
            numbers=(
                (f"{layer.layer} {layer.direction}{suffix}", value, "B")
                for layer in flow.layers
                for suffix, value in (
                    (", theory", layer.theory),
                    ("", layer.counted),
                    (", unexplained", layer.unexplained),
                )
            ),
            clauses="; ".join(_clause(account, odd=bool(off)) for account in shown),
        )


def _clause(layer: LayerAccount, *, odd: bool) -> str:
    counters = {"Hadoop": "tasks", "network": "workers"}.get(layer.layer, layer.layer)
    verb = "wrote" if layer.direction == "written" else layer.direction
    text = f"{counters} {verb} {format_bytes(layer.counted)} but theory expects {format_bytes(layer.theory)}"
    # Small parts only distract, next to all bytes or to what is unexplained.
    least = WORTH_A_CLAUSE * abs(layer.unexplained if odd else layer.theory)
    text += explained(layer.explained, least)
    if not odd:
        return text
    which = "more" if layer.unexplained > 0 else "less"
    return f"{text}, {format_bytes(abs(layer.unexplained))} {which} unexplained"

"""The bytes of every job from layer to layer, as data for a flow picture, and what no layer explains."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.accounting import BACKGROUND_BYTES, UNEXPLAINED_SHARE
from howdah.analysis.anywhere import local_by_lot
from howdah.analysis.cluster_work import cluster_work, job_bytes
from howdah.analysis.copying import copied_bytes
from howdah.analysis.crossing import local_share, read_in_vain, shuffle_share, untold_bytes
from howdah.analysis.evidence import ByteAccount, ByteFlow, Evidence, LayerAccount, Machine, WorkloadTime
from howdah.analysis.layers import LAG_S, Traffic, Untold, Window, layer_accounts
from howdah.analysis.machines import counted, workers_of
from howdah.analysis.picture import NODES, picture
from howdah.analysis.poles import succeeded, tasks_of
from howdah.analysis.timeline import Timeline
from howdah.analysis.whole_files import whole_files_share
from howdah.analysis.window import window_of
from howdah.analysis.wording import listed, number
from howdah.model.finding import Finding, Number
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.units import format_bytes

# Tasks read their configuration, splits and jars and write logs; a DataNode is asked for more than blocks.
_LAYER_SHARE = {"Hadoop": 0.01, "DataNodes": 0.05, "network": 0.10, "disks": UNEXPLAINED_SHARE}

WORTH_A_CLAUSE = 0.1


def flows(
    run: RunData,
    timeline: Timeline,
    machines: tuple[Machine, ...],
    times: tuple[WorkloadTime, ...],
    accounts: tuple[ByteAccount, ...],
) -> tuple[ByteFlow, ...]:
    """The flow of every finished job that moves bytes."""
    account_of = {account.workload: account for account in accounts}
    hosts, seen = workers_of(machines), set(counted(machines, timeline, "nic"))

    def place(worker: str) -> str:
        """Where only hosts' interfaces were sampled, what two workers of one host exchange is not seen."""
        return worker if worker in seen or not seen else hosts.get(worker, worker)

    places = len({place(worker) for worker in hosts})
    found = []
    for time in times:
        result = run.record.workloads[time.index]
        work = cluster_work(result)
        if work is None or result.job is None:
            continue
        said = job_bytes(result.job)
        attempts = tasks_of(run.tasks, result.workload.kind.value, time)
        done = succeeded(attempts)
        remote = shuffle_share(done, place) if work.stored else None
        lot = local_by_lot(run.record, result, done, place, places)
        local = local_share(done, result.job) if lot is None else lot.share
        whole = whole_files_share(run.record, result, local, places)
        local = local if whole is None else whole
        by_lot = 0.0 if lot is None else lot.wanders * work.input
        untold = Untold(*untold_bytes(attempts, work.replication))
        copied = copied_bytes(run.record, time)
        traffic = Traffic(local, remote, read_in_vain(attempts), copied, by_lot, untold)
        span = window_of(run.record, timeline, time)
        follows = any(0 <= time.start_s - each.end_s < LAG_S for each in times)
        window = Window(timeline, machines, span, follows) if span else None
        layers = tuple(layer_accounts(work, said, traffic, window, account_of.get(time.workload)))
        drawn = picture(work, said, traffic, layers)
        met = {end for flow in drawn for end in (flow.source, flow.target)}
        found.append(
            ByteFlow(
                workload=time.workload,
                replication=work.replication if work.output else None,
                codec_ratio=said.codec_ratio if work.stored else 1.0,
                map_spills=work.map_spills,
                reduce_spills=work.reduce_spills,
                local_share=traffic.local_share if work.input else None,
                remote_share=remote,
                nodes=tuple(node for node in NODES if node.key in met),
                flows=drawn,
                layers=layers,
            )
        )
    return tuple(found)


def tolerance(layer: LayerAccount, machines: int) -> float:
    """How large an unexplained remainder of a layer may be before it asks for attention."""
    background = BACKGROUND_BYTES * max(1, machines)
    # What does not matter and what cannot be seen have nothing to do with one another.
    return max(_LAYER_SHARE[layer.layer] * layer.theory, background) + layer.resolution


def find_layers(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One finding per job: its bytes agree in all layers, or where they do not and by how much."""
    machines = len(workers_of(evidence.machines))
    for flow in evidence.flows:
        off = [one for one in flow.layers if abs(one.unexplained) > tolerance(one, machines)]
        told = off or [one for one in flow.layers if one.theory]
        yield Finding(
            id="byte-accounting",
            severity="warning" if off else "note",
            workload=flow.workload,
            text=f"{flow.workload}: " + "; ".join(_clause(one, odd=bool(off)) for one in told),
            sure="measured",
            origin=record.origin,
            numbers=tuple(item for one in flow.layers for item in _numbers(one)),
        )


def _clause(layer: LayerAccount, *, odd: bool) -> str:
    who = {"Hadoop": "tasks", "network": "workers"}.get(layer.layer, layer.layer)
    verb = "wrote" if layer.direction == "written" else layer.direction
    text = f"{who} {verb} {format_bytes(layer.counted)} where theory asks {format_bytes(layer.theory)}"
    # Small parts only distract, next to all bytes or to what is unexplained.
    least = WORTH_A_CLAUSE * abs(layer.unexplained if odd else layer.theory)
    parts = [
        f"{format_bytes(abs(part.bytes))} {part.what} ({part.sure})"
        for part in layer.explained
        if abs(part.bytes) > least
    ]
    text += f", of the difference {listed(parts)}" if parts else ""
    if not odd:
        return text
    which = "more" if layer.unexplained > 0 else "less"
    return f"{text}, {format_bytes(abs(layer.unexplained))} {which} unexplained"


def _numbers(layer: LayerAccount) -> Iterator[Number]:
    what = f"{layer.layer} {layer.direction}"
    yield number(f"{what}, theory", layer.theory, "B")
    yield number(what, layer.counted, "B")
    yield number(f"{what}, unexplained", layer.unexplained, "B")

"""The bytes of a workload's writes: from clients to the WAL, flushes, compactions, HDFS and disks.

What theory expects: every value is stored with its key, once in the WAL and once in a flushed file, and
each file is read and written again by as many compactions as it takes to merge so many files a few at a
time. HDFS keeps each of these as many times as it replicates. Whatever HBase has still in memory at the end
was not flushed, and a compaction works on what was flushed before as well, so that counted and expected may
differ by either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.operations import RegionServerUse, TableFlow
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.volumes import ByteFlow, Flow, FlowNode
from howdah.analysis.machines import counted
from howdah.analysis.operation_steps import TimedRun
from howdah.analysis.region_servers import asked_for, is_logged
from howdah.analysis.wording import conclude, phrase
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.workloads.ycsb import KEY_BYTES, Ycsb

MERGED = 3  # Files that a compaction merges at least (hbase.hstore.compaction.min, its default).
WORTH = 0.9  # If less than this was flushed, a finding says so.
LEAST_BYTES = 64 << 20  # Of less than a part of one memstore a ratio shows what else was written.
UNEXPECTED = 2.0  # From so many times the expected bytes on a reader is owed the reason.

NODES = (
    FlowNode("clients", "clients", "workload", 0),
    FlowNode("servers", "RegionServers", "HBase", 1),
    FlowNode("wal", "WAL", "HBase", 2),
    FlowNode("memstores", "memstores", "HBase", 2),
    FlowNode("flushed", "flushed files", "HBase", 3),
    FlowNode("compacted", "compactions", "HBase", 4),
    FlowNode("blocks", "HDFS", "DataNodes", 5),
    FlowNode("disks-written", "disks", "disks", 6),
)  # Every box there can be, by columns.


def table_flows(
    timed: TimedRun, uses: Sequence[RegionServerUse], disks: Sequence[str]
) -> tuple[TableFlow, ...]:
    """Every workload that wrote to a table and whose RegionServers were sampled."""
    flows = []
    for time in timed.times:
        result = time.result
        mine = [use for use in uses if use.workload == time.workload]
        # Where the highest rate was looked for, much was written beside what the record counts.
        if mine and not result.rates and _cells(result):
            flows.append(_flow(timed, mine, time, disks))
    return tuple(flows)


def _cells(result: WorkloadResult) -> float:
    """Values that clients wrote: all fields of a record that is inserted, of an update one or all."""
    workload = result.workload
    if not isinstance(workload, Ycsb) or not workload.fields or not workload.field_bytes:
        return 0.0
    inserted, updated = (asked_for(result.operations, (name,)) for name in ("insert", "update"))
    return inserted * workload.fields + updated * (workload.fields if workload.replaces_whole else 1)


def _flow(
    timed: TimedRun, uses: Sequence[RegionServerUse], time: WorkloadTime, disks: Sequence[str]
) -> TableFlow:
    record, timeline, machines = timed.run.record, timed.timeline, timed.machines
    result = time.result
    workload, cells = result.workload, _cells(result)
    value_bytes = (workload.field_bytes or 0) if isinstance(workload, Ycsb) else 0
    stored = cells * (value_bytes + KEY_BYTES)
    logged = stored if is_logged(result) else 0.0
    wal, flushed = sum(use.wal_bytes for use in uses), sum(use.flushed_bytes for use in uses)
    compacted = sum(use.compacted_bytes for use in uses)
    replication = replication_of(record)
    again = rewrites(sum(use.flushes for use in uses), sum(use.regions for use in uses))
    expected = replication * (logged + stored * (1 + again))

    blocks, disk = (
        timeline.total(counted(machines, timeline, subject), metrics, time.start_s, time.end_s)
        for subject, metrics in (
            ("datanode", ["datanode/written_bytes"]),
            ("disk", [f"disk/{name}/written_bytes" for name in disks]),
        )
    )
    wrote = blocks if blocks is not None else replication * (wal + flushed + compacted)
    client = cells * value_bytes
    theory = {"wal": logged, "stored": stored, "again": stored * again, "blocks": expected}
    counts = {"wal": wal, "flushed": flushed, "compacted": compacted, "blocks": blocks, "disks": disk}
    return TableFlow(
        workload=time.workload,
        cells=cells,
        client_bytes=client,
        wal_bytes=wal,
        flushed_bytes=flushed,
        compacted_bytes=compacted,
        replication=replication,
        datanode_bytes=blocks,
        disk_bytes=disk,
        amplification=wrote / client,
        expected=expected / client,
        flushed_share=min(1.0, flushed / stored),
        picture=_picture(time.workload, client, replication, theory, counts),
    )


def rewrites(flushes: float, regions: float) -> float:
    """How often a flushed byte is written again until all of a region's files were merged, a few at a time.

    Files of one size are merged by threes, and what that gives again: so many times as three goes into the
    number of files (a log-structured merge tree's levels; O'Neil et al. 1996).
    """
    files = flushes / regions if regions else 0.0
    return math.log(files, MERGED) if files >= MERGED else 0.0


def replication_of(record: RunRecord) -> int:
    """Replicas that HDFS keeps of HBase's files: of a laboratory or a plan; 1 where nobody says."""
    lab = record.laboratory
    used = [entry.used for entry in lab.deviations if entry.key == "dfs.replication"] if lab else []
    planned = [str(entry.value) for entry in record.plan.settings if entry.key == "dfs.replication"]
    return next((int(value) for value in (*used, *planned) if value.isdigit()), 1)


def _picture(
    workload: str, client: float, replication: int, theory: dict[str, float], counts: dict[str, float | None]
) -> ByteFlow:
    wal, flushed, compacted = (counts[key] or 0.0 for key in ("wal", "flushed", "compacted"))
    every, blocks = wal + flushed + compacted, counts["blocks"]
    # A DataNode cannot tell what it writes: its bytes are shared out as HBase counts them.
    share = replication if blocks is None or not every else blocks / every
    by = "HBase's counters, " + ("times replicas" if blocks is None else "sharing out datanode/written_bytes")
    again, written = theory["again"], "regionserver/compacted_bytes"
    stored = [
        Flow(source, "blocks", f"{label}, every replica", replication * theory[key], share * amount, by)
        for source, label, key, amount in (
            ("wal", "the WAL", "wal", wal),
            ("flushed", "flushed files", "stored", flushed),
            ("compacted", "merged files", "again", compacted),
        )
    ]
    flows = (
        Flow("clients", "servers", "values", client, client, "clients' operations"),
        Flow("servers", "wal", "writes", theory["wal"], wal, "regionserver/wal_written_bytes"),
        Flow("servers", "memstores", "writes", theory["stored"], None, ""),
        Flow("memstores", "flushed", "flushes", theory["stored"], flushed, "regionserver/flushed_bytes"),
        Flow("flushed", "compacted", "compactions", again, compacted, written),
        *stored,
        Flow(
            "blocks", "disks-written", "replicas", theory["blocks"], counts["disks"], "disk/*/written_bytes"
        ),
    )
    return ByteFlow.of(workload, replication, NODES, flows)


def _amplified(flow: TableFlow) -> str:
    """How much more was written than clients wrote; where that is far from theory, with the reason."""
    far = flow.amplification > UNEXPECTED * flow.expected
    written = flow.replication * (flow.wal_bytes + flow.flushed_bytes + flow.compacted_bytes)
    besides = round((flow.datanode_bytes or 0.0) - written)
    return phrase(
        "amplified",
        flow,
        words="little" if far and flow.client_bytes < LEAST_BYTES else "enough",
        writer="HDFS" if flow.datanode_bytes is not None else "HBase",
        wrote=round(flow.amplification * flow.client_bytes),
        besides=besides if far and besides > 0 else None,
    )


def find_table_flows(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How many bytes were written for each byte of the clients', and what theory says of it."""
    for flow in evidence.table_flows:
        yield conclude(
            "write-amplification",
            flow,
            amplified=_amplified(flow),
            several=flow.replication if flow.replication > 1 else None,
            in_memory=1 - flow.flushed_share if flow.flushed_share < WORTH else None,
        )

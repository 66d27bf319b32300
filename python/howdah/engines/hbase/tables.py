"""Tables of runs: created, kept for later runs, and removed after killed ones."""

from __future__ import annotations

import logging

from howdah.engines.hbase.admin import HBaseAdmin, MadeFor, OwnTable
from howdah.engines.hbase.work import RunTable
from howdah.engines.processes import is_dead, this_process
from howdah.errors import RunFailed
from howdah.model.job import Job
from howdah.model.workloads.ycsb import YCSB, YCSB_LOAD, YcsbMix
from howdah.model.workloads.ycsb_options import BlockEncoding, BloomFilter, Compression


def made_for(job: Job, suite: str, records: int, table: RunTable) -> MadeFor:
    """The purpose of a table of this process's run."""
    return MadeFor(
        run=job.run_id,
        suite=suite,
        process=this_process(),
        keep=table.keep,
        records=records,
        fields=table.fields,
        field_bytes=table.field_bytes,
    )


def attributes_of(
    compression: Compression | None, encoding: BlockEncoding | None, bloom: BloomFilter | None
) -> tuple[str, str, str]:
    """The table's compression, block encoding and bloom filter by HBase's own words."""
    words = (compression or Compression.NONE, encoding or BlockEncoding.NONE, bloom or BloomFilter.ROW)
    first, second, third = (word.upper().replace("-", "_") for word in words)
    return first, second, third


NO_TABLE = "has no table that howdah created"
_LOG = logging.getLogger(__name__)
LOAD = f"howdah run {YCSB_LOAD} --engine hbase --keep-data"


def newest_kept(admin: HBaseAdmin) -> OwnTable | None:
    """The table that the newest of earlier runs kept, whole or not; None where there is none."""
    kept = [
        table
        for table in admin.tables()
        if table.made.keep and table.made.suite == YCSB and is_dead(table.made.process) is not False
    ]
    return kept[-1] if kept else None


def kept_table(admin: HBaseAdmin, workload: YcsbMix) -> RunTable:
    """The newest table that was kept, its rows counted; raises RunFailed where none is whole."""
    table = newest_kept(admin)
    if table is None:
        raise RunFailed(workload.kind, NO_TABLE, f"run {LOAD} first")
    rows = admin.count(table.name).rows
    if rows < table.made.records:
        raise RunFailed(
            f"table {table.name}",
            f"contains {rows:,} of {table.made.records:,} records, because its load was interrupted",
            f"drop it in HBase's shell, and run {LOAD} again",
        )
    return RunTable(table.name, table.made.fields, table.made.field_bytes, rows)


def clear_leftovers(admin: HBaseAdmin) -> tuple[str, ...]:
    """Remove the tables of runs of this machine that were killed and were not to keep any.

    Returns the tables that may still be in use and so stay: those of runs of other
    machines, whose processes are not visible here.
    """
    unknown = []
    for table in admin.tables():
        if table.made.keep:
            continue
        dead = is_dead(table.made.process)
        if dead:
            _LOG.info("removing %s, whose run was killed", table.name)
            admin.remove(table.name)
        elif dead is None:
            unknown.append(table.name)
    return tuple(unknown)

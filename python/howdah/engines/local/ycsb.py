"""YCSB's programs on a store in this process: the floor under what the same operations cost on HBase."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError as Unreadable

from howdah import _native
from howdah.engines.base import PartialResult
from howdah.engines.local.work import LocalContext, Watch, store_cache_bytes
from howdah.engines.local.workspace import find_kept
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.reported import Counters, LatencyHistogram, OperationCount
from howdah.model.run import ValidationError
from howdah.model.workloads.ycsb import (
    MOST_SCANNED,
    YCSB,
    YCSB_LOAD,
    TableShape,
    Ycsb,
    YcsbLoad,
    YcsbMix,
    check_shape,
    results,
)
from howdah.model.workloads.ycsb_options import Distribution, Durability
from howdah.units import MIB, format_per_s, listed

_TABLE = "table.json"
_STORE = "store"
_LEAST_INTERVAL_S = 1.0  # A shorter histogram has too few times for the 99.9th percentile.
_REACHED = 0.95  # The share of its target that a run has to reach for its times to be those of that rate.
_JOURNAL_BYTES = 512 * MIB  # A store's journal in each directory before it is flushed to files.
_COPIES = 2  # Number of copies of a record that the store may have while it merges files.


class LocalTable(Model):
    """The description of one data directory's part of a table, stored next to it."""

    records: int
    version: int  # The newest write of any record.
    fields: int
    field_bytes: int
    seed: int
    whole: bool  # Whether the last run that changed it completed and verified its records.
    part: int = 0  # Number of this partition: records are distributed by their names.
    parts: int = 1


def ycsb_load(context: LocalContext, workload: YcsbLoad, watch: Watch) -> PartialResult:
    """Make the table, one part in each data directory."""
    shape = {"fields": workload.fields or 1, "field_bytes": workload.field_bytes or 1}
    table = LocalTable(records=0, version=0, seed=context.job.seed, whole=False, **shape)
    return _run_requests(context, watch, workload, table, context.workspace.fresh(YCSB))


def ycsb_mix(context: LocalContext, workload: YcsbMix, watch: Watch) -> PartialResult:
    """Ask the mix of the table that a load left."""
    table, folders = _read_table(context.workspace.existing(YCSB))
    if table.records < 1:
        raise _not_whole(folders)
    shape = {"records": table.records, "fields": table.fields, "field_bytes": table.field_bytes}
    return _run_requests(context, watch, workload.model_copy(update=shape), table, folders)


def _run_requests(
    context: LocalContext, watch: Watch, workload: Ycsb, table: LocalTable, folders: Sequence[Path]
) -> PartialResult:
    operations, distribution, warm_up_s = 1, Distribution.UNIFORM, 0.0
    if isinstance(workload, YcsbLoad):
        operations = workload.records or 1
    elif isinstance(workload, YcsbMix):
        operations, warm_up_s = workload.operations or 1, workload.warm_up_s or 0.0
        distribution = workload.distribution or workload.usual
    changes = any(share > 0 for name, share in workload.shares.items() if name not in ("read", "scan"))
    if changes:
        _write_table(folders, table.model_copy(update={"whole": False}))
    done = watch.follow(
        _native.ycsb(
            [str(folder / _STORE) for folder in folders],
            table_seed=table.seed,
            # Every program requests other records.
            seed=(context.job.seed ^ zlib.crc32(workload.kind.encode())),
            records=table.records,
            version=table.version,
            fields=table.fields,
            field_bytes=table.field_bytes,
            mix=dict(workload.shares),
            whole=workload.replaces_whole,
            distribution=str(distribution),
            scanned=MOST_SCANNED,
            operations=operations,
            threads=workload.threads or 1,
            target=workload.target,
            warm_up_s=warm_up_s,
            interval_s=max(_LEAST_INTERVAL_S, context.job.sample_interval_s),
            durability=str(workload.durability or Durability.SYNC_WAL),
            cache_bytes=store_cache_bytes(context.job),
        )
    )
    if changes and not done.faults:
        final = {"records": done.records, "version": done.version, "whole": True}
        _write_table(folders, table.model_copy(update=final))
    reached = done.operations / done.elapsed_s if done.elapsed_s else 0.0
    if workload.target is not None and done.elapsed_s and reached < _REACHED * workload.target:
        context.warn(
            "target-missed",
            f"{workload.kind}: the target is {format_per_s(workload.target)}, but {workload.threads} "
            f"threads reached {format_per_s(reached)}: latencies measured from intended times grow "
            f"throughout the run; give more --threads, or a lower --target",
        )
    timed = [
        LatencyHistogram(
            workload=workload.kind,
            operation=name,
            host=context.job.host.name,
            peer=None,
            start_s=0.0,
            end_s=done.elapsed_s,
            operations=count,
            histogram=b64encode(histogram).decode("ascii"),
        )
        for name, count, histogram in done.times
    ]
    return PartialResult(
        workload=workload,
        # Bytes on the disks are the store's own: its journal, its files and their compaction.
        counters=Counters(input_rows=done.records_read, output_rows=done.records_written),
        operations=tuple(
            OperationCount(operation=name, done=sum(returns.values()), returns=returns)
            for name, returns in done.returns
        ),
        metrics=results(done.operations, done.elapsed_s, timed),
        validation_errors=tuple(ValidationError(kind=kind, message=text) for kind, text in done.faults),
    )


def table_shape(data_dirs: Iterable[str]) -> TableShape:
    """The table that a kept load left; raises UserError where there is none that could be used."""
    table, _ = _read_table(find_kept(data_dirs, YCSB))
    return TableShape(table.records, table.fields, table.field_bytes)


def check_ready(data_dirs: Iterable[str], workload: YcsbMix) -> None:
    """Raise UserError unless a kept load left the table that a mix alone is of."""
    check_shape(lambda option: option.of(workload), table_shape(data_dirs))


def room_bytes(workload: Ycsb, data_dirs: int) -> int:
    """Number of bytes that a program may add to the table's directories."""
    if isinstance(workload, YcsbLoad):
        return _COPIES * workload.written_bytes + data_dirs * _JOURNAL_BYTES
    operations = (workload.operations or 0) if isinstance(workload, YcsbMix) else 0
    written = sum(share for name, share in workload.shares.items() if name not in ("read", "scan"))
    return int(operations * written) * workload.record_bytes


def _read_table(folders: Sequence[Path]) -> tuple[LocalTable, list[Path]]:
    """The table in these folders, and the folders in the order of its parts."""
    if not folders:
        hint = f"run `howdah run {YCSB_LOAD} --keep-data` first, or `howdah run {YCSB}` for the whole suite"
        raise UserError("--data-dir", f"contains no table of {YCSB_LOAD}", hint)
    parts = {}
    for folder in folders:
        try:
            part = LocalTable.model_validate(json.loads((folder / _TABLE).read_text()))
        except (OSError, ValueError, Unreadable) as error:
            raise _not_whole([folder]) from error
        parts[part.part] = (part, folder)
    table, first = parts[min(parts)]
    if set(parts) != set(range(table.parts)):
        problem = f"contains one of {table.parts} parts of a table"
        raise UserError(str(first), problem, "give every --data-dir that it was spread over")
    if not all(part.whole and part.records == table.records for part, _ in parts.values()):
        raise _not_whole([folder for _, folder in parts.values()])
    return table, [parts[number][1] for number in range(table.parts)]


def _not_whole(folders: Sequence[Path]) -> UserError:
    names = listed(str(folder) for folder in folders)
    problem = "contains a table that an interrupted or failed run left behind"
    return UserError(names, problem, f"remove it, and run `howdah run {YCSB_LOAD} --keep-data` again")


def _write_table(folders: Sequence[Path], table: LocalTable) -> None:
    for number, folder in enumerate(folders):
        part = table.model_copy(update={"part": number, "parts": len(folders)})
        new = folder / f"{_TABLE}.new"
        new.write_text(part.model_dump_json())
        new.replace(folder / _TABLE)

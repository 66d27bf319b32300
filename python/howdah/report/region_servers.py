"""RegionServers and the slowest requests as tables of a report."""

from __future__ import annotations

from howdah.analysis.evidence import Evidence, RegionServerUse, TailCause
from howdah.analysis.tails import WORDS
from howdah.analysis.wording import delay, percent, seconds
from howdah.report.document import Table
from howdah.report.words import NONE
from howdah.units import format_bytes

HOTTEST = 10
"""Regions that are told of each workload."""


def region_server_tables(evidence: Evidence) -> tuple[Table, ...]:
    """What the slowest requests coincided with, and what each RegionServer did."""
    tables = (_tails(evidence), _answered(evidence), _wrote(evidence), _regions(evidence))
    return tuple(one for one in tables if one.rows)


def _tails(evidence: Evidence) -> Table:
    rows = tuple(
        (
            tail.workload,
            delay(tail.within_s),
            WORDS[cause.kind],
            percent(cause.caught),
            percent(cause.held),
            delay(cause.without_s) if cause.without_s is not None else NONE,
            f"{cause.measure} {_value(cause)}",
            cause.machine,
        )
        for tail in evidence.tails
        for cause in (*tail.causes, *tail.steady)
    )
    columns = (
        "workload", "99 % within", "coincided with", "of slower requests", "of all requests",
        "99 % within without", "most of it", "on",
    )  # fmt: skip
    about = (
        "A cause counts where at least twice as many of the slower requests met it as of all; a request "
        "counts for the first that does. What held nearly all the time is told without comparison."
    )
    return Table(columns, rows, "What the slowest requests coincided with", about)


def _value(cause: TailCause) -> str:
    return {"s": delay(cause.most), "share": percent(cause.most)}.get(cause.unit, f"{cause.most:.3g}")


def _answered(evidence: Evidence) -> Table:
    rows = tuple(
        (
            use.workload,
            use.machine,
            f"{use.requests / use.seconds:,.0f}",
            f"{use.gets:,.0f}",
            f"{use.mutations:,.0f}",
            f"{use.scans:,.0f}",
            f"{use.regions:.0f}",
            percent(use.hit_share) if use.hit_share is not None else NONE,
            percent(use.local_share) if use.local_share is not None else NONE,
            f"{use.cpu_s / use.seconds:.2f}",
            percent(use.gc_share),
            delay(use.longest_pause_s) if use.longest_pause_s is not None else NONE,
        )
        for use in evidence.region_servers
    )
    columns = (
        "workload", "on", "requests/s", "gets", "mutations", "scans", "regions", "cache hits", "local files",
        "cores", "collecting", "longest pause",
    )  # fmt: skip
    return Table(columns, rows, "What RegionServers answered")


def _wrote(evidence: Evidence) -> Table:
    rows = tuple(
        (
            use.workload,
            use.machine,
            f"{use.wal_appends:,.0f}",
            format_bytes(use.wal_bytes),
            delay(use.sync_s) if use.sync_s else _short(use),
            format_bytes(use.memstore_bytes),
            f"{use.flushes:,.0f}",
            format_bytes(use.flushed_bytes),
            f"{use.compactions:,.0f}",
            format_bytes(use.compacted_bytes),
            f"{use.compaction_queue:.0f}",
            seconds(use.blocked_s) if use.blocked_s else "0 s",
        )
        for use in evidence.region_servers
        if use.wal_appends or use.flushes or use.compactions
    )
    columns = (
        "workload", "on", "WAL entries", "WAL", "mean sync", "memstores", "flushes", "flushed",
        "compactions", "compacted", "queue", "held up",
    )  # fmt: skip
    about = "Memstores and the queue of compactions are the largest samples; full memstores delay writes."
    return Table(columns, rows, "What RegionServers wrote", about)


def _regions(evidence: Evidence) -> Table:
    rows = []
    for workload in dict.fromkeys(use.workload for use in evidence.regions):
        mine = [use for use in evidence.regions if use.workload == workload]
        every = sum(use.rows for use in mine)
        rows += [
            (workload, use.region, use.machine, f"{use.rows:,.0f}", percent(use.rows / every))
            for use in mine[:HOTTEST]
        ]
    about = f"At most the {HOTTEST} hottest; a region that was split or moved is counted again."
    return Table(("workload", "region", "on", "rows", "of all"), tuple(rows), "Regions", about)


def _short(use: RegionServerUse) -> str:
    """A mean of no whole millisecond."""
    return "< 1 ms" if use.sync_s is not None else NONE

"""A workload as YCSB's own properties, divided over the clients that ask."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from howdah.engines.hbase.work import RunTable
from howdah.model.workloads.ycsb import MOST_SCANNED, Ycsb, YcsbLoad, YcsbMix

CLIENT = "site.ycsb.Client"
FAMILY = "f"
"""The column family of every table of howdah's."""
INSERT_RETRIES = 20
"""YCSB waits about three seconds before each, so that an outage of a minute ends no thread."""
KEY_DIGITS = 19
"""Keys are hashed numbers of a Java long: all of one length, they spread evenly over a table's regions."""

_FIRST_DIGITS = 9224
"""No Java long begins with more."""
_PROPORTIONS = {
    "read": "readproportion",
    "update": "updateproportion",
    "insert": "insertproportion",
    "scan": "scanproportion",
    "read-modify-write": "readmodifywriteproportion",
}


class ClientPart(NamedTuple):
    """What one client does of a workload."""

    operations: int
    first: int
    """The number of the first record that it inserts."""
    threads: int
    target: int | None
    """Operations a second: YCSB takes whole ones."""


def divided(workload: Ycsb, rows: int) -> tuple[ClientPart, ...]:
    """Each client's part; ``rows`` is how many records the table holds by now.

    Records that a mix adds are numbered from there on by each client, so that only one may add any.
    """
    clients = workload.clients or 1
    operations = workload.asked.number if workload.asked else 0
    targets = _evenly(max(clients, workload.target), clients) if workload.target else [None] * clients
    parts, first = [], 0
    for part, target in zip(_evenly(operations, clients), targets, strict=True):
        parts.append(
            ClientPart(part, first if isinstance(workload, YcsbLoad) else rows, workload.threads or 1, target)
        )
        first += part
    return tuple(parts)


def splits(regions: int) -> list[str]:
    """The first keys of all regions but the first: hashed numbers of 19 digits end below 9224 · 10¹⁵."""
    return [f"user{number * _FIRST_DIGITS // regions:04d}" for number in range(1, regions)]


def arguments(
    workload: Ycsb, asked: ClientPart, table: RunTable, *, histograms: Path, ledger: Path | None = None
) -> list[str]:
    """YCSB's command line for one client's part; its histograms are written below a folder each second.

    With a ``ledger`` faults are expected: what is acknowledged is written there at the end.
    """
    given = {**_common(workload, table, histograms), **_own(workload, asked, table.rows)}
    if ledger is not None:
        # Without, the first insert that fails ends its thread, and with it all that the thread had to do.
        given |= {"ledger": str(ledger), "core_workload_insertion_retry_limit": INSERT_RETRIES}
    words = ["-load" if isinstance(workload, YcsbLoad) else "-t", "-s", "-threads", str(asked.threads)]
    if asked.target is not None:
        words += ["-target", str(asked.target)]
    for name, value in given.items():
        words += ["-p", f"{name}={value}"]
    return words


def _common(workload: Ycsb, table: RunTable, histograms: Path) -> dict[str, str | int]:
    given: dict[str, str | int] = {
        "db": "HBaseBinding",
        "workload": "RecordWorkload",
        "dataintegrity": "true",
        "table": table.name,
        "columnfamily": FAMILY,
        "fieldcount": table.fields,
        "fieldlength": table.field_bytes,
        "zeropadding": KEY_DIGITS,
        # Without a rate to keep there is no time at which an operation should have begun.
        "measurement.interval": "both" if workload.target else "op",
        "measurementtype": "hdrhistogram",
        "hdrhistogram.fileoutput": "true",
        "hdrhistogram.output.path": f"{histograms}/",
        "status.interval": 1,
    }
    if workload.durability is not None:
        given["durability"] = workload.durability.upper().replace("-", "_")
    return given


def _own(workload: Ycsb, asked: ClientPart, rows: int) -> Mapping[str, str | int | float]:
    if isinstance(workload, YcsbMix):
        return {
            # All five are said, for YCSB's own defaults are shares of a mix.
            **{name: workload.shares.get(operation, 0.0) for operation, name in _PROPORTIONS.items()},
            "recordcount": rows,
            "operationcount": asked.operations,
            "requestdistribution": str(workload.distribution or workload.usual),
            "maxscanlength": MOST_SCANNED,
            "writeallfields": "true" if workload.replaces_whole else "false",
        }
    return {
        "recordcount": workload.records or 0,
        "insertstart": asked.first,
        "insertcount": asked.operations,
    }


def _evenly(total: int, parts: int) -> list[int]:
    each, over = divmod(total, parts)
    return [each + (number < over) for number in range(parts)]

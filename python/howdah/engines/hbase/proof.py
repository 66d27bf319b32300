"""What holds for a table after faults: all of it is served, and nothing that was acknowledged is lost."""

from __future__ import annotations

import time

from howdah.engines.hbase.admin import Serving
from howdah.engines.hbase.work import HBaseWork, RunTable
from howdah.errors import RunFailed
from howdah.model.faults import CELLS_LOST, CELLS_READ
from howdah.model.reported import ResultMetric
from howdah.model.run import ValidationError
from howdah.model.workloads.ycsb import Ycsb

WHOLE_S = 600.0
"""How long regions may take: a log of a few hundred MB is split within a minute."""
_POLL_S = 1.0


def wait_until_whole(work: HBaseWork[Ycsb], table: RunTable) -> None:
    """Wait until every region is served; raises RunFailed where that does not come about in time."""
    admin, deadline = work.context.admin, time.monotonic() + WHOLE_S
    found: Serving | None = None
    why = "no master answers"
    while time.monotonic() < deadline:
        try:
            found = admin.serving(table.name)
        except RunFailed as error:
            why = str(error)
        else:
            if found.whole:
                return
            why = f"{found.unserved} of {found.regions} regions are not served"
        regions = found.regions if found else 0
        work.progress("wait for regions", regions - (found.unserved if found else 0), regions)
        time.sleep(_POLL_S)
    raise RunFailed(
        table.name, f"has not recovered {WHOLE_S:.0f} s after the last fault: {why}", "see the HMaster's log"
    )


def nothing_lost(
    work: HBaseWork[Ycsb], table: RunTable
) -> tuple[tuple[ValidationError, ...], tuple[ResultMetric, ...]]:
    """Hold all that was acknowledged, of the programs and of the probes, against the table."""
    context = work.context
    faults: list[ValidationError] = []
    metrics: list[ResultMetric] = []
    if context.ledger is not None:
        held = context.admin.acknowledged(table.name, context.ledger)
        metrics += [
            ResultMetric(name=CELLS_READ, value=float(held.cells), unit="1", over="all clients"),
            ResultMetric(name=CELLS_LOST, value=float(held.lost), unit="1", better="lower"),
        ]
        if held.lost:
            faults.append(
                ValidationError(
                    kind="lost",
                    message=f"{held.lost:,} of {held.cells:,} acknowledged writes are lost: {held.first}",
                )
            )
    if context.probes is not None:
        faults += [ValidationError(kind="lost", message=text) for text in context.probes.lost]
    return tuple(faults), tuple(metrics)


def told_of_failures(
    work: HBaseWork[Ycsb], faults: tuple[ValidationError, ...]
) -> tuple[ValidationError, ...]:
    """What remains wrong where faults were asked for: operations may fail then, and are told of."""
    if not work.context.faulty:
        return faults
    for fault in faults:
        work.context.warn("operations-failed", f"{work.workload.kind}: {fault.message}")
    return ()

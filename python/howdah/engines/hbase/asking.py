"""YCSB's clients at work: started on their machines, followed, and ended with the run."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from howdah.engines.hbase.command import CLIENT, ClientPart, arguments, divided
from howdah.engines.hbase.histograms import HistogramLogs
from howdah.engines.hbase.printed import Printed, done_so_far, read_printed
from howdah.engines.hbase.target import ClientPlace
from howdah.engines.hbase.work import HBaseWork, RunTable
from howdah.engines.running import RunningProgram
from howdah.errors import RunFailed
from howdah.model.latencies import LatencyHistogram
from howdah.model.workloads.ycsb import Ycsb

_POLL_S = 0.1
_COMPLAINTS = ("HBaseBinding: ", "Exception", "Error")
_LINE_CHARACTERS = 300


class Answered(NamedTuple):
    """What all clients did."""

    operations: dict[str, int]
    """How many of each kind."""
    returns: dict[str, dict[str, int]]
    """What these came to, by YCSB's words."""
    begun_s: float
    """When the first operation began, on the run's clock."""
    ended_s: float
    """When the last one ended."""
    timed: tuple[LatencyHistogram, ...]
    """Every interval of every client and kind of operation."""
    complaint: str | None
    """The first thing that a client said was wrong."""


def ask(work: HBaseWork[Ycsb], table: RunTable, *, told: bool = True) -> Answered:
    """Run a workload by as many clients as it asks for; raises RunFailed where one does not do its part.

    The table then holds the records that were added, too.

    What is timed goes to the record unless it is not to be ``told``.
    """
    parts = divided(work.workload, table.rows)
    places = work.context.target.places[: len(parts)]
    with ExitStack() as stack:
        # Each JVM may still write where it is ended; what is left goes when all have ended.
        folder = Path(tempfile.mkdtemp(prefix="howdah-ycsb-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        clients = []
        for number, (place, part) in enumerate(zip(places, parts, strict=True)):
            client = _AskingClient(work, table, place, part, folder / str(number))
            stack.callback(client.end)
            clients.append(client)
        answered = _follow(work, clients, sum(part.operations for part in parts), told=told)
    table.rows += answered.returns.get("insert", {}).get("OK", 0)
    return answered


def _follow(work: HBaseWork[Ycsb], clients: Sequence[_AskingClient], total: int, *, told: bool) -> Answered:
    timed: list[LatencyHistogram] = []
    while not all(client.wait(_POLL_S) for client in clients):
        timed += _passed_on(work, clients, told=told)
        work.progress("run", sum(client.done for client in clients), total)
    timed += _passed_on(work, clients, told=told)
    found = [client.printed() for client in clients]
    clock = work.context.clock
    return Answered(
        operations=_summed(one.operations for one in found),
        returns={
            operation: _summed(one.returns.get(operation, {}) for one in found)
            for operation in dict.fromkeys(name for one in found for name in one.returns)
        },
        begun_s=min(clock.seconds(one.begun_ms) for one in found),
        ended_s=max(clock.seconds(one.ended_ms) for one in found),
        timed=tuple(timed),
        complaint=next((client.complaint for client in clients if client.complaint), None),
    )


def _passed_on(
    work: HBaseWork[Ycsb], clients: Iterable[_AskingClient], *, told: bool
) -> list[LatencyHistogram]:
    rows = [row for client in clients for row in client.logs.rows()]
    if rows and told:
        work.context.sink.latencies(rows)
    return rows


def operations_done(rows: Iterable[LatencyHistogram]) -> int:
    """How many operations rows are of; both halves of one that reads and writes are rows of their own."""
    counted = [row for row in rows if counts_once(row.operation)]
    halves = sum(row.operations for row in counted if row.operation == "read-modify-write")
    return sum(row.operations for row in counted) - 2 * halves


def counts_once(operation: str) -> bool:
    """Whether rows of an operation count each once: what was timed in another way is there already."""
    return not operation.endswith(", intended")


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            total[name] = total.get(name, 0) + count
    return total


class _AskingClient(RunningProgram):
    """One client of YCSB's, on its machine."""

    def __init__(
        self, work: HBaseWork[Ycsb], table: RunTable, place: ClientPlace, part: ClientPart, folder: Path
    ) -> None:
        self.done = 0
        """Operations it has done."""
        self.complaint: str | None = None
        """The first thing that it said was wrong."""
        self._place = place
        clock = work.context.clock
        folder.mkdir()
        self.logs = HistogramLogs(
            folder, work.workload.kind, place.name, lambda epoch_s: clock.seconds(round(1000 * epoch_s))
        )
        book = work.context.ledger
        ledger = book / f"{work.workload.kind}-{uuid4().hex}.ledger" if book else None
        words = arguments(work.workload, part, table, histograms=folder, ledger=ledger)
        super().__init__(
            work.context.target.java(place, CLIENT, *words), folder, environment=place.environment
        )

    def said(self, line: str) -> None:
        """Note how far it is, and what is wrong."""
        if (done := done_so_far(line)) is not None:
            self.done = done
        elif self.complaint is None and any(word in line for word in _COMPLAINTS) and "[" not in line[:1]:
            self.complaint = line[:_LINE_CHARACTERS]

    def printed(self) -> Printed:
        """What it printed at its end; raises RunFailed where it did not come to it."""
        printed = read_printed(self.lines)
        if printed is None or not printed.begun_ms:
            why = self.complaint or (self.lines[-1] if self.lines else f"exit code {self.exit_code()}")
            raise RunFailed(f"YCSB's client on {self._place.name}", f"did nothing: {why}")
        return printed

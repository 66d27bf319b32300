"""YCSB's clients: their properties, started on machines, followed by their histograms, ended with the run."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from howdah.engines.hbase.target import ClientPlace, HBaseWork, RunTable
from howdah.engines.processes import RunningProgram
from howdah.errors import RunFailed
from howdah.model.reported import LatencyHistogram, counted
from howdah.model.workloads.ycsb import MOST_SCANNED, Ycsb, YcsbLoad, YcsbMix

CLIENT = "site.ycsb.Client"
FAMILY = "f"  # The column family of every table of howdah's.
INSERT_RETRIES = 20  # YCSB waits three seconds before each: an outage of a minute ends no thread.
KEY_DIGITS = 19  # Keys are hashed numbers of one length, which spread evenly over regions.
_FIRST_DIGITS = 9224  # No Java long begins with more.
_OPERATIONS = ("read", "update", "insert", "scan", "read-modify-write")


class ClientPart(NamedTuple):
    """The part of a workload that one client runs."""

    operations: int
    first: int  # The number of the first record that it inserts.
    threads: int
    target: int | None  # Operations a second: YCSB takes whole ones.


def divided(workload: Ycsb, rows: int) -> tuple[ClientPart, ...]:
    """Each client's part; one at most may add to the ``rows`` of the table, numbered from there on."""
    clients = workload.clients or 1
    operations = workload.asked.number if workload.asked else 0
    targets = _evenly(max(clients, workload.target), clients) if workload.target else [None] * clients
    parts, first = [], 0
    for part, target in zip(_evenly(operations, clients), targets, strict=True):
        begin = first if isinstance(workload, YcsbLoad) else rows
        parts.append(ClientPart(part, begin, workload.threads or 1, target))
        first += part
    return tuple(parts)


def splits(regions: int) -> list[str]:
    """The first keys of all regions but the first: hashed numbers of 19 digits end below 9224 · 10¹⁵."""
    return [f"user{number * _FIRST_DIGITS // regions:04d}" for number in range(1, regions)]


def arguments(
    workload: Ycsb, part: ClientPart, table: RunTable, *, histograms: Path, ledger: Path | None = None
) -> list[str]:
    """YCSB's command line for a client's part; a ``ledger`` of acknowledged writes is for faults."""
    options: dict[str, str | int | float] = {
        "db": "HBaseBinding",
        "workload": "RecordWorkload",
        "dataintegrity": "true",
        "table": table.name,
        "columnfamily": FAMILY,
        "fieldcount": table.fields,
        "fieldlength": table.field_bytes,
        "zeropadding": KEY_DIGITS,
        # Only a given rate determines when an operation should have begun.
        "measurement.interval": "both" if workload.target else "op",
        "measurementtype": "hdrhistogram",
        "hdrhistogram.fileoutput": "true",
        "hdrhistogram.output.path": f"{histograms}/",
        "status.interval": 1,
    }
    if workload.durability is not None:
        options["durability"] = workload.durability.upper().replace("-", "_")
    if isinstance(workload, YcsbMix):
        # All five are set, because YCSB's own defaults are a mix.
        for operation in _OPERATIONS:
            options[f"{operation.replace('-', '')}proportion"] = workload.shares.get(operation, 0.0)
        options |= {
            "recordcount": table.rows,
            "operationcount": part.operations,
            "requestdistribution": str(workload.distribution or workload.usual),
            "maxscanlength": MOST_SCANNED,
            "writeallfields": "true" if workload.replaces_whole else "false",
        }
    else:
        options["recordcount"] = workload.records or 0
        options |= {"insertstart": part.first, "insertcount": part.operations}
    if ledger is not None:
        # By default, a failed insert ends its thread and so all remaining operations of the thread.
        options |= {"ledger": str(ledger), "core_workload_insertion_retry_limit": INSERT_RETRIES}
    words = ["-load" if isinstance(workload, YcsbLoad) else "-t", "-s", "-threads", str(part.threads)]
    if part.target is not None:
        words += ["-target", str(part.target)]
    for name, value in options.items():
        words += ["-p", f"{name}={value}"]
    return words


def _evenly(total: int, parts: int) -> list[int]:
    quotient, over = divmod(total, parts)
    return [quotient + (number < over) for number in range(parts)]


_LINE = re.compile(r"^\[([\w-]+)\], ([^,]+), ([\d.]+)$")
_STATUS = re.compile(r" sec: (\d+) operations;")
_RETURN = "Return="
_OURS = "HOWDAH"
_TIMED = {operation.upper() for operation in _OPERATIONS}


class Printed(NamedTuple):
    """The statistics that a client prints at its end."""

    operations: Mapping[str, int]  # By howdah's names of their kinds: ``read-modify-write``.
    returns: Mapping[str, Mapping[str, int]]  # By kind, and YCSB's names: ``OK``, ``NOT_FOUND``.
    begun_ms: int  # Start of the first operation in milliseconds since the epoch; 0 without operations.
    ended_ms: int


def read_printed(lines: Iterable[str]) -> Printed | None:
    """Return the results in a client's output; None if it did not finish."""
    operations: dict[str, int] = {}
    returns: defaultdict[str, dict[str, int]] = defaultdict(dict)
    times: dict[str, int] = {}
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        section, name, value = match.groups()
        if section == _OURS:
            times[name] = int(float(value))
        elif section in _TIMED and name == "Operations":
            operations[section.lower()] = int(value)
        elif section in _TIMED and name.startswith(_RETURN):
            returns[section.lower()][name.removeprefix(_RETURN)] = int(value)
    if "Begun(ms)" not in times:
        return None
    return Printed(operations, dict(returns), times["Begun(ms)"], times["Ended(ms)"])


def done_so_far(line: str) -> int | None:
    """Return the operations in a status line; None for any other line."""
    match = _STATUS.search(line)
    return int(match[1]) if match else None


def named(section: str) -> str | None:
    """The operation that one of YCSB's measurements is of; None for one that times none.

    ``Intended-READ`` is from when it should have begun, so that waiting for a client that is late counts.
    ``READ-FAILED`` is of those that came to something else than OK.
    """
    bare = section.removeprefix("Intended-").removesuffix("-FAILED")
    failed = ", failed" if section.endswith("-FAILED") else ""
    intended = ", intended" if section.startswith("Intended-") else ""
    return f"{bare.lower()}{failed}{intended}" if bare in _TIMED else None


_BASE = re.compile(r"^#\[(?:StartTime|BaseTime): ([\d.]+) ")
_SUFFIX = ".hdr"


class HistogramLogs:
    """Reads each line of a client's logs once; ``run_s`` converts seconds since 1970 to the run's clock."""

    def __init__(self, folder: Path, workload: str, host: str, run_s: Callable[[float], float]) -> None:
        self._folder = folder
        self._workload = workload
        self._host = host
        self._run_s = run_s
        self._read: dict[Path, int] = {}
        self._base_s: dict[Path, float] = {}

    def rows(self) -> list[LatencyHistogram]:
        """Return the intervals that have ended since the last call, without empty ones."""
        return [row for path in sorted(self._folder.glob(f"*{_SUFFIX}")) for row in self._of(path)]

    def _of(self, path: Path) -> Iterator[LatencyHistogram]:
        operation = named(path.name.removesuffix(_SUFFIX))
        if operation is None:
            return
        with path.open("rb") as file:
            file.seek(self._read.get(path, 0))
            content = file.read()
        # The next call reads a line that is still being written.
        whole = content[: content.rfind(b"\n") + 1]
        self._read[path] = self._read.get(path, 0) + len(whole)
        for line in whole.decode("ascii", errors="replace").splitlines():
            # An interval is ``start, length, longest, histogram``, in seconds since the log's own start.
            parts = line.split(",")
            if (base := _BASE.match(line)) is not None:
                self._base_s[path] = float(base[1])
            elif len(parts) == 4 and not line.startswith(("#", '"')):
                start_s = self._base_s.get(path, 0.0) + float(parts[0])
                histogram, operations = counted(parts[3])
                if operations:
                    yield LatencyHistogram(
                        workload=self._workload,
                        operation=operation,
                        host=self._host,
                        peer=None,
                        start_s=self._run_s(start_s),
                        end_s=self._run_s(start_s + float(parts[1])),
                        operations=operations,
                        histogram=histogram,
                    )


_POLL_S = 0.1
_COMPLAINTS = ("HBaseBinding: ", "Exception", "Error")
_LINE_CHARACTERS = 300


class Answered(NamedTuple):
    """The statistics of all clients together."""

    operations: dict[str, int]
    returns: dict[str, dict[str, int]]
    begun_s: float
    ended_s: float
    timed: tuple[LatencyHistogram, ...]  # Every interval of every client and kind of operation.
    complaint: str | None  # Return the first error that a client reported.


def request_operations(work: HBaseWork[Ycsb], table: RunTable, *, recorded: bool = True) -> Answered:
    """Run a workload's clients, which may add rows; raises RunFailed if one fails."""
    parts = divided(work.workload, table.rows)
    places = work.context.target.places[: len(parts)]
    with ExitStack() as stack:
        # A JVM may write until its end, so the folder is removed after all have ended.
        folder = Path(tempfile.mkdtemp(prefix="howdah-ycsb-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        clients = []
        for number, (place, part) in enumerate(zip(places, parts, strict=True)):
            client = _YcsbClient(work, table, place, part, folder / str(number))
            stack.callback(client.end)
            clients.append(client)
        answered = _follow(work, clients, sum(part.operations for part in parts), recorded=recorded)
    table.rows += answered.returns.get("insert", {}).get("OK", 0)
    return answered


def _follow(work: HBaseWork[Ycsb], clients: Sequence[_YcsbClient], total: int, *, recorded: bool) -> Answered:
    timed: list[LatencyHistogram] = []
    ended = False
    while not ended:
        ended = all(client.wait(_POLL_S) for client in clients)
        rows = [row for client in clients for row in client.logs.rows()]
        if rows and recorded:
            work.context.sink.latencies(rows)
        timed += rows
        if not ended:
            work.progress("run", sum(client.done for client in clients), total)
    printed = [client.printed() for client in clients]
    seconds = work.context.clock.seconds
    names = dict.fromkeys(name for counts in printed for name in counts.returns)
    return Answered(
        operations=_summed(counts.operations for counts in printed),
        returns={name: _summed(counts.returns.get(name, {}) for counts in printed) for name in names},
        begun_s=min(seconds(counts.begun_ms) for counts in printed),
        ended_s=max(seconds(counts.ended_ms) for counts in printed),
        timed=tuple(timed),
        complaint=next((client.complaint for client in clients if client.complaint), None),
    )


def operations_done(rows: Iterable[LatencyHistogram]) -> int:
    """Return the number of operations; a read-modify-write has two rows."""
    counted = [row for row in rows if counts_once(row.operation)]
    halves = sum(row.operations for row in counted if row.operation == "read-modify-write")
    return sum(row.operations for row in counted) - 2 * halves


def counts_once(operation: str) -> bool:
    """Whether rows count as operations: rows timed in another way repeat operations counted already."""
    return not operation.endswith(", intended")


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for client_counts in counts:
        total.update(client_counts)
    return dict(total)


class _YcsbClient(RunningProgram):
    def __init__(
        self, work: HBaseWork[Ycsb], table: RunTable, place: ClientPlace, part: ClientPart, folder: Path
    ) -> None:
        self.done = 0
        self.complaint: str | None = None
        self._place = place
        kind, seconds, book = work.workload.kind, work.context.clock.seconds, work.context.ledger
        folder.mkdir()
        self.logs = HistogramLogs(folder, kind, place.name, lambda epoch_s: seconds(round(1000 * epoch_s)))
        ledger = book / f"{kind}-{uuid4().hex}.ledger" if book else None
        words = arguments(work.workload, part, table, histograms=folder, ledger=ledger)
        command = work.context.target.java(place, CLIENT, *words)
        super().__init__(command, folder, environment=place.environment)

    def read_line(self, line: str) -> None:
        if (done := done_so_far(line)) is not None:
            self.done = done
        elif self.complaint is None and any(word in line for word in _COMPLAINTS) and "[" not in line[:1]:
            self.complaint = line[:_LINE_CHARACTERS]

    def printed(self) -> Printed:
        """Return its final output; raise RunFailed if it did not finish."""
        printed = read_printed(self.lines)
        if printed is None or not printed.begun_ms:
            why = self.complaint or (self.lines[-1] if self.lines else f"exit code {self.exit_code()}")
            raise RunFailed(f"YCSB's client on {self._place.name}", f"did nothing: {why}")
        return printed

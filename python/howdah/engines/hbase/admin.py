"""HBase's administration through its shell: tables, their regions, and what servers report."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from pydantic import ValidationError

from howdah.engines.hbase.target import SMALL_HEAP, HBaseContext, HBaseTarget, RunTable
from howdah.engines.processes import (
    ConcurrentProgram,
    Environment,
    ProcessIdentity,
    is_dead,
    this_process,
)
from howdah.errors import RunFailed, UserError
from howdah.model.base import Model
from howdah.model.cluster import HBaseStatus
from howdah.model.run import Phase
from howdah.model.workloads.ycsb import YCSB, YCSB_LOAD, PeWrite, YcsbLoad, YcsbMix
from howdah.model.workloads.ycsb_options import BlockEncoding, BloomFilter, Compression
from howdah.services.errors import NotReachable

_LOG = logging.getLogger(__name__)
_ANSWER_S = 120.0
_LONG_S = 3600.0
_POLL_S = 0.2
_END_S = 5.0


class MadeFor(Model):
    """The purpose of a table, which is stored in the table's descriptor."""

    run: str
    suite: str  # The program of its rows: ``ycsb``, ``hbase-pe``.
    process: ProcessIdentity
    keep: bool
    records: int
    fields: int
    field_bytes: int


class OwnTable(NamedTuple):
    """A table that howdah made."""

    name: str
    made: MadeFor


class HeldRows(Model):
    """The contents of a table."""

    rows: int
    wrong: int = 0  # Number of records that differ from the written ones.
    first: str | None = None


class Serving(Model):
    """The regions of a table, by their state."""

    regions: int
    unserved: int  # Regions that no live server has.
    in_transition: int  # Regions of any table that are being moved.

    @property
    def whole(self) -> bool:
        """Whether every region is served and none is in transition."""
        return not self.unserved and not self.in_transition


class HeldLedger(Model):
    """The result of comparing clients' ledgers with the table."""

    cells: int  # Fields of rows of which some write was acknowledged.
    lost: int  # Number of records that hold neither the last acknowledged write nor a later one.
    first: str | None = None


def opened(target: HBaseTarget) -> closing[HBaseAdmin]:
    """Return an administration client of a cluster, which ends with the context."""
    place = target.places[0]
    command = target.java(place, "HBaseTables", options=SMALL_HEAP)
    return closing(HBaseAdmin(command, place.environment))


class HBaseAdmin:
    """A Java program that sends requests to HBase, one after the other; it ends with howdah."""

    def __init__(self, command: Sequence[str], environment: Environment) -> None:
        self._replies: SimpleQueue[str] = SimpleQueue()
        self._program = ConcurrentProgram(command, self._replies.put, environment=environment)
        self._owed = 0  # Answers that were given up and may still arrive.

    def status(self) -> HBaseStatus:
        """The cluster's status; raises RunFailed if it does not answer."""
        return HBaseStatus.model_validate(self._query("status"))

    def tables(self) -> tuple[OwnTable, ...]:
        """Every table that howdah made, the oldest run's first."""
        tables = []
        for table in self._query("tables"):
            try:
                tables.append(OwnTable(table["name"], MadeFor.model_validate_json(table["made"])))
            except ValidationError:
                _LOG.info("table %s is marked as howdah's, but its purpose is not recorded", table["name"])
        return tuple(sorted(tables, key=lambda table: table.made.run))

    def make(
        self, name: str, *, family: str, splits: Sequence[str], attributes: Sequence[str], made: MadeFor
    ) -> None:
        """Make a table, split at keys; ``attributes`` are compression, encoding, bloom filter."""
        self._query("make", name, family, ",".join(splits) or "-", *attributes, made.model_dump_json())

    def remove(self, name: str) -> None:
        """Remove a table that howdah made."""
        self._query("remove", name)

    def count(self, name: str) -> HeldRows:
        """Count a table's rows by reading them."""
        return HeldRows.model_validate(self._query("count", name, within_s=_LONG_S))

    def verify(self, name: str, fields: int, field_bytes: int) -> HeldRows:
        """Read all of a table, and compare it with what was written."""
        answer = self._query("verify", name, str(fields), str(field_bytes), within_s=_LONG_S)
        return HeldRows.model_validate(answer)

    def serving(self, name: str) -> Serving:
        """The current state of a table's regions."""
        return Serving.model_validate(self._query("unserved", name))

    def acknowledged(self, name: str, folder: Path) -> HeldLedger:
        """Hold what clients wrote down in a folder against a table."""
        answer = self._query("acknowledged", name, str(folder), within_s=_LONG_S)
        return HeldLedger.model_validate(answer)

    def balance(self) -> bool:
        """Have regions spread over the servers; whether the master does so now."""
        return bool(self._query("balance"))

    def flush(self, name: str) -> None:
        self._query("flush", name)

    def compact(self, name: str) -> None:
        """Make one file of each region's files, and wait until that is done."""
        self._query("compact", name, within_s=_LONG_S)

    def close(self) -> None:
        self._program.end(_END_S)

    def _query(self, *words: str, within_s: float = _ANSWER_S) -> Any:
        try:
            self._program.send(" ".join(words))
        except OSError as error:
            raise RunFailed("HBase", "cannot be queried, because howdah's Java client has ended") from error
        end = time.monotonic() + within_s
        while self._owed:
            self._reply(end, words[0])
            self._owed -= 1
        try:
            reply = json.loads(self._reply(end, words[0]))
        except NotReachable:
            self._owed += 1
            raise
        if "error" in reply:
            raise RunFailed(f"HBase: {words[0]}", reply["error"])
        return reply["answer"]

    def _reply(self, end: float, question: str) -> str:
        while True:
            silent = self._program.silent
            with suppress(Empty):
                return self._replies.get(timeout=_POLL_S)
            if silent:
                raise RunFailed(f"HBase: {question}", "howdah's Java client has ended")
            if time.monotonic() > end:
                raise NotReachable(f"HBase: {question}", "did not answer in time")


MOVED_S = 30.0  # How long a region may be in transition; the replay of its log takes seconds.
BALANCED_S = 60.0  # How long a lab's regions may take until they are balanced.
LEAST_REGIONS = 2.0  # With fewer regions for each server, no balance is expected.
_STATUS_POLL_S = 0.5
_NO_SESSION = ("ConnectionLoss", "NoNode", "SessionExpired", "UnknownHost", "baseZNode")


def check_status(admin: HBaseAdmin) -> HBaseStatus:
    """The cluster's status once no region is moved; raises UserError without answer or RegionServer."""
    status, end = _status(admin), time.monotonic() + MOVED_S
    while status.servers and status.in_transition and time.monotonic() < end:
        time.sleep(_STATUS_POLL_S)
        status = _status(admin)
    if not status.servers:
        raise UserError("HBase", "has no live RegionServer", "start one, and see its log")
    if status.in_transition:
        problem = f"{status.in_transition:,} of its regions have had no server for {MOVED_S:g} s or more"
        hint = "wait until all regions are assigned; if that takes too long, diagnose and fix it with HBCK2"
        raise UserError("HBase", problem, hint)
    return status


def balanced(admin: HBaseAdmin, status: HBaseStatus, *, may_move: bool) -> tuple[HBaseStatus, str | None]:
    """The status once regions are spread, and what they are instead; ``may_move`` calls the balancer."""
    end = time.monotonic() + BALANCED_S
    while may_move and is_uneven(status) and time.monotonic() < end:
        try:
            admin.balance()
        except RunFailed as error:
            _LOG.info("%s", error)
        time.sleep(_STATUS_POLL_S)
        status = check_status(admin)
    if not is_uneven(status):
        return status, None
    spread = ", ".join(f"{server.regions} on {server.host}" for server in status.servers)
    waited = f", {BALANCED_S:g} s after its balancer was first called" if may_move else ""
    return status, f"regions were unevenly spread over RegionServers when the run began{waited}: {spread}"


def is_uneven(status: HBaseStatus) -> bool:
    """Whether a server has less than half of its share of the regions, if there is one for each server."""
    mean = sum(server.regions for server in status.servers) / len(status.servers)
    return mean >= LEAST_REGIONS and min(server.regions for server in status.servers) < mean / 2


def _status(admin: HBaseAdmin) -> HBaseStatus:
    try:
        return admin.status()
    except RunFailed as error:
        if any(word in str(error) for word in _NO_SESSION):
            problem = f"no ZooKeeper with an HBase registered answers there ({error})"
            hint = "start ZooKeeper and the HMaster, or correct hbase-site.xml"
            raise UserError("hbase.zookeeper.quorum", problem, hint) from error
        hint = "start its HMaster, and see its log"
        raise UserError("HBase", f"does not answer: {error}", hint) from error


def make_table(
    context: HBaseContext, workload: YcsbLoad | PeWrite, suite: str, table: RunTable, records: int,
    *, family: str, splits: Sequence[str],
) -> Phase:  # fmt: skip
    """Make the table of this process's run, with the workload's attributes; return when."""
    begun_s = context.clock.now_s()
    words = (
        workload.compression or Compression.NONE,
        workload.block_encoding or BlockEncoding.NONE,
        workload.bloom_filter or BloomFilter.ROW,
    )
    made = MadeFor(
        run=context.job.run_id,
        suite=suite,
        process=this_process(),
        keep=table.keep,
        records=records,
        fields=table.fields,
        field_bytes=table.field_bytes,
    )
    attributes = [word.upper().replace("-", "_") for word in words]
    context.admin.make(table.name, family=family, splits=splits, attributes=attributes, made=made)
    return Phase(name="make the table", start_s=begun_s, end_s=context.clock.now_s())


NO_TABLE = "has no table that howdah created"
LOAD = f"howdah run {YCSB_LOAD} --engine hbase --keep-data"


def newest_kept(admin: HBaseAdmin) -> OwnTable | None:
    """The table that the newest of earlier runs kept, whole or not; None where there is none.

    What another process is loading now is left out; a study uses what it loaded itself.
    """
    own = this_process()
    kept = [
        table
        for table in admin.tables()
        if table.made.keep
        and table.made.suite == YCSB
        and (table.made.process == own or is_dead(table.made.process) is not False)
    ]
    return kept[-1] if kept else None


def kept_table(admin: HBaseAdmin, workload: YcsbMix) -> RunTable:
    """The newest table that was kept, its rows counted; raises RunFailed where none is whole."""
    table = newest_kept(admin)
    if table is None:
        raise RunFailed(workload.kind, NO_TABLE, f"run {LOAD} first")
    rows = admin.count(table.name).rows
    if rows < table.made.records:
        problem = f"contains {rows:,} of {table.made.records:,} records, because its load was interrupted"
        raise RunFailed(f"table {table.name}", problem, f"drop it in HBase's shell, and run {LOAD} again")
    return RunTable(table.name, table.made.fields, table.made.field_bytes, rows)


def clear_leftovers(admin: HBaseAdmin) -> tuple[str, ...]:
    """Remove tables of this machine's killed runs; return other machines' tables, which may be in use."""
    unknown = []
    for table in admin.tables():
        dead = False if table.made.keep else is_dead(table.made.process)
        if dead:
            _LOG.info("removing %s, whose run was killed", table.name)
            admin.remove(table.name)
        elif dead is None:
            unknown.append(table.name)
    return tuple(unknown)

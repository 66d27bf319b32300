"""What of a laboratory's masters runs, and yet could not stand in for another one that is lost."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from howdah.lab.hadoop.daemons import page_url
from howdah.lab.state import LabState, LabSystem
from howdah.model.base import Model
from howdah.model.plan import Role
from howdah.services.answer import Object
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.web import JmxReader, Web

_JOURNAL = "Hadoop:service=JournalNode,name=Journal-*"
_NAMENODE = "Hadoop:service=NameNode,name="
_WRITER = re.compile(r"(\S+):\d+ \(Written txid (\d+)")
"""How the NameNode begins what it says of one JournalNode: its address, and what it wrote there last."""
_OUT_OF_SYNC = "re-sync on next segment"
_ROLL = "hdfs dfsadmin -rollEdits"
_EDITS = "dfs.journalnode.edits.dir"
_LOST = "has lost its journal"
_PERIOD = "dfs.ha.log-roll.period"


class Behind(Model):
    """Something that runs and does not do its part yet."""

    what: str
    """Which daemon, and what it lacks."""
    remedy: str


def journal_directory(machine: LabSystem) -> Path:
    """Where a machine's JournalNode keeps its journal; every laboratory's configuration says it."""
    kept = ClientConf.read(machine.conf).get(_EDITS)
    assert kept, f"{_EDITS} is redirected for every laboratory"
    return Path(kept)


def journals(web: Web, machines: Sequence[LabSystem]) -> dict[str, Object]:
    """What each JournalNode says of its journal, by machine; those that do not answer are left out.

    One that has no journal yet says nothing of one.
    """
    result: dict[str, Object] = {}
    for machine in machines:
        try:
            result[machine.name] = JmxReader(web, page_url(machine, Role.JOURNALNODE)).bean(_JOURNAL) or {}
        except ServiceError:
            continue
    return result


def journals_behind(
    state: LabState, web: Web, active: str, answers: Mapping[str, Object]
) -> Iterator[Behind]:
    """The JournalNodes that the active NameNode does not write to: a majority of the others must live on.

    A JournalNode that missed an edit, or was started anew, is written to again only from the beginning of
    a segment of the edit log on. The NameNode knows of the former once it has written, and the latter has
    written nothing since its start.
    """
    try:
        reader = JmxReader(web, active)
        info = reader.bean(f"{_NAMENODE}NameNodeInfo") or {}
        last = int((reader.bean(f"{_NAMENODE}FSNamesystem") or {}).get("LastWrittenTransactionId") or 0)
    except (ServiceError, ValueError):
        return
    told = dict(_told(info))
    for name, journal in answers.items():
        if _lost(state, name, journal):
            yield Behind(what=f"JournalNode on {name} {_LOST}", remedy=_copy(state, name, answers))
            continue
        written, rest = told.get(state.names.get(name, ""), (0, ""))
        if journal.get("TxnsWritten") and _OUT_OF_SYNC not in rest:
            continue
        lag = max(0, last - max(written, int(journal.get("LastWrittenTxId") or 0)))
        lacks = f"is {lag:,} transactions behind" if lag else "is not written to yet"
        yield Behind(what=f"JournalNode on {name} {lacks}", remedy=_remedy(state))


def _lost(state: LabState, name: str, journal: Object) -> bool:
    """Whether a JournalNode had a journal that is not on its disk.

    It says so itself once it was asked for it; one whose disk was wiped keeps its files open until then.
    """
    epoch = int(journal.get("LastPromisedEpoch") or 0)
    if epoch <= 0:
        return epoch < 0
    return not any(journal_directory(state.machine(name)).glob("*/current/VERSION"))


def _told(info: Object) -> Iterator[tuple[str, tuple[int, str]]]:
    """What a NameNode says of each JournalNode by its address: the last transaction there, and the rest."""
    try:
        streams = [str(load.get("stream")) for load in json.loads(info.get("NameJournalStatus") or "[]")]
    except (TypeError, ValueError, AttributeError):
        return
    for stream in streams:
        _, *said = _WRITER.split(stream)
        for address, written, rest in zip(said[::3], said[1::3], said[2::3], strict=True):
            yield address, (int(written), rest)


def _copy(state: LabState, name: str, answers: Mapping[str, Object]) -> str:
    """How a JournalNode that lost its journal is given that of another one; Hadoop does not do it."""
    others = [
        one
        for one, journal in answers.items()
        if int(journal.get("LastPromisedEpoch") or 0) > 0 and not _lost(state, one, journal)
    ]
    if not others:
        return "no other JournalNode has it either"
    source, target = (shlex.quote(str(journal_directory(state.machine(one)))) for one in (others[0], name))
    return (
        f"it does not recover by itself; copy the journal of {others[0]}: howdah lab kill {name} "
        f"journalnode "
        f"--name {state.name} && cp -a {source}/. {target}/ && howdah lab start {name} --name {state.name}"
    )


def _remedy(state: LabState) -> str:
    period = ClientConf.read(state.client_conf).get(_PERIOD) or ""
    every = f"{period} s" if period.isdigit() else period
    return (
        f"it joins at the next segment of the edit log: a segment begins every {every} ({_PERIOD}), or "
        f"immediately with: howdah lab ssh client --name {state.name} -- {_ROLL}"
    )

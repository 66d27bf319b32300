"""The CSV of ``esxtop -b``, in the form of Windows' performance counters (PDH-CSV 4.0)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import NamedTuple

from howdah.errors import UserError
from howdah.telemetry.importers.stretch import Imported, Machines, Stretch, columns_in_words, sum_stretches

_PERCENT, _MIB, _MBIT = 0.01, float(2**20), 2**20 / 8

_UPLINK = re.compile(r"[^:]*:[0-9]+:(vmnic[0-9]+)")
_PORT = re.compile(r"[^:]*:[0-9]+:[0-9]+:(.+?)(?:\.(eth[0-9]+))?")
_DISK = re.compile(r"(.+):((?:scsi|sata|nvme|ide)[0-9]+:[0-9]+)")
_GROUP = re.compile(r"[0-9]+:(.+)")
_WRITE = "write it with `esxtop -b -a -d 5 -n 100 > FILE`"
_HEAD = re.compile(r"\(PDH-CSV 4\.0\) \((.*)\)\((-?[0-9]+)\)")
_COLUMN = re.compile(r"\\\\([^\\]+)\\([^\\(]+)(?:\((.*)\))?\\([^\\]+)", re.DOTALL)
_TIMES = ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S.%f")


class Meaning(NamedTuple):
    """A metric, its instance in braces, and the factor and offset from a counter to its unit."""

    metric: str
    factor: float
    offset: float = 0.0


class CounterPlace(NamedTuple):
    """The virtual machine of a counter, None for the host, and the counter's instance."""

    guest: str | None
    instance: str


_MOVED = {
    "MBytes Read/sec": (Meaning("disk/{}/read_bytes", _MIB),),
    "MBytes Written/sec": (Meaning("disk/{}/written_bytes", _MIB),),
    "Reads/sec": (Meaning("disk/{}/reads", 1),),
    "Writes/sec": (Meaning("disk/{}/writes", 1),),
}

COUNTERS: Mapping[str, Mapping[str, tuple[Meaning, ...]]] = {
    "Physical Cpu": {
        "% Util Time": (
            Meaning("cpu/{}/user_s", _PERCENT),
            Meaning("cpu/{}/idle_s", -_PERCENT, 1.0),
        )
    },
    "Memory": {
        "Free MBytes": (Meaning("memory/available_bytes", _MIB),),
        "Swap Used MBytes": (Meaning("memory/swap_used_bytes", _MIB),),
    },
    "Physical Disk SCSI Device": _MOVED,
    "Virtual Disk": _MOVED,
    "Network Port": {
        "MBits Received/sec": (Meaning("nic/{}/rx_bytes", _MBIT),),
        "MBits Transmitted/sec": (Meaning("nic/{}/tx_bytes", _MBIT),),
        "Packets Received/sec": (Meaning("nic/{}/rx_packets", 1),),
        "Packets Transmitted/sec": (Meaning("nic/{}/tx_packets", 1),),
    },
    "Group Cpu": {
        "% Run": (Meaning("cpu/all/user_s", _PERCENT),),
        "% Idle": (Meaning("cpu/all/idle_s", _PERCENT),),
        "% Ready": (Meaning("cpu/all/steal_s", _PERCENT),),
        "% Max Limited": (Meaning("cpu/all/throttled_s", _PERCENT),),
    },
}
"""Counters by their object."""


def place_of(kind: str, instance: str) -> CounterPlace | None:
    """Return the place of an object's instance; None if other counters already include it.

    These are ``_Total``, the sum of a virtual machine's disks and the hypervisor's own ports.
    """
    match kind:
        case "Network Port":
            if uplink := _UPLINK.fullmatch(instance):
                return CounterPlace(None, uplink[1])
            port = _PORT.fullmatch(instance)
            return CounterPlace(port[1], port[2] or "eth0") if port else None
        case "Virtual Disk":
            disk = _DISK.fullmatch(instance)
            return CounterPlace(disk[1], disk[2]) if disk else None
        case "Group Cpu":
            group = _GROUP.fullmatch(instance)
            return CounterPlace(group[1], "all") if group else None
        case _:
            return None if instance == "_Total" else CounterPlace(None, instance)


class _Column(NamedTuple):
    """A column with a metric: its number (0 is the time), its machine and its meaning."""

    number: int
    machine: str
    metric: str
    meaning: Meaning


def is_esxtop(head: str) -> bool:
    """Whether a file with this beginning may be one of ``esxtop -b``."""
    return head.lstrip('\ufeff"').startswith("(PDH-CSV")


def read_esxtop(text: str, where: str, machines: Machines) -> Imported:
    """Read the output of ``esxtop -b`` about a host and the run's virtual machines on it.

    Values are averages since the line before, so the first line only starts the second one's interval. A
    truncated last line, as after Ctrl-C, is left out. Raises UserError with ``where``.
    """
    # Every complete line ends with a line feed.
    whole, _, torn = text.lstrip("\ufeff").rpartition("\n")
    unmapped: dict[str, set[str]] = {"the last line, which is truncated": set()} if torn.strip() else {}
    try:
        header, *rows = csv.reader(StringIO(whole))
    except (csv.Error, ValueError) as error:
        raise UserError(where, "is truncated in its first line, or not CSV", _WRITE) from error
    to_utc = _to_utc(header[0], where)
    columns = list(_columns(header, machines, where, unmapped))
    stretches: list[Stretch] = []
    before_s: float | None = None
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            problem = f"line {number} has {len(row)} columns, the first {len(header)}"
            raise UserError(where, problem, _WRITE)
        now_s = (_time(row[0], where) + to_utc).timestamp()
        if before_s is not None:
            stretches += _stretches(columns, row, before_s, now_s, where)
        before_s = now_s
    return Imported(sum_stretches(stretches), columns_in_words(unmapped))


def _to_utc(title: str, where: str) -> timedelta:
    """Return the file's difference to UTC, which Windows writes in minutes."""
    head = _HEAD.fullmatch(title)
    if head is None:
        raise UserError(where, f"begins with {title[:60]!r}, not with a time zone", _WRITE)
    return timedelta(minutes=int(head[2]))


def _columns(
    header: Sequence[str], machines: Machines, where: str, unmapped: dict[str, set[str]]
) -> Iterator[_Column]:
    for index, name in enumerate(header[1:], start=1):
        match = _COLUMN.fullmatch(name)
        if match is None:
            raise UserError(where, f"column {index + 1} is {name[:60]!r}, not a counter of esxtop", _WRITE)
        host, kind, instance, counter = match.groups(default="")
        meanings = COUNTERS.get(kind, {}).get(counter)
        if meanings is None:
            unmapped.setdefault(kind, set()).add(counter)
            continue
        place = place_of(kind, instance)
        if place is None:
            continue
        # Groups are virtual machines or the hypervisor's own processes.
        machine = machines.of(host, where) if place.guest is None else machines.find(place.guest)
        if machine is not None:
            for meaning in meanings:
                metric = meaning.metric.format(place.instance.replace("/", "!"))
                yield _Column(index, machine, metric, meaning)


def _time(text: str, where: str) -> datetime:
    for form in _TIMES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise UserError(where, f"{text!r} is not a time in esxtop's format", "as in 11/21/2026 16:38:20")


def _stretches(
    columns: Sequence[_Column], row: Sequence[str], start_s: float, end_s: float, where: str
) -> Iterator[Stretch]:
    for column in columns:
        text = row[column.number]
        try:
            # A virtual machine that started later has empty columns before.
            value = float(text) if text.strip() else None
        except ValueError as error:
            raise UserError(where, f"{text!r} is not a number", _WRITE) from error
        if value is not None:
            value = max(0.0, value * column.meaning.factor + column.meaning.offset)
            yield Stretch(column.machine, column.metric, start_s, end_s, value)

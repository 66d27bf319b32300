"""What ``esxtop -b`` writes: a CSV in the form of Windows' performance counters (PDH-CSV 4.0)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import NamedTuple

from howdah.errors import UserError
from howdah.telemetry.importers.esxtop_table import COUNTERS, Meaning, place_of
from howdah.telemetry.importers.machines import Machines
from howdah.telemetry.importers.stretch import Imported, Stretch, summed

_WRITE = "write it with `esxtop -b -a -d 5 -n 100 > FILE`"
_HEAD = re.compile(r"\(PDH-CSV 4\.0\) \((.*)\)\((-?[0-9]+)\)")
_COLUMN = re.compile(r"\\\\([^\\]+)\\([^\\(]+)(?:\((.*)\))?\\([^\\]+)", re.DOTALL)
_TIMES = ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S.%f")


class _Column(NamedTuple):
    """A column that has a metric: its number (0 is the time), its machine, and what it means."""

    number: int
    machine: str
    metric: str
    meaning: Meaning


def is_esxtop(head: str) -> bool:
    """Whether a file that begins so may be one of ``esxtop -b``."""
    return head.lstrip('\ufeff"').startswith("(PDH-CSV")


def read_esxtop(text: str, where: str, machines: Machines) -> Imported:
    """Read what ``esxtop -b`` wrote of a host and of those of its virtual machines that the run knows.

    Values are averages since the line before, so the first line only begins the second one's. A last
    line that is cut off, as Ctrl-C leaves it, is left out. Raises UserError naming ``where`` it stands.
    """
    rows = csv.reader(StringIO(text.lstrip("\ufeff")))
    header = next(rows)
    head = _HEAD.fullmatch(header[0])
    if head is None:
        raise UserError(where, f"begins with {header[0]!r}, not with (PDH-CSV 4.0) and a time zone", _WRITE)
    # As Windows writes it: the minutes that local time lacks to UTC.
    to_utc = timedelta(minutes=int(head[2]))
    left_out: set[str] = set()
    columns = list(_columns(header, machines, where, left_out))
    stretches: list[Stretch] = []
    before_s: float | None = None
    for row in _whole(rows, len(header), where, left_out):
        now_s = (_time(row[0], where) + to_utc).timestamp()
        if before_s is not None:
            stretches += _stretches(columns, row, before_s, now_s, where)
        before_s = now_s
    return Imported(summed(stretches), tuple(sorted(left_out)))


def _columns(header: Sequence[str], machines: Machines, where: str, left_out: set[str]) -> Iterator[_Column]:
    for index, name in enumerate(header[1:], start=1):
        match = _COLUMN.fullmatch(name)
        if match is None:
            raise UserError(where, f"column {index + 1} is {name[:60]!r}, no counter of esxtop's", _WRITE)
        host, kind, instance, counter = match.groups(default="")
        meanings = COUNTERS.get(kind, {}).get(counter)
        if meanings is None:
            left_out.add(f"{kind} {counter}")
            continue
        place = place_of(kind, instance)
        if place is None:
            continue
        # Groups are virtual machines and the hypervisor's own processes alike.
        machine = machines.of(host, where) if place.guest is None else machines.find(place.guest)
        if machine is not None:
            for meaning in meanings:
                metric = meaning.metric.format(place.instance.replace("/", "!"))
                yield _Column(index, machine, metric, meaning)


def _whole(rows: Iterator[list[str]], width: int, where: str, left_out: set[str]) -> Iterator[list[str]]:
    """The lines with all their columns; only the last one may be cut off."""
    torn = 0
    for number, row in enumerate(rows, start=2):
        if torn:
            raise UserError(where, f"line {torn} has not the {width} columns of the first", _WRITE)
        if len(row) == width:
            yield row
        elif row:
            torn = number
    if torn:
        left_out.add("the last line, which is cut off")


def _time(text: str, where: str) -> datetime:
    for form in _TIMES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise UserError(where, f"{text!r} is no time of esxtop's", "as in 11/21/2026 16:38:20")


def _stretches(
    columns: Sequence[_Column], row: Sequence[str], start_s: float, end_s: float, where: str
) -> Iterator[Stretch]:
    for column in columns:
        text = row[column.number]
        try:
            # What came after the first line began is empty in the lines before.
            value = float(text) if text.strip() else None
        except ValueError as error:
            raise UserError(where, f"{text!r} is no number", _WRITE) from error
        if value is not None:
            value = max(0.0, value * column.meaning.factor + column.meaning.offset)
            yield Stretch(column.machine, column.metric, start_s, end_s, value)

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
from howdah.telemetry.importers.stretch import Imported, Stretch, named, summed

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
    # Every line that was written whole ends in a line's end.
    whole, _, torn = text.lstrip("\ufeff").rpartition("\n")
    left_out: dict[str, set[str]] = {"the last line, which is cut off": set()} if torn.strip() else {}
    try:
        header, *rows = csv.reader(StringIO(whole))
    except (csv.Error, ValueError) as error:
        raise UserError(where, "is cut off within its first line, or no CSV", _WRITE) from error
    to_utc = _to_utc(header[0], where)
    columns = list(_columns(header, machines, where, left_out))
    stretches: list[Stretch] = []
    before_s: float | None = None
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            what = f"line {number} has {len(row)} columns, the first {len(header)}"
            raise UserError(where, what, _WRITE)
        now_s = (_time(row[0], where) + to_utc).timestamp()
        if before_s is not None:
            stretches += _stretches(columns, row, before_s, now_s, where)
        before_s = now_s
    return Imported(summed(stretches), named(left_out))


def _to_utc(title: str, where: str) -> timedelta:
    """What makes the file's times those of UTC: as Windows says it, the minutes that they lack to it."""
    head = _HEAD.fullmatch(title)
    if head is None:
        raise UserError(where, f"begins with {title[:60]!r}, not with a time zone", _WRITE)
    return timedelta(minutes=int(head[2]))


def _columns(
    header: Sequence[str], machines: Machines, where: str, left_out: dict[str, set[str]]
) -> Iterator[_Column]:
    for index, name in enumerate(header[1:], start=1):
        match = _COLUMN.fullmatch(name)
        if match is None:
            raise UserError(where, f"column {index + 1} is {name[:60]!r}, no counter of esxtop's", _WRITE)
        host, kind, instance, counter = match.groups(default="")
        meanings = COUNTERS.get(kind, {}).get(counter)
        if meanings is None:
            left_out.setdefault(kind, set()).add(counter)
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


def _time(text: str, where: str) -> datetime:
    for form in _TIMES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise UserError(where, f"{text!r} is not a time of esxtop's", "as in 11/21/2026 16:38:20")


def _stretches(
    columns: Sequence[_Column], row: Sequence[str], start_s: float, end_s: float, where: str
) -> Iterator[Stretch]:
    for column in columns:
        text = row[column.number]
        try:
            # What came after the first line began is empty in the lines before.
            value = float(text) if text.strip() else None
        except ValueError as error:
            raise UserError(where, f"{text!r} is not a number", _WRITE) from error
        if value is not None:
            value = max(0.0, value * column.meaning.factor + column.meaning.offset)
            yield Stretch(column.machine, column.metric, start_s, end_s, value)

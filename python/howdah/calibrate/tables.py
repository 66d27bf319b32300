"""Published tables: comma-separated text, described in its first lines, which begin with #."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howdah.calibrate.case import Unsure, is_load, median_spread
from howdah.calibrate.study import PublishedStudy, PublishedTable, RepeatColumns
from howdah.errors import UserError
from howdah.units import MIB

_BLANK = ("", "-")
_TB = 10**12
_COUNTS = frozenset(("hosts", "slots", "sort_factor", "sort_MB", "replication"))  # Whole numbers.
_PROTECTED = {True: "FT", False: "no FT"}
_NAME = re.compile(
    r"(?P<study>\S+) (?P<platform>.+) (?P<dataset>[0-9.]+) TB r(?P<read>\d+)(?:/(?P<sorted>\d+))?"
    r"(?: (?P<block>\d+) MiB)?(?: (?P<protected>FT|no FT))?"
    r"(?: (?P<hosts>\d+) hosts)?(?: (?P<slots>\d+) slots)?(?: sort (?P<factor>\d+) in (?P<buffer>\d+) MB)?"
)


class SortSetting(NamedTuple):
    """Hadoop 1's `io.sort` settings: runs merged at once, and a map's buffer in MiB."""

    factor: int
    buffer_mb: int


class StudySetting(NamedTuple):
    """What distinguishes one run of a study from its others; what its tables do not vary is None.

    ``replication`` is that of what TeraGen wrote, ``output_replication`` that of what TeraSort wrote.
    """

    platform: str
    dataset_bytes: int
    replication: int
    output_replication: int
    block_bytes: int | None = None
    protected: bool | None = None
    hosts: int | None = None
    slots: int | None = None
    sort: SortSetting | None = None


class KnownFigure(NamedTuple):
    """One published cell."""

    setting: StudySetting
    quantity: str
    value: float  # The figure: seconds, or per cent of a core.
    where: str
    unsure: Unsure


def rows_of(text: str, file: str) -> list[dict[str, str]]:
    """The rows of a table by column; raises UserError for a line with too few or too many fields."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if not line.startswith("#")]
    parsed = list(csv.reader(line for _, line in lines))
    if not parsed:
        raise UserError(file, "contains no table", "a line of column names, then a line for each row")
    head, *body = parsed
    for (number, _), fields in zip(lines[1:], body, strict=True):
        if len(fields) != len(head):
            raise UserError(
                f"{file}:{number}", f"has {len(fields)} fields, its header has {len(head)}", "quote commas"
            )
    return [dict(zip(head, fields, strict=True)) for fields in body]


def table_figures(
    study: PublishedStudy, table: PublishedTable, text: str, file: str
) -> Iterator[KnownFigure]:
    """Every cell of a study's table that is not blank; raises UserError for what does not fit the study."""
    rows = rows_of(text, file)
    if table.transposed:
        rows = _transposed(study, rows, table)
    columns = {*table.quantities, *table.settings}
    if rows and (missing := sorted(columns - rows[0].keys())):
        hint = f"{study.title} has {', '.join(sorted(columns))}"
        raise UserError(file, f"has no column {missing[0]}", hint)
    for row in rows:
        setting = _setting(study, table, row, file)
        for column, quantity in table.quantities.items():
            if row[column].strip() not in _BLANK:
                where = f"{file}: {column}"
                value = _positive(row[column], where)
                repeats = table.repeats.get(column)
                unsure = Unsure(
                    rounding=_rounding(row[column], 1.0 if is_load(quantity) else value),
                    runs=_of_runs(repeats, row, file, value) if repeats else None,
                )
                yield KnownFigure(setting, quantity, value, where, unsure)


def _rounding(text: str, unit: float) -> float:
    """The standard deviation that comes with a number's last digit."""
    _, _, decimals = text.strip().partition(".")
    return 10.0 ** -len(decimals) / math.sqrt(12) / unit


def _of_runs(repeats: RepeatColumns, row: dict[str, str], file: str, median: float) -> float | None:
    """The standard deviation of a median of runs, relative to it; None for a single run."""
    least, most, runs = (
        _positive(row[column], f"{file}: {column}") for column in (repeats.least, repeats.most, repeats.runs)
    )
    return median_spread(least, most, round(runs)) / median if runs >= 2 else None


def has_figures(table: PublishedTable, text: str, file: str) -> bool:
    """Whether a file has any figure of a table; raises UserError for a file that is no table."""
    rows = rows_of(text, file)
    names = {next(iter(row.values())) for row in rows} if table.transposed else {*rows[0]} if rows else set()
    return not names.isdisjoint(table.quantities)


def _transposed(
    study: PublishedStudy, rows: Sequence[dict[str, str]], table: PublishedTable
) -> list[dict[str, str]]:
    """A table with platforms as columns, turned: a row for each platform. Other columns are remarks."""
    key = next(iter(rows[0]))
    platforms = [column for column in rows[0] if study.platform(column)]
    (named,) = table.settings
    return [{named: platform} | {row[key]: row[platform] for row in rows} for platform in platforms]


def _setting(study: PublishedStudy, table: PublishedTable, row: dict[str, str], file: str) -> StudySetting:
    cells = {meaning: row[column].strip() for column, meaning in table.settings.items()}
    label = cells.get("platform", table.platform or "")
    platform = study.platform(label)
    if platform is None:
        labels = ", ".join(choice.label for choice in study.platforms)
        raise UserError(file, f"{label!r} is not a platform of {study.title}", f"one of {labels}")
    dataset = table.dataset or 0
    if "dataset_TB" in cells:
        dataset = round(_positive(cells["dataset_TB"], f"{file}: dataset_TB") * _TB)
    block = None
    if "block_MB" in cells:
        block = round(_positive(cells["block_MB"], f"{file}: block_MB") * MIB)
    protected = {"on": True, "off": False}.get(cells.get("protection", ""))
    counts = {
        meaning: round(_positive(cells[meaning], f"{file}: {column}"))
        for column, meaning in table.settings.items()
        if meaning in _COUNTS
    }
    replication = counts.get("replication", table.replication)
    if replication is None:
        raise UserError(file, "has no replicas of the input", "name a column of them, or give replication")
    sort = None
    if "sort_factor" in counts and "sort_MB" in counts:
        sort = SortSetting(counts["sort_factor"], counts["sort_MB"])
    hosts, slots = counts.get("hosts"), counts.get("slots")
    output = table.output_replication
    return StudySetting(platform.label, dataset, replication, output, block, protected, hosts, slots, sort)


def _positive(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        hint = "leave a cell empty if its value is unknown"
        raise UserError(where, f"{text!r} is not a number", hint) from error
    if not math.isfinite(value) or value <= 0:
        raise UserError(where, f"{text} is not a time or load", "a number above 0")
    return value


class NamedRun(NamedTuple):
    """A published run as it is named."""

    study: str
    setting: StudySetting


def run_name(run: NamedRun) -> str:
    """The run's name; what all runs of its study share is left out."""
    setting = run.setting
    parts = [run.study, setting.platform, f"{setting.dataset_bytes / _TB:.12g} TB"]
    replicas = (setting.replication, setting.output_replication)
    parts.append("r" + "/".join(str(replica) for replica in dict.fromkeys(replicas)))
    if setting.block_bytes is not None:
        parts.append(f"{setting.block_bytes // MIB} MiB")
    if setting.protected is not None:
        parts.append(_PROTECTED[setting.protected])
    if setting.hosts is not None:
        parts.append(f"{setting.hosts} hosts")
    if setting.slots is not None:
        parts.append(f"{setting.slots} slots")
    if setting.sort is not None:
        parts.append(f"sort {setting.sort.factor} in {setting.sort.buffer_mb} MB")
    return " ".join(parts)


def named_run(name: str) -> NamedRun | None:
    """The published run of this name; None for the name of anything else, such as a user's run."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    block, protected = match["block"], match["protected"]
    setting = StudySetting(
        platform=match["platform"],
        dataset_bytes=round(float(match["dataset"]) * _TB),
        replication=int(match["read"]),
        output_replication=int(match["sorted"] or match["read"]),
        block_bytes=int(block) * MIB if block else None,
        protected=protected == _PROTECTED[True] if protected else None,
        hosts=int(match["hosts"]) if match["hosts"] else None,
        slots=int(match["slots"]) if match["slots"] else None,
        sort=SortSetting(int(match["factor"]), int(match["buffer"])) if match["factor"] else None,
    )
    return NamedRun(match["study"], setting)

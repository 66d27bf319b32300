"""Values of the record as a report writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from howdah.model.papers import PAPERS
from howdah.model.workloads.suite import programs
from howdah.report.document import Table, TableStyle
from howdah.units import format_bits_per_s, format_bytes, format_memory, format_rate, format_seconds

_CITED = re.compile(r"\b(D[0-4]) ?(\d)?")
_OWN = re.compile(r"\bX(\d+)\b")


def source_text(source: str) -> str:
    """What a setting cites, in words: ``D0 50`` is ``vSphere 6 study, item 50``."""

    def named(cited: re.Match[str]) -> str:
        return f"{PAPERS[cited[1]].name}, {f'item {cited[2]}' if cited[2] else ''}"

    return _OWN.sub(r"howdah, note \1", _CITED.sub(named, source))


def cited(sources: Iterable[str]) -> str:
    """One line that names every paper the sources cite; empty where they cite none."""
    names = {match[1] for source in sources for match in _CITED.finditer(source)}
    papers = [f"{paper.name}: {paper.title}" for key, paper in PAPERS.items() if key in names]
    if not papers:
        return ""
    return f"{'; '.join(papers)}. Items are numbered as howdah lists them: `howdah rules`."


NONE = "–"  # What stands where the record holds nothing.
UNKNOWN = "unknown"  # What stands where runs give no interval, or one that rules nothing out.
Value = TypeVar("Value")


def optional(value: Value | None, text: Callable[[Value], str]) -> str:
    """The text of a value; a dash for None."""
    return NONE if value is None else text(value)


def table_of(
    items: Iterable[Any],
    columns: str,
    title: str = "",
    about: str = "",
    *,
    label: str = "",
    style: TableStyle = "",
    fold: bool = False,
    **cells: Callable[[Any], object],
) -> Table:
    """A row for each item; headings with templates of cells, ``job {workload} | took {elapsed_s:s} | …``.

    Braces are filled as those of findings: with an attribute of a row's item (``{1.run}`` of the second in a
    tuple), or with what the function of that name in ``cells`` returns. A dash stands for None.
    """
    parts = (part.strip().partition(" {") for part in columns.split("|"))
    texts = {heading: _cell(f"{{{template}", cells) for heading, _, template in parts}
    rows = tuple(tuple(text(item) for text in texts.values()) for item in items)
    return Table(tuple(texts), rows, title, about, label, style, fold)


def _cell(template: str, cells: dict[str, Callable[[Any], object]]) -> Callable[[Any], str]:
    # Plans are made and shown without the analysis until a table of theirs is written.
    from howdah.analysis.wording import filled  # noqa: PLC0415

    used = {name: cell for name, cell in cells.items() if f"{{{name}" in template}

    def text(item: Any) -> str:
        of = item if type(item) in (tuple, list) else (item,)
        return optional(filled(template, *of, **{name: cell(item) for name, cell in used.items()}), str)

    return text


def three_digits(value: float) -> str:
    """A number with three significant digits, never as a power of ten: ``0.0000106``, ``1,230``, ``12.3``."""
    text = f"{value:.3g}"
    if "e" not in text:
        return text
    return f"{value:,.0f}" if abs(value) >= 1 else f"{float(text):.12f}".rstrip("0")


def in_unit(value: float, unit: str) -> str:
    """A finding's number with its unit; ``1`` is that of a count or a ratio."""
    if unit in _IN_UNITS:
        return _IN_UNITS[unit](value)
    if unit == "1":
        return f"{value:,.0f}" if value == int(value) else three_digits(value)
    return f"{value:.3g} %" if unit == "%" else f"{three_digits(value)} {unit}"


def sentence(text: str) -> str:
    """The text with a capital and a full stop; a workload's name or a path keeps its first letter."""
    first = text.split(" ", 1)[0].rstrip(":,;")
    if first.isalpha() and first not in programs():
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def signed_bytes(value: float | None) -> str:
    """A volume or a difference of volumes, with a true minus sign; a dash for None."""
    if value is None:
        return NONE
    if abs(value) < 0.5:
        return "0 B"
    return f"\N{MINUS SIGN}{format_bytes(-value)}" if value < 0 else format_bytes(value)


_IN_UNITS = {"s": format_seconds, "B": signed_bytes, "B/s": format_rate, "bit/s": format_bits_per_s}


def moment(iso: str) -> str:
    """A record's time of creation for people: ``20 November 2026, 17:14 UTC``; as it is if unreadable."""
    try:
        created = datetime.fromisoformat(iso).astimezone(UTC)
    except ValueError:
        return iso
    return f"{created.day} {created:%B %Y, %H:%M} UTC"


_SETTINGS_IN = {"memory": format_memory, "file size": format_memory, "sample interval": format_seconds}
"""How the settings that have a unit are written; a plan holds them in bytes and seconds."""


def setting(key: str, value: int | float | str | bool | tuple[str, ...]) -> str:
    """A plan's value: with its unit where it has one, thousands separated, lists with commas."""
    write = _SETTINGS_IN.get(key)
    if write is not None and isinstance(value, (int, float)):
        return write(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value)

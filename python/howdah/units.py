"""Numbers as people write them, and back.

Inside howdah everything is SI base units: bytes, seconds, rows. KiB, MiB and GiB are powers of
1024; kB, MB and GB powers of 1000, as in Hadoop's own papers. A count takes k, M, B (10⁹) or T.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation

from howdah.errors import UserError

KIB = 1024
MIB = 1024**2
GIB = 1024**3

_BYTE_UNITS = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "pb": 10**15,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40, "pib": 2**50,
}  # fmt: skip
_COUNT_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9, "t": 10**12}
_DURATION = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(ms|s|min|m|h|d|w)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_LINK_SPEED = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([MGTmgt])(?:b(?:it)?/s|bps|bE|be|bit)\s*$")
_BITS = re.compile(r"[KMGTP]i?b\s*$")
_NUMBER = re.compile(r"^\s*(\d[\d_,]*(?:\.\d+)?)\s*([A-Za-z]*)\s*$")


def _parse(text: str, units: dict[str, int], where: str, examples: str) -> int:
    match = _NUMBER.match(text)
    factor = units.get(match.group(2).lower()) if match else None
    if match is None or factor is None:
        raise UserError(where, f"{text!r} is not a quantity", f"give for instance {examples}")
    try:
        value = Decimal(re.sub("[_,]", "", match.group(1))) * factor
    except InvalidOperation as error:
        raise UserError(where, f"{text!r} is not a quantity", f"give for instance {examples}") from error
    if value != value.to_integral_value():
        raise UserError(where, f"{text!r} is not a whole number", f"give for instance {examples}")
    return int(value)


def parse_bytes(text: str, where: str) -> int:
    """Parse ``1GB``, ``512MiB`` or plain ``4096`` into bytes; raise UserError naming ``where``.

    ``gb`` is taken for GB, but ``Gb`` are gigabits and refused.
    """
    if _BITS.search(text):
        raise UserError(where, f"{text!r} is in bits", f"bytes have a capital B: {text.strip()[:-1]}B")
    return _parse(text, _BYTE_UNITS, where, "512MiB, 2GiB or 1GB")


def parse_volume(text: str, where: str, hint: str) -> int:
    """Bytes of data above zero, with their unit; raise UserError, because a bare number may mean any unit."""
    size = parse_bytes(text, where)
    if not any(letter.isalpha() for letter in text):
        raise UserError(where, f"{text.strip()} has no unit", hint)
    if size == 0:
        raise UserError(where, f"{text.strip()} is zero", hint)
    return size


def parse_count(text: str, where: str) -> int:
    """Parse ``10M``, ``1.5B`` or ``10_000_000`` into a count; raise UserError naming ``where``."""
    return _parse(text, _COUNT_UNITS, where, "1000000, 10M or 1B")


def parse_bits_per_s(text: str, where: str) -> int:
    """Parse a link speed, ``10Gb/s``, ``10GbE`` or ``100Mbit/s``, into bits per second."""
    match = _LINK_SPEED.match(text)
    if match is None:
        raise UserError(where, f"{text!r} is not a link speed", "give for instance 10Gb/s or 25GbE")
    return int(Decimal(match.group(1)) * {"m": 10**6, "g": 10**9, "t": 10**12}[match.group(2).lower()])


def parse_duration(text: str) -> float | None:
    """Seconds of ``500ms``, ``20s``, ``2min``, ``1.5h`` or ``7d``, which may be infinity; None otherwise."""
    match = _DURATION.fullmatch(text)
    return float(match[1]) * _SECONDS[match[2]] if match else None


def exact_bytes(value: int) -> str:
    """A size that reads back as the same number: ``241GiB``, ``600GB``, ``61695MiB``."""
    for unit in ("TiB", "GiB", "TB", "GB", "MiB", "MB", "KiB", "kB"):
        factor = _BYTE_UNITS[unit.lower()]
        if value and value % factor == 0:
            return f"{value // factor}{unit}"
    return f"{value}B"


def exact_bits_per_s(value: int) -> str:
    """A link speed that reads back as the same number: ``10Gb/s``."""
    if value % 10**9 == 0:
        return f"{value // 10**9}Gb/s"
    return f"{Decimal(value) / 10**6:f}Mb/s"


def exact_decimal(value: float) -> str:
    """A number that reads back as the same one, without an exponent: ``0.0005``, ``2592000``."""
    text = f"{Decimal(repr(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _significant(value: float) -> str:
    # The bounds are where rounding would make a fourth digit.
    if value >= 99.95:
        return f"{value:.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}"


def _scaled(value: float, steps: list[tuple[float, str]], smallest: str) -> str:
    for factor, name in steps:
        # A value that would print as 1000 of one unit is shown in the next unit.
        if abs(value) >= factor * 0.9995:
            return f"{_significant(value / factor)} {name}"
    return f"{value:.0f} {smallest}"


def format_bytes(value: float) -> str:
    """Data volumes, 1000-based with three digits: ``1.00 GB``."""
    return _scaled(value, [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")], "B")


def format_memory(value: float) -> str:
    """Memory sizes, 1024-based, trailing zeros dropped: ``2 GiB``, ``23.4 GiB``."""
    for factor, name in [(2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")]:
        # A value that would print as 1024 of one unit is shown in the next unit.
        if abs(value) >= factor * (1 - 0.05 / 1024):
            text = f"{value / factor:.1f}"
            return f"{text.removesuffix('.0')} {name}"
    return f"{value:.0f} B"


def format_gib(value: float) -> str:
    """Memory in GiB, with two digits where they are needed: ``60.25 GiB``, ``241 GiB``."""
    return f"{value / GIB:.2f}".rstrip("0").rstrip(".") + " GiB"


def format_rate(bytes_per_s: float) -> str:
    """Data rates, 1000-based with three digits: ``1.20 GB/s``."""
    return f"{format_bytes(bytes_per_s)}/s"


def format_bits_per_s(value: float) -> str:
    """Link speeds, 1000-based with three digits: ``18.8 Gb/s``."""
    return _scaled(value, [(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s")], "b/s")


def format_per_s(value: float) -> str:
    """How often in a second: ``1,234/s``, ``12.3/s``."""
    return f"{value:,.0f}/s" if value >= 99.95 else f"{_significant(value)}/s"


def format_count(value: int) -> str:
    """Counts with thousands separators: ``10,000,000``."""
    return f"{value:,}"


def format_percent(share: float) -> str:
    """A share as whole per cent, with one decimal below ten: ``46 %``, ``2.3 %``."""
    value = 100 * share
    return f"{value:.1f} %" if 0 < abs(value) < 9.95 else f"{value:.0f} %"


def format_signed_percent(share: float) -> str:
    """A share with its sign: ``+12 %``, ``−3.4 %``; zero has none."""
    size = format_percent(abs(share))
    if size in ("0 %", "0.0 %"):
        return "0 %"
    return f"{'+' if share > 0 else chr(0x2212)}{size}"


def format_counted(value: int, noun: str) -> str:
    """A count with its noun, which takes an s in the plural: ``1 map``, ``16,000 maps``."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def listed(names: Iterable[str], word: str = "and") -> str:
    """Names as people list them: ``a``, ``a and b``, ``a, b and c``; ``word`` stands before the last."""
    *first, last = [*names] or [""]
    return f" {word} ".join(filter(None, (", ".join(first), last)))


def format_names(names: Sequence[str], most: int = 5) -> str:
    """``a, b and 3 more``: so many names, and the number of the remaining ones."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def format_ranges(numbers: Iterable[int], separator: str = ", ") -> str:
    """Sorted numbers with runs of them joined: ``1-6, 13-20``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return separator.join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """A key for sorting that puts ``w2`` before ``w10``."""
    return tuple((int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", text))


def format_count_short(value: int) -> str:
    """Counts rounded down to three digits, as a flag takes them: ``240M``, ``10B``."""
    for factor, name in [(10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k")]:
        if value >= factor:
            digits = 2 if value < 10 * factor else 1 if value < 100 * factor else 0
            rounded = value * 10**digits // factor / 10**digits
            return f"{rounded:g}{name}"
    return str(value)


def format_seconds(value: float) -> str:
    """Durations with three digits below a minute, then minutes and hours: ``0.41 s``, ``3 min 05 s``."""
    if value == 0:
        return "0 s"
    if value < 59.95:
        return f"{_significant(value)} s"
    minutes, seconds = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {seconds:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"

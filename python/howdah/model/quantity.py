"""Quantities that people write with their unit, and that are kept as numbers.

A number without a unit is refused: 600 may be meant as bytes, gigabytes or gibibytes. Written
back, a quantity reads as the same number again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from howdah.errors import UserError
from howdah.units import exact_bits_per_s, exact_bytes, parse_bits_per_s, parse_bytes


def _with_unit(parse: Callable[[str, str], int], examples: str) -> Callable[[object], int]:
    def validate(value: object) -> int:
        if not isinstance(value, str) or value.strip().isdigit():
            raise ValueError(f"{value!r} has no unit: write for instance {examples}")
        try:
            parsed = parse(value, "")
        except UserError as error:
            raise ValueError(f"{error.what}: {error.hint}") from error
        if parsed <= 0:
            raise ValueError(f"{value!r} is nothing: write for instance {examples}")
        return parsed

    return validate


def _parse_rate(text: str, where: str) -> int:
    if not text.strip().endswith("/s"):
        raise UserError(where, f"{text!r} is not a rate", "write for instance 190MiB/s or 3GB/s")
    return parse_bytes(text.strip().removesuffix("/s"), where)


def _exact_rate(value: int) -> str:
    return f"{exact_bytes(value)}/s"


def _schema(pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]})


_UNIT = r"([kKMGTP]i?)?B"

Size = Annotated[
    int,
    BeforeValidator(_with_unit(parse_bytes, "256GiB or 600GB")),
    PlainSerializer(exact_bytes, return_type=str),
    _schema(rf"^\s*[\d_,.]+\s*{_UNIT}\s*$", "600GB"),
]
"""Bytes, written as ``600GB`` (1000-based) or ``256GiB`` (1024-based)."""

Speed = Annotated[
    int,
    BeforeValidator(_with_unit(parse_bits_per_s, "10Gb/s or 25GbE")),
    PlainSerializer(exact_bits_per_s, return_type=str),
    _schema(r"^\s*[\d.]+\s*[MGT](b(it)?/s|bps|bE|bit)\s*$", "10Gb/s"),
]
"""Bits per second of a link, written as ``10Gb/s``."""

Rate = Annotated[
    int,
    BeforeValidator(_with_unit(_parse_rate, "190MiB/s or 3GB/s")),
    PlainSerializer(_exact_rate, return_type=str),
    _schema(rf"^\s*[\d_,.]+\s*{_UNIT}/s\s*$", "190MiB/s"),
]
"""Bytes per second, written as ``190MiB/s``."""

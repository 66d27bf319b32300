"""What model classes share: their base, the error of validators, and quantities with their unit.

A number without a unit is refused: 600 may be meant as bytes, gigabytes or gibibytes. Written
back, a quantity reads as the same number again.
"""

import re
from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema

from howdah.errors import UserError
from howdah.units import exact_bits_per_s, exact_bytes, parse_bits_per_s, parse_bytes


class Model(BaseModel):
    """Immutable data that rejects unknown keys, so that a typing error in a file is not lost silently.

    JSON has no infinity and no NaN; a number that became one is written as a string and read back
    as the number it was, where pydantic's own way, null, could not be read back at all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class FilePart(Model):
    """Part of a user's file: written back under the names it was read by, sizes with their units."""

    model_config = ConfigDict(serialize_by_alias=True)


class WrongValue(ValueError):
    """A value of a document that its key cannot have: what is wrong, what would be right, and where it is.

    ``at`` leads from the value that was validated to the one at fault: ``(1, "name")`` is the name
    of its second entry.
    """

    def __init__(self, what: str, hint: str, at: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{what}: {hint}")
        self.what = what
        self.hint = hint
        self.at = at


_BARE_NUMBER = re.compile(r"\s*[+-]?[\d_,.]+\s*")
_MOST = 2**63  # No host has as much, and programs that read it could not hold more.


def _with_unit(parse: Callable[[str, str], int], examples: str) -> Callable[[object], int]:
    hint = f"write, for example, {examples}"

    def validate(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise WrongValue("is not a quantity", hint)
        text = str(value)
        if not text.strip():
            raise WrongValue("is empty", hint)
        if len(text) > 40:
            raise WrongValue("is too long for a quantity", hint)
        if text.strip().startswith("-"):
            raise WrongValue(f"{text} is negative", hint)
        if _BARE_NUMBER.fullmatch(text):
            raise WrongValue(f"{text} has no unit", hint)
        try:
            parsed = parse(text, "")
        except UserError as error:
            raise WrongValue(error.what, hint) from error
        if not 0 < parsed < _MOST:
            raise WrongValue(f"{text} is {'too much' if parsed else 'nothing'}", hint)
        return parsed

    return validate


def _parse_rate(text: str, where: str) -> int:
    if not text.strip().endswith("/s"):
        raise UserError(where, f"{text!r} is not a rate")
    return parse_bytes(text.strip().removesuffix("/s"), where)


def _schema(pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]})


_UNIT = r"([kKMGTP]i?)?B"

Size = Annotated[
    int,
    BeforeValidator(_with_unit(parse_bytes, "256GiB or 600GB")),
    PlainSerializer(exact_bytes, return_type=str),
    _schema(rf"^\s*[\d_,.]+\s*{_UNIT}\s*$", "600GB"),
]  # Bytes, written as ``600GB`` (1000-based) or ``256GiB`` (1024-based).

Speed = Annotated[
    int,
    BeforeValidator(_with_unit(parse_bits_per_s, "10Gb/s or 25GbE")),
    PlainSerializer(exact_bits_per_s, return_type=str),
    _schema(r"^\s*[\d.]+\s*[MGT](b(it)?/s|bps|bE|bit)\s*$", "10Gb/s"),
]  # Bits per second of a link, written as ``10Gb/s``.

Rate = Annotated[
    int,
    BeforeValidator(_with_unit(_parse_rate, "190MiB/s or 3GB/s")),
    PlainSerializer(lambda value: f"{exact_bytes(value)}/s", return_type=str),
    _schema(rf"^\s*[\d_,.]+\s*{_UNIT}/s\s*$", "190MiB/s"),
]  # Bytes per second, written as ``190MiB/s``.

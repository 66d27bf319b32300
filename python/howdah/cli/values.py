"""Values of flags that are neither a volume nor a count."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeVar

from howdah.errors import UserError

_MOST_SEED: Final = 2**63 - 1
_LEAST_INTERVAL_S: Final = 0.1
_LEAST_DEADLINE_S: Final = 1.0
_MEASURING_S: Final = (10.0, 3600.0)


def parse_seed(text: str) -> int:
    """A seed as given to ``--seed``; raise UserError for what is none."""
    # Nineteen digits hold every seed; a longer text need not be made a number to be refused.
    if text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= _MOST_SEED:
        return int(text)
    raise UserError("--seed", f"{text!r} is not a seed", f"give a whole number from 0 to {_MOST_SEED}")


def parse_interval(text: str) -> float:
    """Seconds as given to ``--sample-interval``; raise UserError for what is too short or no number."""
    hint = "give seconds from 0.1 to 3600"
    try:
        value = float(text)
    except ValueError as error:
        raise UserError("--sample-interval", f"{text!r} is not a number of seconds", hint) from error
    if not value >= _LEAST_INTERVAL_S:
        raise UserError("--sample-interval", f"{text} s cannot be kept up", hint)
    return value


def parse_deadline(text: str) -> float:
    """Seconds as given to ``--deadline``; raise UserError for what gives no queue a chance."""
    hint = "give seconds, 1 or more"
    try:
        value = float(text)
    except ValueError as error:
        raise UserError("--deadline", f"{text!r} is not a number of seconds", hint) from error
    if not value >= _LEAST_DEADLINE_S:
        raise UserError("--deadline", f"no queue gives a container within {text} s", hint)
    return value


def parse_measuring_time(text: str) -> float:
    """Seconds as given to ``--seconds``; raise UserError for what is too short to measure anything in."""
    least, most = _MEASURING_S
    hint = f"give seconds from {least:g} to {most:g}"
    try:
        value = float(text)
    except ValueError as error:
        raise UserError("--seconds", f"{text!r} is not a number of seconds", hint) from error
    if not least <= value <= most:
        raise UserError("--seconds", f"nothing worth keeping is measured in {text} s", hint)
    return value


_Choice = TypeVar("_Choice", bound=StrEnum)


def parse_choice(flag: str, text: str, choices: type[_Choice]) -> _Choice:
    """One of a few words; raise UserError that lists them."""
    try:
        return choices(text)
    except ValueError as error:
        raise UserError(flag, f"{text!r} is not one of its values", f"one of {', '.join(choices)}") from error

"""Values of flags that are neither a volume nor a count."""

from __future__ import annotations

from typing import Final

from howdah.errors import UserError

_MOST_SEED: Final = 2**63 - 1
_MEASURING_S: Final = (10.0, 3600.0)


def parse_seed(text: str) -> int:
    """A seed as given to ``--seed``; raise UserError for what is none."""
    # Nineteen digits hold every seed; a longer text need not be made a number to be refused.
    if text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= _MOST_SEED:
        return int(text)
    raise UserError("--seed", f"{text!r} is not a seed", f"give a whole number from 0 to {_MOST_SEED}")


def parse_measuring_time(text: str) -> float:
    """Seconds as given to ``--seconds``; raise UserError for what is too short to measure anything in."""
    least, most = _MEASURING_S
    hint = f"give seconds from {least:g} to {most:g}"
    try:
        value = float(text)
    except ValueError as error:
        raise UserError("--seconds", f"{text!r} is not a number of seconds", hint) from error
    if not least <= value <= most:
        raise UserError("--seconds", f"{text} s is too short to measure anything useful", hint)
    return value


def parse_duration(text: str, flag: str) -> float:
    """Seconds as given by ``90s``, ``40m`` or ``2h``; raise UserError for other texts."""
    number, unit = text[:-1], text[-1:]
    try:
        return float(number) * {"s": 1, "m": 60, "h": 3600}[unit]
    except (KeyError, ValueError) as error:
        raise UserError(f"{flag} {text}", "is not a duration", "give for instance 40m or 2h") from error

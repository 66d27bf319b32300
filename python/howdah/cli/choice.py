"""A flag's value that is one of a few words."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from howdah.errors import UserError

_Choice = TypeVar("_Choice", bound=StrEnum)


def parse_choice(flag: str, text: str, choices: type[_Choice]) -> _Choice:
    """One of a few words; raise UserError that lists them."""
    try:
        return choices(text)
    except ValueError as error:
        raise UserError(flag, f"{text!r} is not one of its values", f"one of {', '.join(choices)}") from error

"""Values that the user insists on: ``--set KEY=VALUE``."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.model.plan import Value
from howdah.model.request import Override
from howdah.units import parse_bytes

_TRUTHS = {"true": True, "false": False}


def typed(given: Override, like: Value) -> Value:
    """The user's text as a value of the same type as the rule's; raise UserError where it is none.

    A whole number may be written with a unit of bytes where the rule's value is a size: ``128MiB``.
    """
    where = f"--set {given.key}"
    text = given.value.strip()
    if isinstance(like, bool):
        if text.lower() not in _TRUTHS:
            raise UserError(where, f"{text!r} is neither true nor false", f"the rule gives {str(like).lower()}")
        return _TRUTHS[text.lower()]
    if isinstance(like, int):
        return _whole(text, like, where)
    if isinstance(like, float):
        try:
            return float(text)
        except ValueError as error:
            raise UserError(where, f"{text!r} is not a number", f"the rule gives {like}") from error
    if isinstance(like, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _whole(text: str, like: int, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        float(text)
    except ValueError:
        return parse_bytes(text, where)
    raise UserError(where, f"{text} is not a whole number", f"Hadoop wants one here; the rule gives {like}")

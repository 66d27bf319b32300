"""Faults of a document, each at its line and column, and the one error they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from howdah.errors import UserError

_MOST_SHOWN = 20

Keys = tuple[str | int, ...]
"""Where something is in a document: ``("groups", 0, "cpu", "sockets")``."""


class Mark(NamedTuple):
    """A place in a text, from 1."""

    line: int
    column: int


class Fault(NamedTuple):
    """One thing that is wrong, and what would be right."""

    mark: Mark
    path: Keys
    what: str
    hint: str

    def where(self, file: str) -> str:
        """The place as editors and terminals know to open it: ``hosts.yaml:12:9``."""
        return f"{file}:{self.mark.line}:{self.mark.column}"

    def said(self) -> str:
        """What is wrong, after the key it is wrong with."""
        return f"{spell(self.path)}: {self.what}" if self.path else self.what


def spell(path: Keys) -> str:
    """A path as one writes it: ``groups[0].cpu.sockets``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def error_of(file: str, faults: Sequence[Fault]) -> UserError:
    """All faults as one error: the first is its message, the others stand in the hint, a line each."""
    first, *others = sorted(faults)
    lines = [first.hint] if first.hint else []
    for fault in others[:_MOST_SHOWN]:
        right = f" ({fault.hint})" if fault.hint else ""
        lines.append(f"{fault.where(file)}: {fault.said()}{right}")
    if len(others) > _MOST_SHOWN:
        lines.append(f"and {len(others) - _MOST_SHOWN} more")
    return UserError(first.where(file), first.said(), "\n".join(lines))

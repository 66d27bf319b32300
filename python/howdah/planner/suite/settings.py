"""Decided values, each with the reason for it."""

from __future__ import annotations

from typing import TypeVar

from howdah.model.plan import Setting

T = TypeVar("T", int, float, str)


class Settings:
    """Collects values in the order they are decided; what the user gave stays theirs."""

    def __init__(self) -> None:
        self._decided: dict[str, Setting] = {}

    def choose(self, key: str, given: T | None, rule: T, *, reason: str, source: str) -> T:
        """Keep the user's value if there is one, the rule's otherwise, and note which."""
        if given is not None:
            self.note(key, given, reason="given by the user", source="command line", by_user=True)
            return given
        self.note(key, rule, reason=reason, source=source)
        return rule

    def note(
        self,
        key: str,
        value: int | float | str | tuple[str, ...],
        *,
        reason: str,
        source: str,
        by_user: bool = False,
    ) -> None:
        """Record a value that was decided elsewhere."""
        self._decided[key] = Setting(
            key=key, value=value, reason=reason, source=source, origin="user" if by_user else "rule"
        )

    def all(self) -> tuple[Setting, ...]:
        """Everything decided so far."""
        return tuple(self._decided.values())

"""A value of a document that cannot be what its key asks for."""

from __future__ import annotations


class WrongValue(ValueError):
    """Raised by validators: what is wrong, what would be right, and where, if not at the value itself.

    ``at`` leads from the value that was validated to the one at fault: ``(1, "name")`` is the name
    of its second entry.
    """

    def __init__(self, what: str, hint: str, at: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{what}: {hint}")
        self.what = what
        self.hint = hint
        self.at = at

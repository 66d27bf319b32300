"""What is asked before machines are changed: the change is shown, and done once the user agrees."""

from __future__ import annotations

import sys

import typer

from howdah.errors import Aborted, UserError


def check_json(*, json: bool, yes: bool, shows: bool, look: str = "") -> None:
    """Raise UserError for --json where a question would have to be asked; ``shows``: nothing is changed.

    ``look`` is the flag that shows the change and makes none, if there is one.
    """
    if json and not (yes or shows):
        fix = f"give {look} with it, or --yes" if look else "give --yes with it"
        raise UserError("--json", "cannot ask for confirmation", fix)


def agree(question: str, *, yes: bool) -> None:
    """Return once the user agrees to the change that was just shown, at once with --yes.

    Raises Aborted where the user does not, UserError without a terminal to ask at.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError(
            "--yes",
            "is missing, and there is no terminal to confirm at: nothing was changed",
            "the changes are listed above; give --yes to make them",
        )
    if not typer.confirm(question):
        raise Aborted("", "nothing was changed", "")

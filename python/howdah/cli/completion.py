"""Shell completion as typer gives it, which looks at the shell it runs in and at no word after it."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.errors import UserError

_FLAGS = ("--show-completion", "--install-completion")


def check_completion(arguments: Sequence[str]) -> None:
    """Raise UserError for a shell's name after a completion flag, which typer would silently ignore."""
    if len(arguments) > 1 and arguments[0] in _FLAGS:
        flag, word = arguments[:2]
        raise UserError(
            flag,
            f"completes commands in your current shell and takes no {word!r}",
            "leave it out; for another shell use, for example, `_HOWDAH_COMPLETE=source_zsh howdah`",
        )

"""Commands that are imported when they are asked for, so that a quick one starts quickly."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    # Typer bundles click and names its classes nowhere else.
    from typer._click import Command, Context

COMMANDS = {
    "probe": "probe",
    "inventory": "inventory",
    "plan": "plan",
    "plan explain": "explain",
    "render": "render",
    "check": "check",
    "rules": "rules",
    "hadoop": "hadoop",
    "lab": "lab",
    "calibrate": "calibrate",
    "run": "run",
    "runs": "runs",
    "runs attach": "attach",
    "predict": "predict",
    "score": "score",
    "compare": "compare",
    "study": "study",
    "study local": "study_local",
    "study schema": "study_schema",
    "study export": "study_export",
    "study verify": "study_verify",
}
"""The commands, in the order data flows, with the module of this package that holds the ``app`` of each."""


class LazyCommands(TyperGroup):
    """The commands of COMMANDS; one module is imported to run one, all of them to list them with their help.

    A command may be two words: ``plan`` takes a file, so ``plan explain`` cannot be a part of it.
    """

    def list_commands(self, ctx: Context) -> list[str]:
        """The names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of that name; none if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        command = typer.main.get_command(import_module(f"howdah.cli.{COMMANDS[cmd_name]}").app)
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The command that the first words name, and the words after them."""
        two = " ".join(args[:2])
        if two in COMMANDS:
            return two, self.get_command(ctx, two), args[2:]
        near = [] if args[0] in COMMANDS else difflib.get_close_matches(args[0], COMMANDS)
        if near and not ctx.resilient_parsing:
            # Typer looks for near names among commands that are imported already.
            ctx.fail(f"No such command {args[0]!r}. Did you mean {', '.join(map(repr, near))}?")
        return super().resolve_command(ctx, args)


def named_by(words: Sequence[str]) -> str:
    """The command that a command line begins with, by its whole name; empty if it begins with none."""
    plain = list(takewhile(lambda word: not word.startswith("-"), words))
    name = next((two for two in (" ".join(plain[:2]), *plain[:1]) if two in COMMANDS), "")
    if not name:
        return ""
    module = import_module(f"howdah.cli.{COMMANDS[name]}")
    below = getattr(typer.main.get_command(module.app), "commands", {})
    further = plain[len(name.split()) :][:1]
    return " ".join([name, *(word for word in further if word in below)])

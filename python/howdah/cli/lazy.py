"""Commands that are imported when they are asked for, so that a quick one starts quickly."""

from __future__ import annotations

from importlib import import_module

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = ("probe", "run", "runs")
"""The commands, in the order data flows; each is the module of this package that holds its ``app``."""


class LazyCommands(TyperGroup):
    """The commands of COMMANDS; one module is imported to run one, all of them to list them with their help."""

    def list_commands(self, ctx: typer.Context) -> list[str]:
        """The names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperGroup | TyperCommand | None:
        """The command of that name; none if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        command = typer.main.get_command(import_module(f"howdah.cli.{cmd_name}").app)
        assert isinstance(command, TyperGroup | TyperCommand)
        command.name = cmd_name
        return command

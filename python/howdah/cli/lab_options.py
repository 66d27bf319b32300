"""What commands of a laboratory have in common: its name, its machines, their completion, progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from howdah.cli.help import HelpfulCommand
from howdah.errors import UserError
from howdah.lab.registry import CLIENT, DEFAULT_NAME
from howdah.session.lab import laboratories as session

if TYPE_CHECKING:
    from typer._click import Context


class OfALab(HelpfulCommand):
    """A command of a laboratory, whose name is a flag's: many give it as an argument first."""

    allow_extra_args = True

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the arguments; raises UserError for one too many."""
        left = super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            raise UserError(
                ctx.args[0],
                "is an unexpected argument",
                f"name a lab by a flag: --name {ctx.args[0]}",
            )
        return left


def labs(incomplete: str) -> list[str]:
    return [name for name in session.names() if name.startswith(incomplete)]


def _machines(context: typer.Context, incomplete: str) -> list[str]:
    lab = context.params.get("name") or DEFAULT_NAME
    return [name for name in session.machine_names(lab) if name.startswith(incomplete)]


def _machines_and_hosts(context: typer.Context, incomplete: str) -> list[str]:
    lab = context.params.get("name") or DEFAULT_NAME
    hosts = [name for name in session.host_names(lab) if name.startswith(incomplete)]
    return [*_machines(context, incomplete), *hosts]


def places(context: typer.Context, incomplete: str) -> list[str]:
    client = [CLIENT] if CLIENT.startswith(incomplete) else []
    return [*_machines(context, incomplete), *client]


def daemons_there(context: typer.Context, incomplete: str) -> list[str]:
    lab = context.params.get("name") or DEFAULT_NAME
    daemons = session.daemon_names(lab, context.params.get("machine") or "")
    return [name for name in daemons if name.startswith(incomplete)]


Name = Annotated[str, typer.Option("--name", help="Name of the lab.", autocompletion=labs)]
Machine = Annotated[
    str,
    typer.Argument(
        help="Host name of a worker or master, or a host with all its machines.",
        autocompletion=_machines_and_hosts,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def progress(*, silent: bool) -> Iterator[Callable[[str], None]]:
    """A moving line in a terminal, one for each step in a pipe."""
    console = Console(stderr=True, highlight=False, quiet=silent)
    if console.is_terminal:
        with console.status("") as moving:
            yield moving.update
        return
    last = ""

    def tell(text: str) -> None:
        nonlocal last
        if text != last:
            console.print(text, soft_wrap=True)
        last = text

    yield tell

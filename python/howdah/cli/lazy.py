"""Commands that are imported when they are asked for, so that a quick one starts quickly."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import typer
from typer.core import TyperCommand

from howdah.cli.help import HelpfulGroup

if TYPE_CHECKING:
    # Typer bundles click and names its classes nowhere else.
    from typer._click import Command, Context
    from typer._click.formatting import HelpFormatter
    from typer._click.shell_completion import CompletionItem

_HEADINGS = {"P": "Plan a cluster", "B": "Build it", "M": "Measure it", "C": "Predict and compare", "-": ""}
_MODULES = {"calibrate": "predict", "score": "compare"}  # Of other commands, the first word.


class Lazy(NamedTuple):
    """A command before it is imported."""

    module: str
    heading: str  # Empty for a command of two words, which the help of the first word lists.
    help: str  # Its line in a list of commands; a test compares it with the command's own.


_ROWS = """
P probe: Describe this machine: processors, memory, disks, file systems, network, virtualisation.
P inventory: Create and check the list of hosts that `howdah plan` reads.
P plan: Plan a cluster: how to divide, place and configure these hosts, with a reason for every number.
- plan explain: Explain a value of a plan (its rule, inputs and source), a platform or a master.
- plan storage: Compare replicas and erasure coding: disks, network, CPU, repair, and what each survives.
P render: Write the files a planned cluster needs: Hadoop, HBase, system, disks, network, hypervisor.
B provision: Create a plan's virtual machines in a vCenter or with libvirt, after showing each change.
- provision schema: Print the JSON schema of sites (draft 2020-12), for editors that complete and check them.
B deploy: Deploy the planned cluster over ssh: users, disks, releases, configuration, daemons in order.
P check: Check a configuration, this machine and saved probes against the rules.
P rules: List the rules behind plans and checks, or explain one.
B hadoop: Fetch Hadoop's released jars, or show which Hadoop would be used.
B lab: Build a small data centre on this machine from a plan, with Hadoop and HBase running in it.
M run: Run a suite, keep its record, and report what limited it.
M runs: List, show, export and import run records.
M jobs: Rank finished jobs by what they waste, and import histories.
C calibrate: Calibrate the simulator: fit its parameters to known runs.
C predict: Predict a run on a planned cluster: times of workloads and phases.
C tune: Search for a faster specification in the simulator, starting from a plan.
C score: Compare a prediction with the run that followed, phase by phase, and show the accuracy so far.
C compare: Compare runs: how much faster or slower, whether that exceeds the noise, and what changed.
M study: Run a matrix of settings as often as needed, and write a paper about it.
- study local: Compare settings on this machine: compression, tasks, slots, memory and disks.
- study schema: Print the JSON schema of studies (draft 2020-12), for editors that complete and check them.
- study export: Pack a study into one file: plans, records, telemetry and page, with a digest of each.
- study verify: Check that a packed study is unchanged, and that its records produce its page byte for byte.
M serve: Show runs, studies, plans and predictions in a browser, updated during runs.
"""
"""A letter of the heading, a command and its help."""


COMMANDS: dict[str, Lazy] = {}
for _row in _ROWS.strip().splitlines():
    _name, _, _text = _row[2:].partition(": ")
    COMMANDS[_name] = Lazy(_MODULES.get(_name, _name.split()[0]), _HEADINGS[_row[0]], _text)


def load_command(name: str) -> Command:
    """The command of that name; imports its module, which may have several commands."""
    command = typer.main.get_command(import_module(f"howdah.cli.{COMMANDS[name].module}").app)
    commands: dict[str, Command] = getattr(command, "commands", {})
    return commands.get(name, command)


class LazyCommands(HelpfulGroup):
    """The commands of COMMANDS; one module is imported to run one, and none to list them with their help.

    A command may be two words: ``plan`` takes a file, so ``plan explain`` cannot be a part of it.
    """

    _listing = False

    def list_commands(self, ctx: Context) -> list[str]:
        """The names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of that name; none if there is no such command."""
        lazy = COMMANDS.get(cmd_name)
        if lazy is not None and self._listing:
            return TyperCommand(cmd_name, help=lazy.help, rich_help_panel=lazy.heading)
        command = load_command(cmd_name) if lazy is not None else None
        if command is not None:
            command.name = cmd_name
        return command

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the help, with a line for each command."""
        with self._listed():
            super().format_help(ctx, formatter)

    def relatives(self, name: str) -> list[tuple[str, str]]:
        """The commands of two words that begin with this one, and their help."""
        return [(two, lazy.help) for two, lazy in COMMANDS.items() if two.startswith(f"{name} ")]

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """What a shell completes the name of a command to."""
        with self._listed():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _listed(self) -> Iterator[None]:
        self._listing = True
        try:
            yield
        finally:
            self._listing = False

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
    below = getattr(load_command(name), "commands", {}) if name else {}
    further = plain[len(name.split()) :][:1]
    return " ".join([name, *(word for word in further if word in below)])

"""The ``howdah`` command: arguments in, exit codes out."""

from __future__ import annotations

import difflib
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import takewhile
from textwrap import indent
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NamedTuple, NoReturn

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand
from typer.exceptions import Exit, TyperException

import howdah
from howdah.cli.help import App, HelpfulGroup
from howdah.cli.output import PatientOutput
from howdah.errors import HowdahError, UserError

if TYPE_CHECKING:
    from typer._click import Command, Context
    from typer._click.formatting import HelpFormatter
    from typer._click.shell_completion import CompletionItem


class Lazy(NamedTuple):
    """A command before it is imported."""

    module: str
    """The module of this package that holds its ``app``."""
    help: str
    """Its one line in a list of commands; a test holds it to the command's own."""
    heading: str = ""
    """What it is listed below by plain ``howdah``; empty for a command of two words, which the help of
    the first word lists."""


_PLAN, _BUILD, _MEASURE, _PREDICT = "Plan a cluster", "Build it", "Measure it", "Predict and compare"

COMMANDS = {
    "probe": Lazy(
        "probe",
        "Describe this machine: processors, memory, disks, file systems, network, virtualisation.",
        _PLAN,
    ),
    "inventory": Lazy(
        "inventory",
        "Create and check the list of hosts that `howdah plan` reads.",
        _PLAN,
    ),
    "plan": Lazy(
        "plan",
        "Plan a cluster: how to divide, place and configure these hosts, with a reason for every number.",
        _PLAN,
    ),
    "plan explain": Lazy(
        "explain",
        "Explain a value of a plan (its rule, inputs and source), a platform or a master.",
    ),
    "render": Lazy(
        "render",
        "Write the files a planned cluster needs: Hadoop, HBase, system, disks, network, hypervisor.",
        _PLAN,
    ),
    "provision": Lazy(
        "provision",
        "Create a plan's virtual machines in a vCenter or with libvirt, after showing each change.",
        _BUILD,
    ),
    "provision schema": Lazy(
        "provision_schema",
        "Print the JSON schema of sites (draft 2020-12), for editors that complete and check them.",
    ),
    "deploy": Lazy(
        "deploy",
        "Deploy the planned cluster over ssh: users, disks, releases, configuration, daemons in order.",
        _BUILD,
    ),
    "check": Lazy(
        "check",
        "Check a configuration, this machine and saved probes against the rules.",
        _PLAN,
    ),
    "rules": Lazy(
        "rules",
        "List the rules behind plans and checks, or explain one.",
        _PLAN,
    ),
    "hadoop": Lazy(
        "hadoop",
        "Fetch Hadoop's released jars, or show which Hadoop would be used.",
        _BUILD,
    ),
    "lab": Lazy(
        "lab",
        "Build a small data centre on this machine from a plan, with Hadoop and HBase running in it.",
        _BUILD,
    ),
    "run": Lazy(
        "run",
        "Run a suite, keep its record, and report what limited it.",
        _MEASURE,
    ),
    "runs": Lazy(
        "runs",
        "List, show, export and import run records.",
        _MEASURE,
    ),
    "runs attach": Lazy(
        "attach", "Add what sysstat, esxtop or Prometheus measured during a run, and update its report."
    ),
    "jobs": Lazy(
        "jobs",
        "Rank finished jobs by what they waste, and import histories.",
        _MEASURE,
    ),
    "calibrate": Lazy("calibrate", "Calibrate the simulator: fit its parameters to known runs.", _PREDICT),
    "predict": Lazy(
        "predict",
        "Predict a run on a planned cluster: times of workloads and phases.",
        _PREDICT,
    ),
    "tune": Lazy(
        "tune",
        "Search for a faster specification in the simulator, starting from a plan.",
        _PREDICT,
    ),
    "score": Lazy(
        "score",
        "Compare a prediction with the run that followed, phase by phase, and show the accuracy so far.",
        _PREDICT,
    ),
    "compare": Lazy(
        "compare",
        "Compare runs: how much faster or slower, whether that exceeds the noise, and what changed.",
        _PREDICT,
    ),
    "study": Lazy(
        "study",
        "Run a matrix of settings as often as needed, and write a paper about it.",
        _MEASURE,
    ),
    "study local": Lazy(
        "study_local",
        "Compare settings on this machine: compression, tasks, slots, memory and disks.",
    ),
    "study schema": Lazy(
        "study_schema",
        "Print the JSON schema of studies (draft 2020-12), for editors that complete and check them.",
    ),
    "study export": Lazy(
        "study_export",
        "Pack a study into one file: plans, records, telemetry and page, with a digest of each.",
    ),
    "study verify": Lazy(
        "study_verify",
        "Check that a packed study is unchanged, and that its records produce its page byte for byte.",
    ),
    "serve": Lazy(
        "serve",
        "Show runs, studies, plans and predictions in a browser, updated during runs.",
        _MEASURE,
    ),
}
"""The commands, in the order data flows."""


def load_command(name: str) -> Command:
    """The command of that name; imports its module."""
    return typer.main.get_command(import_module(f"howdah.cli.{COMMANDS[name].module}").app)


class LazyCommands(HelpfulGroup):
    """The commands of COMMANDS; one module is imported to run one, and none to list them with their help.

    A command may be two words: ``plan`` takes a file, so ``plan explain`` cannot be a part of it.
    """

    _listing = False
    """Whether commands are listed, of which only names and help are wanted."""

    def list_commands(self, ctx: Context) -> list[str]:
        """The names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of that name; none if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        lazy = COMMANDS[cmd_name]
        if self._listing:
            return TyperCommand(cmd_name, help=lazy.help, rich_help_panel=lazy.heading)
        command = load_command(cmd_name)
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
    if not name:
        return ""
    below = getattr(load_command(name), "commands", {})
    further = plain[len(name.split()) :][:1]
    return " ".join([name, *(word for word in further if word in below)])


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


EXAMPLES = """
howdah run terasuite  # measures this machine and writes a report
howdah probe -o this.yaml  # describes this machine in a file
howdah inventory add this.yaml -o hosts.yaml  # makes an inventory of it
howdah plan hosts.yaml  # plans a cluster of these hosts
howdah check --conf /etc/hadoop/conf  # checks the configuration of a running cluster
"""

app = App(
    name="howdah",
    add_completion=True,
    cls=LazyCommands,
    help="From host hardware to a proven Hadoop and HBase cluster specification.",
    epilog=EXAMPLES,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(f"howdah {howdah.__version__}")
        raise Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


_PLAINLY = (
    ("Value error, ", ""),
    ("Input should be a valid integer, unable to parse string as an integer", "it is not a whole number"),
    ("Input should be", "it should be"),
)

_INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as shells have it."""


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """A polite kill or a terminal's hanging up ends a run as Ctrl-C does, with a readable record."""
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; the process's exit code says how it went."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # What nohup made the process ignore stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    output = PatientOutput()
    sys.exit(_run(output))


def _run(output: PatientOutput) -> int:
    try:
        check_completion(sys.argv[1:])
        code = app(standalone_mode=False)
        output.check()
        if code == _INTERRUPTED:
            # Typer takes Ctrl-C for an exit like any other; what a command raises itself has its own words.
            raise KeyboardInterrupt
    except HowdahError as error:
        _complain(str(error), error.hint)
        return error.exit_code
    except TyperException as error:
        if not error.format_message():
            # A command that only has others was given none of them, and has printed its help.
            return 0
        # A flag without its value does not know which command it was given to.
        context = getattr(error, "ctx", None)
        command = context.command_path if context else f"howdah {named_by(sys.argv[1:])}".strip()
        _complain(_plainly(error.format_message()), f"see `{command} --help`")
        return error.exit_code if error.exit_code != 1 else 2
    except KeyboardInterrupt:
        _complain("stopped by the user", "")
        return _INTERRUPTED
    return int(code or 0)


def _plainly(message: str) -> str:
    """What is wrong with a flag's value, without the words of the library that read it."""
    for theirs, ours in _PLAINLY:
        message = message.replace(theirs, ours)
    return message


def _complain(message: str, hint: str) -> None:
    """Print an error as one message: what is wrong, then what would be right."""
    console = Console(stderr=True, highlight=False)
    console.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    if hint:
        console.print(Text(indent(hint, " " * 7)), soft_wrap=True)

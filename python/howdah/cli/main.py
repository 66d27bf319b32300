"""The ``howdah`` command: arguments in, exit codes out."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from textwrap import indent
from types import FrameType
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.text import Text
from typer.exceptions import Exit, TyperException

import howdah
from howdah.cli.help import App
from howdah.cli.lazy import LazyCommands, named_by
from howdah.cli.output import PatientOutput
from howdah.errors import HowdahError, UserError

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

"""The ``howdah`` command: arguments in, exit codes out."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.text import Text
from typer.exceptions import Exit, TyperException

import howdah
from howdah.cli import probe, run, runs
from howdah.errors import HowdahError

app = typer.Typer(
    name="howdah",
    help="From host hardware to a proven Hadoop and HBase cluster specification.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("probe", epilog=probe.EXAMPLES)(probe.probe)
app.command("run", epilog=run.EXAMPLES)(run.run)
app.add_typer(runs.app, name="runs")


def _version(asked: bool) -> None:
    if asked:
        print(f"howdah {howdah.__version__}")
        raise Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """A polite kill ends a run as Ctrl-C does: cleanly, with a readable record."""
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; the process's exit code says how it went."""
    signal.signal(signal.SIGTERM, _stop)
    sys.exit(_run())


def _run() -> int:
    try:
        code = app(standalone_mode=False)
    except HowdahError as error:
        _complain(str(error), error.hint)
        return error.exit_code
    except TyperException as error:
        _complain(error.format_message(), "see `howdah --help`, or --help after any command")
        return error.exit_code if error.exit_code != 1 else 2
    except KeyboardInterrupt:
        _complain("stopped by the user", "")
        return 130
    except BrokenPipeError:
        # Whoever read the output has had enough of it; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return int(code or 0)


def _complain(message: str, hint: str) -> None:
    """Print an error as one message: what is wrong, then what would be right."""
    console = Console(stderr=True, highlight=False)
    console.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    if hint:
        console.print(Text(f"       {hint}"), soft_wrap=True)

"""The ``howdah`` command: arguments in, exit codes out."""

from __future__ import annotations

import difflib
import re
import signal
import sys
from collections.abc import Sequence
from textwrap import indent
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text
from typer.exceptions import Exit, TyperException

import howdah
from howdah.cli.help import App
from howdah.cli.lazy import COMMANDS, LazyCommands, named_by
from howdah.cli.output import PatientOutput
from howdah.errors import Aborted, HowdahError, UserError

_FLAGS = ("--show-completion", "--install-completion")
_OPTIONS_FOR_ARGUMENTS = {"howdah check": "--conf", "howdah lab": "--name"}
"""The option whose value is often given as an argument, by the beginning of the command."""
_SIMILAR_OPTIONS = {"--dry-run": "--diff", "--diff": "--dry-run"}
"""Options with which other commands do the same."""


def check_completion(arguments: Sequence[str]) -> None:
    """Raise UserError for a shell's name after a completion flag, which typer would silently ignore."""
    if len(arguments) > 1 and arguments[0] in _FLAGS:
        flag, word = arguments[:2]
        hint = "leave it out; for another shell use, for example, `_HOWDAH_COMPLETE=source_zsh howdah`"
        raise UserError(flag, f"completes commands in your current shell and takes no {word!r}", hint)


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
    help="Plan, check, deploy and measure Hadoop and HBase clusters on your own hosts.",
    epilog=EXAMPLES,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(requested: bool) -> None:
    if requested:
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
        code = app(standalone_mode=False, prog_name=app.info.name)
        output.check()
        if code == Aborted.exit_code:
            # Typer takes Ctrl-C for an exit like any other; what a command raises itself has its own words.
            raise KeyboardInterrupt
    except HowdahError as error:
        _complain(str(error), error.hint)
        return error.exit_code
    except TyperException as error:
        if not error.format_message():
            # A command that only has others was given none of them, and has printed its help.
            return 0
        wrong = usage_error(error, sys.argv[1:])
        _complain(str(wrong), wrong.hint)
        return wrong.exit_code
    except KeyboardInterrupt:
        _complain("stopped by the user", "")
        return Aborted.exit_code
    return int(code or 0)


def _complain(message: str, hint: str) -> None:
    console = Console(stderr=True, highlight=False)
    console.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    if hint:
        console.print(Text(indent(hint, " " * 7)), soft_wrap=True)


_PROBLEMS = (
    (r"unable to parse string as an integer", "is not a whole number", ""),
    (r"valid integer", "is not a whole number", ""),
    (r"valid number", "is not a number", ""),
    (r"greater than or equal to (\S+)", r"is less than \1", r"give \1 or more"),
    (r"less than or equal to (\S+)", r"is more than \1", r"give \1 or less"),
    (r"is not one of (.*)\.", "is unknown", r"one of \1"),
    (r"(?:Value error, )?(.*)", r"is wrong: \1", ""),
)
"""What the library that reads values reports, what howdah says instead, and what would be right."""


def usage_error(error: TyperException, words: Sequence[str]) -> UserError:
    """The parser's error about a command line, given by its words, as one that names the flag and the fix."""
    # A flag without its value does not know which command it belongs to.
    context = getattr(error, "ctx", None)
    command = context.command_path if context else f"howdah {named_by(words)}".strip()
    where, problem, hint = _parts(error, words)
    link = ". See" if hint and not hint.endswith("?") else " See" if hint else "see"
    return UserError(where, problem, f"{hint}{link} `{command} --help`")


def _parts(error: TyperException, words: Sequence[str]) -> tuple[str, str, str]:
    kind, message = type(error).__name__, error.message
    parameter = getattr(error, "param", None)
    flag = getattr(error, "option_name", "")
    context = getattr(error, "ctx", None)
    if kind == "NoSuchOption":
        near = difflib.get_close_matches(flag, getattr(error, "possibilities", None) or (), n=2)
        flags = [name for option in context.command.params for name in option.opts] if context else []
        near += [name for name in flags if name == _SIMILAR_OPTIONS.get(flag)]
        return flag, "unknown option", f"did you mean {' or '.join(near)}?" if near else ""
    if kind == "BadOptionUsage":
        return flag, "takes no value" if "not take" in message else "needs a value", ""
    if parameter is not None:
        return _of_parameter(parameter, kind, message, words)
    if command := re.fullmatch(r"No such command '(.*?)'\.(?: Did you mean (.*)\?)?", message):
        names = _plain(command[2] or "").replace(", ", " or ")
        hint = f"did you mean {names}?" if names else ""
        # The commands of ``howdah`` itself are too many for a line.
        if not names and context is not None and context.parent is not None:
            hint = f"one of {', '.join(context.command.list_commands(context))}"
        return command[1], "unknown command", hint
    if extra := re.fullmatch(r"Got unexpected extra argument\(s\) \((.*)\)", message):
        word = extra[1].partition(" ")[0]
        meant = _meant_by(word, context.command_path if context else "")
        return word, "is an unexpected argument", f"did you mean {meant}?" if meant else ""
    return "", error.format_message(), ""


def _meant_by(word: str, command: str) -> str:
    if f"{command} {word}".removeprefix("howdah ") in COMMANDS:
        return f"{command} {word}"
    for name, option in _OPTIONS_FOR_ARGUMENTS.items():
        if f"{command} ".startswith(f"{name} "):
            return f"{option} {word}"
    return ""


def _of_parameter(parameter: Any, kind: str, message: str, words: Sequence[str]) -> tuple[str, str, str]:
    argument = (parameter.metavar or parameter.display_name_raw).upper()
    name = next((word for word in parameter.opts if word.startswith("--")), argument)
    if kind == "MissingParameter":
        return name, "is missing", (parameter.help or "").partition(". ")[0].rstrip(".")
    pattern, problem, hint = next(row for row in _PROBLEMS if re.search(row[0], message))
    match = re.search(pattern, message)
    assert match is not None
    where = f"{name} {_value_of(parameter.opts, words)}".rstrip()
    return where, match.expand(problem), _plain(match.expand(hint))


def _value_of(flags: Sequence[str], words: Sequence[str]) -> str:
    """The value that was given to an option; empty for an argument's, which stands without a flag."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        flag, equals, value = word.partition("=")
        if flag in flags:
            return value if equals else following
    return ""


def _plain(names: str) -> str:
    return names.replace("'", "")

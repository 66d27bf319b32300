"""Help that fits a screen: ``--help`` shows what most people need, ``--help-all`` everything.

What a command's docstring lists below ``Arguments:``, ``Options:`` and other headings is the help of its
parameters: a line for each has its flags, what it takes and, after two spaces, what it means. Below
``Examples:`` are command lines, each with a comment after ``#``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args

import typer
from rich.console import Console
from rich.text import Text
from typer._click import Command  # Typer bundles click and names its classes nowhere else.
from typer._click.decorators import help_option
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.exceptions import Exit
from typer.models import ArgumentInfo, OptionInfo

from howdah.units import listed

if TYPE_CHECKING:
    from typer._click import Context, Parameter
    from typer._click.formatting import HelpFormatter

_WIDEST = 100
_NAME_WIDTH = 24  # Longer names of options have a line of their own.
_FEW_EXAMPLES = 4
_HEADING, _NAME, _CODE, _COMMENT = "bold", "cyan", "bold", "green"
_METAVARS = {"int": "N", "int range": "N", "path": "PATH", "list[Path]": "PATH"}
"""What an option takes where it does not say, by the name that Typer shows for its type."""
_DETAILS = {"More options", "Reaching hosts"}  # The headings in docstrings that are ``Details``.
_TABLE = re.compile(r"^([A-Z][\w ]*):\n(?=  \S)", re.MULTILINE)


_Function = TypeVar("_Function", bound=Callable[..., Any])


class Details(str):
    """A heading of options that only ``--help-all`` shows."""

    __slots__ = ()


MORE = Details("More options")

Completions = Mapping[str, Callable[..., Any]]  # What completes a parameter's value, by its name.


class _Helpful(Command):
    def get_params(self, ctx: Context) -> list[Parameter]:
        """Its parameters, and ``--help-all``."""
        return [*super().get_params(ctx), _help_all(self)]

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the short help."""
        write_help(self, ctx, whole=False)


class HelpfulCommand(_Helpful, TyperCommand):
    """A command with short and long help."""


class HelpfulGroup(_Helpful, TyperGroup):
    """A command of commands with short and long help."""

    def relatives(self, name: str) -> list[tuple[str, str]]:
        """Commands that the help of the one of this name lists as related, and their help."""
        return []


class App(typer.Typer):
    """The commands of a module; keywords are Typer's."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**{"add_completion": False, "cls": HelpfulGroup, **keywords})

    def command(
        self, name: str | None = None, *, complete: Completions | None = None, **keywords: Any
    ) -> Callable[[_Function], _Function]:
        """Make a function a command, whose docstring describes its parameters; keywords are Typer's."""

        def decorate(function: _Function) -> _Function:
            examples = _describe(function, complete or {})
            declared: dict[str, Any] = {"cls": HelpfulCommand, "epilog": examples, **keywords}
            return super(App, self).command(name, **declared)(function)

        return decorate

    def callback(
        self, *, complete: Completions | None = None, **keywords: Any
    ) -> Callable[[_Function], _Function]:
        """Make a function what runs before the commands of this module, whose help is the App's own."""
        register = super().callback(**keywords)

        def decorate(function: _Function) -> _Function:
            _describe(function, complete or {})
            function.__doc__ = None
            return register(function)

        return decorate


class _Row(NamedTuple):
    """A parameter in a docstring."""

    heading: str
    flags: tuple[str, ...]
    metavar: str
    meaning: str


def _describe(function: Any, complete: Completions) -> str:
    """Put the help of a function's parameters where Typer reads it, and return the examples.

    An option is found by its flags, which are those of a parameter's name unless it declares others;
    arguments are in the order of the parameters. A parameter's own ``typer.Option`` keeps what it declares.
    """
    text, examples, rows = _read(function.__doc__ or "")
    options = {flag: row for row in rows for name in row.flags for flag in name.split("/")}
    arguments = [row for row in rows if not row.flags]
    signature = inspect.signature(function, eval_str=True)
    parameters = []
    for parameter in signature.parameters.values():
        kind, *declared = get_args(parameter.annotation) or (parameter.annotation,)
        info = next((info for info in declared if isinstance(info, ArgumentInfo | OptionInfo)), None)
        if info is None:
            kind = parameter.annotation
        elif info.help is not None:
            parameters.append(parameter)
            continue
        flag = f"--{parameter.name.replace('_', '-')}"
        row = options.get(info.default if info is not None and isinstance(info.default, str) else flag)
        if row is None and arguments and kind is not typer.Context and not isinstance(info, OptionInfo):
            row = arguments.pop(0)
        if row is None:
            parameters.append(parameter)
            continue
        rows.remove(row)
        filled = _filled(row, info, complete.get(parameter.name))
        parameters.append(parameter.replace(annotation=Annotated[kind, filled]))
    assert not rows, f"{function.__name__} has no parameter of {rows[0]}"
    function.__signature__ = signature.replace(parameters=parameters)
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    function.__doc__ = text
    return examples


def _read(docstring: str) -> tuple[str, str, list[_Row]]:
    """The description of a command in its docstring, its examples, and a row for each parameter."""
    text, *tables = _TABLE.split(inspect.cleandoc(docstring))
    rows, examples = [], []
    for heading, lines in zip(tables[::2], tables[1::2], strict=True):
        for line in re.split(r"\n+(?=  \S)", lines.rstrip()):
            if heading == "Examples":
                examples.append(" ".join(line.split()).replace(" # ", "  # "))
                continue
            names, _, meaning = line.strip().partition("  ")
            words = names.split()
            flags = tuple(word.rstrip(",") for word in words if word.startswith("-"))
            metavar = " ".join(word for word in words if not word.startswith("-"))
            rows.append(_Row(heading, flags, metavar, " ".join(meaning.split())))
    return text.rstrip(), "\n".join(examples), rows


def _filled(
    row: _Row, declared: ArgumentInfo | OptionInfo | None, complete: Callable[..., Any] | None
) -> Any:
    info: Any = copy(declared) if declared is not None else typer.Option() if row.flags else typer.Argument()
    info.help, info.metavar, info.autocompletion = row.meaning, row.metavar or None, complete
    if row.flags:
        info.default, info.param_decls = ..., row.flags
    if row.heading not in ("Arguments", "Options"):
        info.rich_help_panel = Details(row.heading) if row.heading in _DETAILS else row.heading
    return info


def write_help(command: Command, ctx: Context, *, whole: bool) -> None:
    """Print the help of a command: ``whole`` with every option and example."""
    console = Console(highlight=False, soft_wrap=False)
    console.width = min(console.width, _WIDEST)
    arguments = [param for param in command.params if isinstance(param, TyperArgument)]
    ending = "COMMAND [OPTIONS]" if isinstance(command, TyperGroup) else "[OPTIONS]"
    usage = " ".join([ctx.command_path, *map(_argument, arguments), ending])
    console.print(Text.assemble(("Usage: ", _HEADING), usage))
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        console.print()
        console.print(*_wrapped(console, paragraph), sep="\n")
    _print_rows(console, "Arguments", ((_argument(param), param.help) for param in arguments if param.help))
    for heading, rows in _commands(command, ctx):
        _print_rows(console, heading, rows)
    shown_options = (param for param in command.get_params(ctx) if isinstance(param, TyperOption))
    options = [param for param in shown_options if not param.hidden]
    for panel in dict.fromkeys(param.rich_help_panel for param in options):
        if whole or not isinstance(panel, Details):
            shown = (param for param in options if param.rich_help_panel == panel)
            texts = ((_flags(param, ctx), _meaning(param, ctx)) for param in shown)
            _print_rows(console, panel or "Options", texts)
    examples = [line for line in (command.epilog or "").splitlines() if line]
    shown_examples = examples if whole else examples[:_FEW_EXAMPLES]
    if examples:
        console.print(Text("\nExamples", style=_HEADING))
    for line in _examples(shown_examples, console.width - 2):
        console.print(Text.assemble("  ", line), soft_wrap=True)
    hidden = sum(isinstance(param.rich_help_panel, Details) for param in options)
    hidden_counts = [(hidden, "option"), (len(examples) - len(shown_examples), "example")]
    more = listed(f"{count} more {word}{'s' * (count > 1)}" for count, word in hidden_counts if count)
    if more and not whole:
        console.print(Text(f"\n{more}: {ctx.command_path} --help-all"))


def _help_all(command: Command) -> Parameter:
    """The option of the long help, made once for each command: the parser compares options by identity."""
    made: Parameter | None = getattr(command, "_help_all", None)
    if made is None:

        def show(ctx: Context, param: Parameter, value: bool) -> None:
            if value and not ctx.resilient_parsing:
                write_help(command, ctx, whole=True)
                raise Exit

        help_option(["--help-all"])(command)
        made = command.params.pop()
        made.callback = show
        setattr(made, "help", "Show every option and example.")  # noqa: B010 - not declared by click
        setattr(command, "_help_all", made)  # noqa: B010 - not declared by click
    return made


def _argument(argument: TyperArgument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    several = " ..." if argument.nargs == -1 and not name.endswith("...") else ""
    return f"{name}{several}" if argument.required else f"[{name}{several}]"


def _flags(option: TyperOption, ctx: Context) -> str:
    names = ", ".join(sorted([*option.opts, *option.secondary_opts], key=len))
    if option.is_flag or option.count:
        return names
    kind = (option.display_type(ctx) or "").strip("<>")
    taken = option.metavar or _METAVARS.get(kind) or (kind if "|" in kind else (option.name or "").upper())
    return f"{names} {taken}"


def _meaning(option: TyperOption, ctx: Context) -> str:
    notes = []
    default = option.get_default(ctx)
    if not option.is_flag and isinstance(default, str | int | float) and default != "":
        notes.append(f"default: {getattr(default, 'value', default)}")
    elif hasattr(default, "__fspath__"):
        notes.append(f"default: {default}")
    if option.required:
        notes.append("required")
    if option.envvar:
        notes.append(f"or ${option.envvar}")
    return f"{option.help or ''} [{'; '.join(notes)}]" if notes else option.help or ""


def _commands(command: Command, ctx: Context) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    above = ctx.parent.command if ctx.parent else None
    if isinstance(above, HelpfulGroup) and (related := above.relatives(command.name or "")):
        yield "Related commands", related
    if not isinstance(command, TyperGroup):
        return
    headings: dict[str, list[tuple[str, str]]] = {}
    for name in command.list_commands(ctx):
        below = command.get_command(ctx, name)
        if below is not None and not below.hidden and " " not in name:
            heading = getattr(below, "rich_help_panel", None) or "Commands"
            text = (below.help or "").partition("\n\n")[0]
            headings.setdefault(str(heading), []).append((name, text))
    yield from headings.items()


def _print_rows(console: Console, heading: str, rows: Iterable[tuple[str, str]]) -> None:
    pairs = list(rows)
    if not pairs:
        return
    console.print(Text(f"\n{heading}", style=_HEADING))
    width = max((len(name) for name, _ in pairs if len(name) <= _NAME_WIDTH), default=_NAME_WIDTH)
    for name, text in pairs:
        fits = len(name) <= width
        if not fits:
            console.print(Text(f"  {name}", style=_NAME))
        names = [name if fits else ""]
        for line in _wrapped(console, text, indent=width + 4):
            first = names.pop() if names else ""
            console.print(Text.assemble("  ", (first.ljust(width), _NAME), "  ", line))


def _wrapped(console: Console, text: str, indent: int = 0) -> Iterator[Text]:
    """The lines of a text, with the words in backticks highlighted, without the backticks."""
    parts = re.split(r"`([^`]*)`", " ".join(text.split()))
    prose = Text.assemble(*((part, _CODE if number % 2 else "") for number, part in enumerate(parts)))
    for line in prose.wrap(console, console.width - indent):
        line.rstrip()
        yield line


def _examples(lines: Sequence[str], width: int) -> Iterator[Text]:
    """Command lines, each with its comment on the same line or, if that is too long, on the line above."""
    for line in lines:
        command, _, comment = line.partition("  # ")
        joined = Text.assemble(command, (f"  # {comment}", _COMMENT) if comment else "")
        if len(joined) <= width:
            yield joined
        else:
            if comment:
                yield Text(f"# {comment}", style=_COMMENT)
            yield Text(command)

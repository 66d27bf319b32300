"""The programs' options as flags of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any

import typer

from howdah.cli.help import MORE, Details
from howdah.model.engines import LOCAL, engines
from howdah.model.plan_options import PLAN_OPTIONS, PlanOption
from howdah.model.workloads.suite import options, programs

if TYPE_CHECKING:
    from howdah.model.workloads.option import Option


TYPED = "typed"  # The parameter of a command in whose place the flags go.


def with_options(of: Iterable[Option[Any]]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a flag for each option; its parameter ``typed`` has the values, by options' names."""
    flags = {option.name: option for option in of}
    parameters = {}
    for name, option in flags.items():
        kind = list[str] if option.several else str
        parameters[name] = _parameter(option, kind | None, rich_help_panel=_panel(option))
    return _with_flags(parameters, partial(_values, flags))


def with_plan_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of `howdah plan`; its parameter ``typed`` has the values, by names."""
    return _with_flags({option.name: _plan_parameter(option) for option in PLAN_OPTIONS}, dict)(command)


def _with_flags(
    flags: Mapping[str, inspect.Parameter], read: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def parsed(**arguments: Any) -> None:
            typed = {name: arguments.pop(name) for name in flags}
            command(**arguments, typed=read(typed))

        signature = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            if parameter.name == TYPED:
                parameters += flags.values()
            else:
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        parsed.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        annotations = {parameter.name: parameter.annotation for parameter in parameters}
        parsed.__annotations__ = annotations | {"return": None}
        return parsed

    return decorate


def options_on(engine: str) -> tuple[Option[Any], ...]:
    """The options that some program has on an engine."""
    used: list[Option[Any]] = []
    for program in programs().values():
        if engine in program.programs:
            used += (*program.options, *program.options_on.get(engine, ()))
    fitting = (option for option in options().values() if not option.engines or engine in option.engines)
    return tuple(option for option in fitting if option in used)


def _values(flags: Mapping[str, Option[Any]], typed: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, option in flags.items():
        texts = typed[name]
        if texts is not None and option.several:
            values[name] = tuple(item for text in texts for item in option.parse(text, option.flag))
        elif texts is not None:
            values[name] = option.parse(texts, option.flag)
    return values


def _parameter(
    option: Option[Any] | PlanOption, kind: Any, default: Any = None, **declared: Any
) -> inspect.Parameter:
    complete = completion_of(option)
    flag = typer.Option(
        option.flag, help=option.help, metavar=option.metavar, autocompletion=complete, **declared
    )
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(option.name, keyword, default=default, annotation=Annotated[kind, flag])


def _plan_parameter(option: PlanOption) -> inspect.Parameter:
    kind: Any = list[str] | None if option.several else option.kind
    if option.default is None and option.kind is not bool:
        kind |= None
    default = False if option.kind is bool else option.default
    panel, least = MORE if option.more else None, None if option.most is None else 0
    return _parameter(option, kind, default, min=least, max=option.most, rich_help_panel=panel)


def _panel(option: Option[Any]) -> Details | None:
    """The heading of the engine or the programs that it belongs to; None for what many have."""
    users = [name for name, program in programs().items() if option in program.options]
    if users and all(name.startswith("ycsb") for name in users):
        return Details("YCSB")
    if not option.engines or LOCAL in option.engines[1:]:
        return None
    return Details(engines()[option.engines[0]].title)


def completion_of(option: Option[Any] | PlanOption) -> Callable[[], list[str]] | None:
    """What completes an option's value in a shell; None if its values are not a list of words."""
    if not option.choices and not option.completion:
        return None

    def complete() -> list[str]:
        # Only a shell that completes a word needs the module with the words.
        words: Any = resolve_name(option.completion) if option.completion else tuple(option.choices or ())
        return [str(word) for word in (words() if callable(words) else words)]

    return complete

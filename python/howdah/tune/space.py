"""The space of one search: the parameters of the table, narrowed, widened or fixed by the user's file."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from howdah.errors import UserError
from howdah.model.tuning import PLANNED, Fixed, Level, Narrowing, TuneParameter
from howdah.tune.parameters import Base, is_per_job, magnitude, parameters

_OF_DAEMONS = "a change takes a restart of daemons, and the race is on a cluster that runs"


def space_of(
    base: Base, narrowing: Narrowing, file: str, *, per_job: bool = False
) -> tuple[tuple[TuneParameter, ...], tuple[Fixed, ...]]:
    """What is varied on a plan, and what is not; ``per_job`` leaves out what only daemons read.

    Raises UserError, naming ``file``, for a parameter that is unknown or a value that it cannot have.
    """
    possible, fixed = parameters(base)
    if per_job:
        fixed += [Fixed(name=one.name, why=_OF_DAEMONS) for one in possible if not is_per_job(one.name)]
        possible = [one for one in possible if is_per_job(one.name)]
    _check_names(narrowing, possible, fixed, file)
    varied: list[TuneParameter] = []
    for parameter in possible:
        given = narrowing.parameters.get(parameter.name)
        if given == PLANNED or (given is None and narrowing.others == PLANNED):
            fixed.append(Fixed(name=parameter.name, why=f"{file} keeps it as planned"))
        else:
            varied.append(parameter if given is None else _narrowed(parameter, given, file))
    if not any(len(parameter.levels) > 1 for parameter in varied):
        raise UserError(file, "leaves nothing to vary", "give at least one parameter several values")
    return tuple(varied), tuple(fixed)


def _check_names(narrowing: Narrowing, possible: list[TuneParameter], fixed: list[Fixed], file: str) -> None:
    names = [parameter.name for parameter in possible]
    why = {one.name: one.why for one in fixed}
    for name in narrowing.parameters:
        if name in why:
            raise UserError(f"{file}: parameters.{name}", f"cannot be varied: {why[name]}", "leave it out")
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = (
                f"did you mean {near[0]}?" if near else "`howdah tune PLAN --show-space` lists the parameters"
            )
            raise UserError(f"{file}: parameters.{name}", "is not a parameter of the search", hint)


def _narrowed(parameter: TuneParameter, given: Level | tuple[Level, ...], file: str) -> TuneParameter:
    several = given if isinstance(given, tuple) else (given,)
    if not several:
        raise UserError(
            f"{file}: parameters.{parameter.name}", "has no value", "list values, or leave it out"
        )
    levels = dict.fromkeys(_texts(parameter, several, file))
    if parameter.ordered:
        levels = dict.fromkeys(sorted(levels, key=magnitude))
    return parameter.model_copy(update={"levels": tuple(levels)})


def _texts(parameter: TuneParameter, several: tuple[Level, ...], file: str) -> Iterator[str]:
    for value in several:
        text = parameter.planned if value == PLANNED else _text(value)
        if parameter.ordered:
            _check_number(parameter, text, file)
        elif text not in (values := (*parameter.levels, *parameter.others)):
            raise UserError(
                f"{file}: parameters.{parameter.name}",
                f"{text!r} is not one of its values",
                f"give some of {', '.join(values)}",
            )
        yield text


def _text(value: Level) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{value:.15g}"


def _check_number(parameter: TuneParameter, text: str, file: str) -> None:
    try:
        magnitude(text)
    except (KeyError, ValueError):
        example = ", ".join(parameter.levels[:3])
        raise UserError(
            f"{file}: parameters.{parameter.name}",
            f"{text!r} is not a value of it",
            f"write for instance {example}",
        ) from None

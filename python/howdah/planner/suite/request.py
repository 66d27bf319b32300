"""What a user asks a run to do, and what of it makes no sense."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field

from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import Option
from howdah.model.workloads.registered import options, programs
from howdah.model.workloads.suite import suites
from howdah.model.workloads.terasort import INPUT

T = TypeVar("T")

_OF_THIS_MACHINE = {
    "memory_bytes": "--memory",
    "data_dirs": "--data-dir",
    "map_slots": "--map-slots",
    "reduce_slots": "--reduce-slots",
}
"""What only a run on this machine has a use for, by field."""
_MOST_SLOTS = 256
_MOST_INTERVAL_S = 3600.0


class RunRequest(Model):
    """A suite by name and the values the user gave, in SI base units; what is left out is the planner's."""

    suite: str
    given: Mapping[str, Any] = Field(default_factory=dict)
    """The values of the programs' options, by the options' names."""
    map_slots: int | None = None
    reduce_slots: int | None = None
    memory_bytes: int | None = None
    data_dirs: tuple[Path, ...] = ()
    sample_interval_s: float | None = None

    def of(self, option: Option[T]) -> T | None:
        """What the user gave of an option; None where that is the planner's to choose."""
        value: T | None = self.given.get(option.name)
        return value

    def with_value(self, option: Option[T], value: T) -> RunRequest:
        """The same request with another value of an option."""
        return self.model_copy(update={"given": {**self.given, option.name: value}})


def options_of(program: type[Workload], engine: str) -> tuple[Option[Any], ...]:
    """What may be said of a program on an engine."""
    return (*program.options, *program.options_on.get(engine, ()))


def programs_asked(request: RunRequest, engine: str = "local") -> tuple[type[Workload], ...]:
    """The programs of the request's suite; raise UserError for what makes no sense on the engine."""
    kinds = suites().get(request.suite)
    if kinds is None:
        known = ", ".join(suites())
        raise UserError("SUITE", f"{request.suite!r} is not a suite howdah knows", f"one of {known}")
    asked = tuple(programs()[kind] for kind in kinds)
    for program in asked:
        _check_engine(request, engine, program)
    for name, value in request.given.items():
        option = options()[name]
        _check_use(engine, option)
        _check_users(request, engine, option, asked)
        _check_value(option, engine, value)
    _check_machine(request, engine, asked)
    return asked


def _check_engine(request: RunRequest, engine: str, program: type[Workload]) -> None:
    if engine in program.programs:
        return
    why = program.not_on.get(engine, "it has no program for it")
    others = " or ".join(f"--engine {other}" for other in program.programs)
    raise UserError("SUITE", f"--engine {engine} does not run {request.suite}: {why}", others)


def _check_use(engine: str, option: Option[Any]) -> None:
    """Whether the engine has a use for what was given."""
    if option.engines and engine not in option.engines:
        _refuse_engine(option.flag, engine, option.engines)


def _refuse_engine(flag: str, engine: str, engines: Iterable[str]) -> None:
    belongs = " or ".join(f"--engine {each}" for each in engines)
    raise UserError(flag, f"--engine {engine} does not use it", f"it belongs to {belongs}")


def _check_users(
    request: RunRequest, engine: str, option: Option[Any], asked: tuple[type[Workload], ...]
) -> None:
    """Whether some program of the suite has what was given."""
    if any(option in options_of(program, engine) for program in asked):
        if option is INPUT:
            _check_input(request, asked)
        return
    for program in asked:
        if option.name in program.refused:
            raise UserError(option.flag, *program.refused[option.name])
    users = {kind for kind, program in programs().items() if option in options_of(program, engine)}
    meant = ", ".join(suite for suite, members in suites().items() if users & set(members))
    raise UserError(option.flag, f"{request.suite} does not use it", f"it belongs to {meant}")


def _check_input(request: RunRequest, asked: tuple[type[Workload], ...]) -> None:
    """A suite that makes what it reads reads nothing else."""
    kinds = suites()[request.suite]
    if any(program.reads == kinds[0] for program in asked):
        readers = [kind for kind in kinds if INPUT in programs()[kind].options]
        raise UserError(
            INPUT.flag, f"{request.suite} generates its own input", f"use it with {' or '.join(readers)}"
        )


def _check_value(option: Option[Any], engine: str, value: Any) -> None:
    refusal = option.refuse(value, engine)
    if refusal is not None:
        raise UserError(option.flag, refusal.what, refusal.hint)


def _check_machine(request: RunRequest, engine: str, asked: tuple[type[Workload], ...]) -> None:
    """Whether what is said of this machine is of use, and within bounds."""
    for field, flag in _OF_THIS_MACHINE.items():
        if engine != "local" and getattr(request, field) not in (None, ()):
            _refuse_engine(flag, engine, ("local",))
    sorting = [kind for kind, program in programs().items() if program.shuffles]
    if request.reduce_slots is not None and not any(program.shuffles for program in asked):
        meant = ", ".join(suite for suite, members in suites().items() if set(sorting) & set(members))
        raise UserError("--reduce-slots", f"{request.suite} does not use it", f"it belongs to {meant}")
    for flag, slots in (("--map-slots", request.map_slots), ("--reduce-slots", request.reduce_slots)):
        if slots is not None and slots < 1:
            raise UserError(flag, f"{slots} is too few", "give at least 1")
        if slots is not None and slots > _MOST_SLOTS:
            raise UserError(flag, f"{slots:,} is too many", f"at most {_MOST_SLOTS:,}")
    interval_s = request.sample_interval_s
    if interval_s is not None and not interval_s <= _MOST_INTERVAL_S:
        raise UserError("--sample-interval", f"{interval_s} s is too long", "give at most 3600")

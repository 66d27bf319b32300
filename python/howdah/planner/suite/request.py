"""A request of work: its options, the values decided for it with their reasons, and the work in one line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pkgutil import resolve_name
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from howdah.errors import UserError, nearest
from howdah.model.engines import LOCAL, REDUCE_SLOTS, all_options
from howdah.model.plan import Plan, Setting
from howdah.model.run_request import RunRequest, options_of
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import Option
from howdah.model.workloads.suite import Suite, options, programs, suites
from howdah.model.workloads.terasort import INPUT
from howdah.units import format_memory

T = TypeVar("T", int, float, str)


class _Row(NamedTuple):
    """A size in ``sizes.toml``: its reason and source, texts by names if there are several, and its value."""

    reason: str | Mapping[str, str]
    source: str | Mapping[str, str] = "howdah"
    value: Any = None


@cache
def _rows(section: str) -> Mapping[str, _Row]:
    table = tomllib.loads(files("howdah.planner.suite").joinpath("sizes.toml").read_text(encoding="utf-8"))
    return {name: _Row(**row) for name, row in table[section].items()}


class Sizes:
    """What the sizes of programs are decided from: the request, and what was decided before."""

    section: ClassVar[str]  # The section of ``sizes.toml`` with values and reasons.

    def __init__(self, request: RunRequest) -> None:
        self.request = request
        self._decided: dict[str, Setting] = {}
        self.program: type[Workload] = Workload
        """The current program."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Everything decided so far, in order."""
        return tuple(self._decided.values())

    def sized(self, program: type[Workload], engine: str) -> Workload:
        """The program with every size decided."""
        self.program = program
        workload: Workload = resolve_name(program.sizes[engine])(self)
        return workload

    def note(
        self,
        key: str,
        value: int | float | str | tuple[str, ...],
        *,
        reason: str = "given by the user",
        source: str = "command line",
        by_user: bool = False,
    ) -> None:
        """Record a value that was decided."""
        origin: Literal["user", "rule"] = "user" if by_user else "rule"
        self._decided[key] = Setting(key=key, value=value, reason=reason, source=source, origin=origin)

    def choose(
        self, key: str, requested: Option[T] | T | None, rule: T, reason: str, source: str = "howdah"
    ) -> T:
        """What the user gave of an option if anything, the rule's value otherwise; noted with the reason."""
        choice = self.request.of(requested) if isinstance(requested, Option) else requested
        if choice is not None:
            self.note(key, choice, by_user=True)
            return choice
        self.note(key, rule, reason=reason, source=source)
        return rule

    def decide(
        self,
        key: str,
        requested: Option[T] | T | None,
        rule: T | None = None,
        *,
        row: str = "",
        words: str = "",
        **values: object,
    ) -> T:
        """Choose as ``choose`` does, for a reason of ``sizes.toml``, by the value there if ``rule`` is None.

        ``row`` is its row if that is not named as the key, ``words`` the reason of several.
        """
        entry = _rows(self.section)[row or key]
        reason, source = (
            text if isinstance(text, str) else text[words] for text in (entry.reason, entry.source)
        )
        value: T = entry.value if rule is None else rule
        return self.choose(key, requested, value, reason.format_map(values), source)


def requested_programs(
    request: RunRequest, engine: str = LOCAL, *, called: str | None = None
) -> tuple[type[Workload], ...]:
    """The programs of the request's suite; raise UserError for what makes no sense on the engine.

    ``called`` is the engine by the name that the user gave, where that one runs it as another would.
    """
    kinds = suites().get(request.suite)
    if kinds is None:
        raise UserError("SUITE", f"{request.suite!r} is not a suite", nearest(request.suite, suites()))
    requested = tuple(programs()[kind] for kind in kinds)
    for program in requested:
        if engine not in program.programs:
            why = program.not_on.get(engine, "it has no program for it")
            alternatives = " or ".join(f"--engine {name}" for name in program.programs)
            raise UserError("SUITE", f"--engine {engine} does not run {request.suite}: {why}", alternatives)
    wrong: list[UserError] = []
    for name, value in request.given.items():
        option = all_options()[name]
        try:
            check_use(option, called if called in option.engines else engine)
            if option.name in options():
                _check_users(request, engine, option, requested)
            elif option is REDUCE_SLOTS and not any(program.shuffles for program in requested):
                _refuse_users(
                    request, option, {kind for kind, program in programs().items() if program.shuffles}
                )
            if (refusal := option.refuse(value, engine)) is not None:
                raise UserError(option.flag, refusal.what, refusal.hint)
        except UserError as error:
            wrong.append(error)
    if wrong:
        raise _together(wrong)
    return requested


def _together(wrong: Sequence[UserError]) -> UserError:
    """One message of everything that is wrong, so that a user corrects it once."""
    if len(wrong) == 1:
        return wrong[0]
    problems, hints = ([getattr(error, name) for error in wrong] for name in ("what", "hint"))
    problem, hint = problems[0], hints[0]
    if len(set(problems)) > 1:
        problem = "; ".join(f"{error.where} {error.what}" for error in wrong)
    if len(set(hints)) > 1:
        hint = "; ".join(f"{error.where}: {error.hint}" for error in wrong if error.hint)
    return UserError(", ".join(error.where for error in wrong), problem, hint)


def check_use(option: Option[Any], engine: str) -> None:
    """Raise UserError for an option that an engine has no use for."""
    if option.engines and engine not in option.engines:
        belongs = " or ".join(f"--engine {engine_name}" for engine_name in option.engines)
        raise UserError(option.flag, f"--engine {engine} does not use it", f"it belongs to {belongs}")


def _check_users(
    request: RunRequest, engine: str, option: Option[Any], requested: tuple[type[Workload], ...]
) -> None:
    """Whether some program of the suite has what was given."""
    if any(option in options_of(program, engine) for program in requested):
        kinds = suites()[request.suite]
        # A suite that makes what it reads reads nothing else.
        if option is INPUT and any(program.reads == kinds[0] for program in requested):
            readers = [kind for kind in kinds if INPUT in programs()[kind].options]
            problem = f"{request.suite} generates its own input"
            raise UserError(INPUT.flag, problem, f"use it with {' or '.join(readers)}")
        return
    for program in requested:
        if option.name in program.refused:
            raise UserError(option.flag, *program.refused[option.name])
    users = {kind for kind, program in programs().items() if option in options_of(program, engine)}
    _refuse_users(request, option, users)


def _refuse_users(request: RunRequest, option: Option[Any], users: set[str]) -> None:
    meant = ", ".join(suite for suite, members in suites().items() if users & set(members))
    raise UserError(option.flag, f"{request.suite} does not use it", f"it belongs to {meant}")


def plan_line(plan: Plan, suite: Suite) -> str:
    """The work and its memory: ``10,000,000 rows · 1.00 GB · 4 maps, 4 reduces · 2 GiB memory``."""
    return f"{suite_line(suite)} · {format_memory(plan.workers[0].memory_bytes)} memory"


def suite_line(suite: Suite) -> str:
    """The work alone: ``10,000,000 rows · 1.00 GB · 4 reduces``."""
    # Once for several workloads on the same data.
    return " · ".join(dict.fromkeys(text for workload in suite.workloads for text in workload.in_words()))

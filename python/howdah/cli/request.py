"""What `howdah plan` is asked for, as flags write it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from howdah.errors import UserError
from howdah.model.request import Demand, Growth, Override
from howdah.units import parse_bytes, parse_count

_WORKLOADS = "terasuite:30TB or ycsb:300M"
_Choice = TypeVar("_Choice", bound=StrEnum)


def parse_choice(flag: str, text: str, choices: type[_Choice]) -> _Choice:
    """One of a few words; raise UserError that lists them."""
    try:
        return choices(text)
    except ValueError as error:
        raise UserError(flag, f"{text!r} is none of its values", f"one of {', '.join(choices)}") from error


def parse_demands(texts: Sequence[str]) -> tuple[Demand, ...]:
    """The work of ``--workload terasuite:30TB --workload ycsb:300M``; without any, the TeraSort suite."""
    return tuple(_demand(text) for text in texts) or (Demand(kind="terasuite"),)


def _demand(text: str) -> Demand:
    where = f"--workload {text}"
    kind, _, amount = text.partition(":")
    if kind == "terasuite":
        size = parse_bytes(amount, where) if amount else None
        if size is not None and (amount.strip().isdigit() or size <= 0):
            raise UserError(where, "the size of the dataset has no unit", f"write for instance {_WORKLOADS}")
        return Demand(kind="terasuite", dataset_bytes=size)
    if kind == "ycsb":
        return Demand(kind="ycsb", records=parse_count(amount, where) if amount else None)
    raise UserError(where, f"{kind!r} is no workload to plan for", f"write for instance {_WORKLOADS}")


def parse_overrides(texts: Sequence[str]) -> tuple[Override, ...]:
    """The values of ``--set KEY=VALUE``; raise UserError for one without both, or given twice."""
    given: dict[str, Override] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            raise UserError(f"--set {text}", "is no KEY=VALUE", "write for instance dfs.blocksize=128MiB")
        if key in given:
            raise UserError(f"--set {text}", f"{key} is set twice", "leave one of them out")
        given[key] = Override(key=key, value=value.strip())
    return tuple(given.values())


def parse_growth(need: str | None, growth: str | None, years: int | None) -> Growth | None:
    """``--need 300TB --growth 40%/year --years 3``; raise UserError for growth or years without a need."""
    if need is None:
        for flag, value in (("--growth", growth), ("--years", years)):
            if value is not None:
                raise UserError(flag, "says how data grow, but not how much there are", "add --need 300TB")
        return None
    need_bytes = parse_bytes(need, f"--need {need}")
    if need.strip().isdigit() or need_bytes <= 0:
        raise UserError(f"--need {need}", "has no unit or is nothing", "write for instance 300TB")
    return Growth(
        need_bytes=need_bytes,
        per_year=0.0 if growth is None else _growth(growth),
        years=_years(years, growth),
    )


def _years(years: int | None, growth: str | None) -> int:
    if years is None:
        return 0 if growth is None else 3
    return years


def _growth(text: str) -> float:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*(?:/\s*(?:year|y|a))?\s*", text)
    if match is None:
        raise UserError(f"--growth {text}", "is no growth in a year", "write for instance 40%/year")
    return float(match.group(1)) / 100


def parse_whole(flag: str, value: int | None) -> int | None:
    """A count of at least one, where it is given."""
    if value is not None and value < 1:
        raise UserError(f"{flag} {value}", "is not a count", "give 1 or more")
    return value

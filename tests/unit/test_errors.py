"""The hierarchy of errors is the one its module draws."""

from __future__ import annotations

import inspect
import re

import pytest

import howdah.engines.hadoop.preparation
import howdah.session.laboratories
import howdah.session.runs  # noqa: F401  (loads every module that could define an error)
from howdah import errors
from howdah.errors import Aborted, HowdahError, RecordError, RunFailed, UserError


def _drawn() -> dict[str, tuple[str | None, int | None]]:
    """Name, parent and exit code of every error in the module's drawing."""
    drawn: dict[str, tuple[str | None, int | None]] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"(?P<lead> {4}[ │├└─]*)(?P<name>[A-Z]\w+)(?: +exit (?P<code>\d+))?  +\S", line)
        if match is None:
            continue
        depth = len(match["lead"])
        above = [one for one in above if one[0] < depth]
        drawn[match["name"]] = (
            above[-1][1] if above else None,
            int(match["code"]) if match["code"] else None,
        )
        above.append((depth, match["name"]))
    return drawn


def test_the_drawing_shows_every_error_under_its_parent_with_its_exit_code() -> None:
    classes = {
        name: one for name, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, HowdahError)
    }
    drawn = _drawn()
    assert set(drawn) == set(classes)
    for name, (parent, code) in drawn.items():
        bases = [base.__name__ for base in classes[name].__bases__ if issubclass(base, HowdahError)]
        assert bases == ([parent] if parent else [])
        if code is not None:
            assert classes[name].exit_code == code


def test_every_error_lives_in_one_of_the_two_modules_that_draw_them() -> None:
    def below(one: type[HowdahError]) -> set[type[HowdahError]]:
        return {one}.union(*(below(child) for child in one.__subclasses__()))

    places = {one.__module__ for one in below(HowdahError)}
    assert places == {"howdah.errors", "howdah.services.errors"}


@pytest.mark.parametrize("kind", [HowdahError, UserError, RecordError, RunFailed, Aborted])
def test_an_error_names_what_is_at_fault_first(kind: type[HowdahError]) -> None:
    error = kind("--rows", "10 furlongs is not a count", "give for instance 10M")
    assert str(error) == "--rows: 10 furlongs is not a count"
    assert (error.where, error.what) == ("--rows", "10 furlongs is not a count")
    assert error.hint == "give for instance 10M"
    assert str(kind("", "stopped")) == "stopped"
    assert kind("", "stopped").hint == ""

"""Modules that run when one of their names is first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from howdah.deferred import Deferred, deferred

FIRST_USE = """
import sys
from howdah.session import plan_checks
before = "howdah.session.plan_checks" in sys.modules
plan_checks.check
print(before, "howdah.session.plan_checks" in sys.modules)
"""


def test_a_module_is_imported_with_the_first_use_of_a_name() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_what_is_set_on_a_deferred_module_is_set_on_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    import howdah.files as files  # noqa: PLC0415, PLR0402

    stand_in = Deferred("howdah.files")
    monkeypatch.setattr(stand_in, "DEFAULT_RUNS_DIR", "elsewhere")
    assert files.DEFAULT_RUNS_DIR == "elsewhere"  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("name", ["nosuch", "_private", "__path__x"])
def test_an_unknown_name_is_no_module(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        deferred("howdah.session")(name)

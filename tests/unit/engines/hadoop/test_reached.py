"""Which laboratory a run is meant for, where there are none, one or several."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.cli.options import completion_of
from howdah.engines.hadoop.reached import running_lab
from howdah.errors import UserError
from howdah.lab import registry
from howdah.model.engines import LAB


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "howdah"
    monkeypatch.setattr(registry, "registry", lambda: path)
    return path


def begin(tmp_path: Path, *names: str) -> None:
    """Enter laboratories of which nothing else has been made yet."""
    for name in names:
        with registry.locked(name):
            registry.register(name, tmp_path / name)


def refused(name: str | None) -> UserError:
    with pytest.raises(UserError) as caught:
        running_lab(name)
    return caught.value


def test_none_is_up() -> None:
    assert running_lab(None) is None
    assert "howdah lab up" in refused("lab").hint


def test_one_that_is_half_built_is_no_cluster(tmp_path: Path) -> None:
    begin(tmp_path, "lab")
    for name in (None, "lab"):
        error = refused(name)
        assert str(error) == 'lab "lab": is not complete'
        assert "--name lab" in error.hint


def test_one_of_another_name_must_be_named(tmp_path: Path) -> None:
    begin(tmp_path, "one")
    error = refused(None)
    assert error.what == "no lab 'lab' is up, only one"
    assert "--lab one" in error.hint
    assert "--conf" in error.hint, "it may be meant for neither"
    begin(tmp_path, "two")
    assert "one, two" in refused(None).what
    assert refused("three").hint == "one of one, two"


def test_the_default_one_is_taken_whatever_others_are_up(tmp_path: Path) -> None:
    begin(tmp_path, "another", "lab", "third")
    # It is found, and half built.
    assert str(refused(None)) == 'lab "lab": is not complete'


def test_a_cluster_that_is_named_elsewhere_needs_no_laboratory(tmp_path: Path) -> None:
    begin(tmp_path, "another")
    assert running_lab(None, elsewhere=True) is None


def test_a_shell_completes_their_names(tmp_path: Path) -> None:
    begin(tmp_path, "alpha", "beta")
    complete = completion_of(LAB)
    assert complete is not None
    assert complete() == ["alpha", "beta"]

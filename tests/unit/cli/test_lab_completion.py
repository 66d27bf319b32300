"""What a shell is offered for the machines and daemons of a laboratory."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.completion import get_completion_inspect_parameters
from typer.testing import CliRunner

from howdah.cli import lab as cli
from howdah.errors import UserError
from howdah.lab import registry
from howdah.session import laboratories as session
from support.labs import lab_state


@pytest.fixture(autouse=True)
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A laboratory that is entered in a registry of the test's own."""
    monkeypatch.setattr(registry, "registry", lambda: tmp_path)
    (tmp_path / "lab").mkdir()
    lab_state(tmp_path / "lab").write()
    registry.register("lab", tmp_path / "lab")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("ssh ", ["m1", "h1-1", "h1-2", "h2-1", "h2-2", "client"]),
        ("ssh --name lab c", ["client"]),
        ("ssh --name other ", ["client"]),
        ("kill h1-", ["h1-1", "h1-2"]),
        ("kill h1", ["h1-1", "h1-2", "h1"]),
        ("start h2", ["h2-1", "h2-2", "h2"]),
        ("kill h2 ", ["datanode", "nodemanager"]),
        ("kill h2 --how ", ["process", "host"]),
        ("kill h1-1 ", ["datanode", "nodemanager"]),
        ("kill m1 n", ["namenode"]),
        ("kill nosuch ", []),
        ("status --name ", ["lab"]),
    ],
)
def test_machines_and_daemons_are_offered_by_name(words: str, offered: list[str]) -> None:
    line = f"lab {words}"
    asked = {"_LAB_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    get_completion_inspect_parameters()  # It knows the shells from then on, as in howdah itself.
    done = CliRunner().invoke(cli.app, [], prog_name="lab", env=asked)
    assert done.output.split() == offered


def test_a_wrong_name_is_told_with_those_there_are() -> None:
    with pytest.raises(UserError) as told:
        session.status("other")
    assert told.value.hint == "name one that is up (lab), or build it: howdah lab up PLAN"

"""Which command a command line is about."""

from __future__ import annotations

import pytest

from howdah.cli import main
from howdah.cli.lazy import named_by


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("run --queue", "run"),
        ("run terasuite --queue", "run"),
        ("lab up --hosts", "lab up"),
        ("lab --hosts", "lab"),
        ("runs attach last --host", "runs attach"),
        ("plan hosts.yaml --workload", "plan"),
        ("plan explain --workload", "plan explain"),
        ("--nosuch", ""),
        ("nosuch --flag", ""),
    ],
)
def test_a_command_is_named_by_the_words_it_begins_with(line: str, name: str) -> None:
    assert named_by(line.split()) == name


def test_a_flag_without_its_value_leads_to_its_commands_help(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["howdah", "run", "terasuite", "--queue"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    told = capfd.readouterr().err
    assert "'--queue' requires an argument" in told
    assert "see `howdah run --help`" in told

"""Which command a command line is about, and commands that are not imported to be listed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.core import TyperGroup

from howdah.cli import main
from howdah.cli.lazy import COMMANDS, load_command, named_by

LISTING = """
import sys
sys.argv = ["howdah", *{arguments}]
from howdah.cli.main import main
try:
    main()
finally:
    loaded = [name for name in sys.modules if name.startswith("howdah.cli.")]
    print(sorted(loaded), file=sys.stderr)
"""


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
    printed = capfd.readouterr().err
    assert "--queue: needs a value" in printed
    assert "see `howdah run --help`" in printed


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_line_in_the_list_is_its_own_help(name: str) -> None:
    assert load_command(name).get_short_help_str(limit=200) == COMMANDS[name].help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_its_own_have_examples(name: str) -> None:
    command = load_command(name)
    own = command.commands if isinstance(command, TyperGroup) else {}
    for word, one in {"": command, **own}.items():
        line = f"howdah {name} {word}".strip()
        assert line in (one.epilog or "") or one.hidden, line


MOST_MODULES = 60
"""Modules of howdah that a command may import before it reports a mistyped flag."""

MISTYPED = """
import sys
sys.argv = ["howdah", *{words}, "--mistyped"]
from howdah.cli.main import main
try:
    main()
except SystemExit as ended:
    assert ended.code == 2, ended.code
print(sum(name.startswith("howdah") for name in sys.modules))
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_mistyped_flag_is_reported_before_the_work_is_imported(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MISTYPED.format(words=name.split())],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "--mistyped" in done.stderr
    assert int(done.stdout) <= MOST_MODULES


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_commands_are_listed_without_importing_one(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTING.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    for name, lazy in COMMANDS.items():
        assert (f"\n  {name} " in done.stdout) is bool(lazy.heading)
    assert "howdah.cli.lazy" in done.stderr
    assert "howdah.cli.run" not in done.stderr
    assert "scipy" not in done.stderr


INTERRUPTED = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from howdah.__main__ import main
main()
"""


def test_ctrl_c_while_the_command_loads_is_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "error: stopped by the user\n")


IN_A_CALLBACK = """
import sys, time
class Removed:
    def __del__(self):
        raise KeyboardInterrupt
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            Removed()
            time.sleep(60)
sys.meta_path.insert(0, Slow())
from howdah.__main__ import main
main()
"""


def test_ctrl_c_in_a_callback_where_python_ignores_it_is_repeated() -> None:
    command = [sys.executable, "-c", IN_A_CALLBACK]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stderr) == (130, "error: stopped by the user\n")

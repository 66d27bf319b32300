"""What `make test` prints at its start: is it complete?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from support.needs import COMMANDS

TESTS = Path(__file__).parents[1]
_WHICH = "shutil.which"


def _commands_of_skips(source: str) -> Iterator[str]:
    """The commands whose lack skips tests, by the conditions of ``skipif``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "skipif":
            for call in ast.walk(node.args[0]):
                if isinstance(call, ast.Call) and _WHICH in map(ast.unparse, (call.func, *call.args)):
                    words = (part.value for part in ast.walk(call) if isinstance(part, ast.Constant))
                    yield from (word for word in words if isinstance(word, str))


def test_every_command_without_which_tests_are_skipped_is_printed() -> None:
    lacked = {
        command
        for file in TESTS.rglob("*.py")
        if "skipif" in (source := file.read_text())
        for command in _commands_of_skips(source)
    }
    assert {"iperf3", "systemd-analyze", "prometheus-node-exporter", "xmllint"} <= lacked
    assert lacked <= COMMANDS.keys()

"""The stub file describes the native module as it is."""

from __future__ import annotations

import subprocess
import sys


def test_the_stub_and_the_module_agree() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "howdah._native"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr

"""What README's commands write into a clone: nothing of it is the project's."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_ASKED = re.compile(r"^    \$ .* --output (\S+)", re.MULTILINE)
_SAID = re.compile(
    r"^    (?:plan|page|prediction|report) +([\w./-]+(?:\.yaml|\.html|/[\w.-]+))(?: .*)?$", re.MULTILINE
)


@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="not a clone")
def test_git_ignores_whatever_its_commands_write() -> None:
    text = (ROOT / "README.md").read_text()
    written = sorted({*_ASKED.findall(text), *_SAID.findall(text)})
    assert {"conf", "plan.yaml", "plan.html"} <= set(written)
    for path in written:
        done = subprocess.run(["git", "check-ignore", "--quiet", f"{path}/file"], cwd=ROOT, check=False)
        assert done.returncode == 0, f"{path} would make a clone dirty"

"""What README's commands write into a clone: nothing of it is the project's."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.command import howdah

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


def test_the_plan_and_its_picture_are_what_howdah_plans(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    found = re.search(r"^    \$ howdah (plan examples/\S+ .*)\n    (.+)$", text, re.MULTILINE)
    assert found is not None
    words = [str(ROOT / word) if word.startswith("examples/") else word for word in found[1].split()]
    done = howdah(*words, cwd=tmp_path)
    assert done.stdout.splitlines()[0] == found[2]
    picture = (ROOT / "docs/images/plan.png").read_bytes()
    kept = re.search(rb"tEXtanswer\0([^\0]+?\.)", picture)
    assert kept is not None, "renew it: python scripts/plan_picture.py"
    assert kept[1].decode("latin-1") == found[2], "renew it: python scripts/plan_picture.py"

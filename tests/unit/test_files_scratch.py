"""Temporary folders of processes that were killed are removed by the next one, and no others."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.files import scratch_folder

HOLDS = """
import sys, time
from howdah.files import scratch_folder
with scratch_folder("test") as folder:
    (folder / "file").write_text("kept")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own for temporary folders, here and in processes that are started."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield tmp_path
    tempfile.tempdir = None


def _holder() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen([sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_folder_is_this_user_s_alone_and_goes_with_its_context() -> None:
    with scratch_folder("test") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "deep").mkdir()
        (folder / "deep/file").write_text("text")
    assert not folder.exists()


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_has_is_not() -> None:
    killed, left = _holder()
    living, kept = _holder()
    try:
        killed.kill()
        killed.wait()
        assert (left / "file").exists()
        with scratch_folder("test"):
            assert not left.exists()
            assert (kept / "file").read_text() == "kept"
    finally:
        living.kill()
        living.wait()


def test_folders_of_other_names_links_and_new_ones_are_left_alone(temporary: Path) -> None:
    other = temporary / "howdah-other-1"
    target = temporary / "target"
    fresh, old = temporary / "howdah-test-fresh.locked", temporary / "howdah-test-old.locked"
    # Another version of howdah may be at work in these, without a lock.
    unlocked, forgotten = temporary / "howdah-test-unlocked", temporary / "howdah-test-forgotten"
    for folder in (other, target, fresh, old, unlocked, forgotten):
        folder.mkdir()
    for folder in (other, target, unlocked, forgotten):
        (folder / "file").write_text("kept")
    link = temporary / "howdah-test-link"
    link.symlink_to(target)
    (temporary / "howdah-test-file").write_text("kept")
    hour_ago = time.time() - 3600
    for folder in (old, unlocked):
        os.utime(folder, (hour_ago, hour_ago))
    os.utime(forgotten, (hour_ago - 86400, hour_ago - 86400))
    with scratch_folder("test"):
        # The empty new one may be another process's, which has yet to lock it.
        assert fresh.exists()
        assert not old.exists()
        assert unlocked.exists()
        assert not forgotten.exists()
        assert link.is_symlink()
    assert (target / "file").exists()
    assert (other / "file").exists()
    assert (temporary / "howdah-test-file").exists()

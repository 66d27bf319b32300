"""Files that users name, written whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.files import replace_file
from support.patience import PATIENCE_S


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    target = tmp_path / "plan.yaml"
    target.write_text("before")
    replace_file(target, "after")
    assert target.read_text() == "after"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_may_be_read_by_whom_the_user_lets(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "plan.yaml", "text")
    finally:
        os.umask(before)
    assert (tmp_path / "plan.yaml").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    target.write_text("before")
    link.symlink_to(target)
    replace_file(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"


def test_a_pipe_takes_the_text(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    replace_file(pipe, "text")
    reader.join(PATIENCE_S)
    assert read == ["text"]
    assert pipe.is_fifo()


def test_a_directory_that_is_missing_is_one_error(tmp_path: Path) -> None:
    target = tmp_path / "no" / "plan.yaml"
    with pytest.raises(UserError) as caught:
        replace_file(target, "text")
    assert caught.value.where == str(target)


def test_a_full_disk_is_said_to_be_full() -> None:
    with pytest.raises(UserError, match="No space left") as caught:
        replace_file(Path("/dev/full"), "text")
    assert "free space" in caught.value.hint

"""Locks of the store."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from howdah.store.layout import FileLock


def test_a_file_that_another_user_made_is_locked_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "race.lock"
    path.touch()
    opened = os.open

    def refusing(name: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return opened(name, flags, mode)

    monkeypatch.setattr(os, "open", refusing)
    with FileLock(path, wait=False), pytest.raises(BlockingIOError):
        FileLock(path, wait=False)

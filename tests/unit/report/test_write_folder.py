"""A page's files are put into their folder all at once, or not at all."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from howdah.report.write import put

FILES: dict[str, str | bytes] = {"figures/a.svg": "<svg/>", "page.md": "said", "page.html": b"x" * 10_000}


def _there(folder: Path) -> dict[str, bytes]:
    return {
        one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()
    }


@contextmanager
def _no_file_larger_than(size: int) -> Iterator[None]:
    """The kernel refuses to write more, as it does where a disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_files_are_put_below_a_folder_that_was_not_there(tmp_path: Path) -> None:
    put(tmp_path / "new/out", FILES)
    assert _there(tmp_path / "new/out") == {
        "figures/a.svg": b"<svg/>",
        "page.md": b"said",
        "page.html": b"x" * 10_000,
    }


def test_what_was_there_stays_whole_where_there_is_no_room(tmp_path: Path) -> None:
    before: dict[str, str] = {"page.html": "the page before", "page.md": "said before", "other": "somebody's"}
    put(tmp_path, before)
    with _no_file_larger_than(5_000), pytest.raises(OSError, match="File too large"):
        put(tmp_path, FILES)
    assert _there(tmp_path) == {name: text.encode() for name, text in before.items()}
    assert not (tmp_path / "figures").exists()


def test_nothing_is_left_where_nothing_was(tmp_path: Path) -> None:
    with _no_file_larger_than(5_000), pytest.raises(OSError, match="File too large"):
        put(tmp_path / "new/out", FILES)
    assert list(tmp_path.iterdir()) == []

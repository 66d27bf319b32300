"""A password comes from a file that nobody else reads, or from a pipe."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.files import read_password


def test_a_password_is_the_one_line_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.touch(0o600)
    for text in ("open  sesame", "open  sesame\n", "open  sesame\r\n"):
        file.write_text(text)
        assert read_password("--password-file", file) == "open  sesame"


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (b"sesame", 0o640, "is readable by other users"),
        (b"sesame\nopen\n", 0o600, "does not contain exactly one line"),
        (b"\n", 0o600, "does not contain exactly one line"),
        (b"\xff", 0o600, "it is not text"),
        (None, 0o600, "No such file"),
    ],
)
def test_what_is_no_password_is_named(tmp_path: Path, content: bytes | None, mode: int, said: str) -> None:
    file = tmp_path / "password"
    if content is not None:
        file.write_bytes(content)
        file.chmod(mode)
    with pytest.raises(UserError, match=f"--sudo-password-file .*{said}"):
        read_password("--sudo-password-file", file)


def test_a_pipe_is_read_once() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"sesame\n")
    os.close(writing)
    assert read_password("--ssh-password-file", Path(f"/dev/fd/{reading}")) == "sesame"
    os.close(reading)

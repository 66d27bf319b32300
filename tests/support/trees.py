"""Grows recorded machines: the /proc, /sys and /etc of a host from one compact text.

A line of a ``.tree`` file is one of

    path = text            a file; with nothing after "=", the lines below that begin with "| "
    path -> target         a symbolic link
    path/                  a folder
    path !                 something that is there and cannot be read, not even by root
    # comment

``{0-3,8}`` or ``{a-t}`` in a path stands for several paths; ``$1`` in the text or target is what the
first such group became.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from howdah.model.host import XfsGeometry
from howdah.probe.tree import Answer, Inquiry, Space

DATA = Path(__file__).parent.parent / "data" / "probe"
_GROUP = re.compile(r"\{([^}]*)\}")


class RecordedInquiry(Inquiry):
    """Answers as they were when the tree was recorded; what was not asked then is not there."""

    def __init__(
        self,
        spaces: Mapping[str, Space] | None = None,
        xfs: Mapping[str, XfsGeometry] | None = None,
        commands: Mapping[tuple[str, ...], Answer | OSError] | None = None,
    ) -> None:
        self._spaces = spaces or {}
        self._xfs = xfs or {}
        self._commands = commands or {}

    def space(self, mount: str) -> Space:
        if mount not in self._spaces:
            raise PermissionError(13, "Permission denied", mount)
        return self._spaces[mount]

    def xfs(self, mount: str) -> XfsGeometry:
        if mount not in self._xfs:
            raise PermissionError(13, "Permission denied", mount)
        return self._xfs[mount]

    def clock_synchronised(self) -> bool:
        return True

    def command(self, *words: str) -> Answer:
        answer = self._commands.get(words, FileNotFoundError(2, "No such file or directory", words[0]))
        if isinstance(answer, OSError):
            raise answer
        return answer


def grow(root: Path, name: str, extra: str = "") -> Path:
    """Write the tree of that name below ``root``; lines of ``extra`` come after it and win."""
    text = (DATA / f"{name}.tree").read_text() + "\n" + extra
    return grow_text(root, text)


def grow_text(root: Path, text: str) -> Path:
    """Write a tree given as text below ``root``."""
    for path, kind, content in _entries(text):
        for real, filled in _expand(path, content):
            _write(root / real, kind, filled)
    return root


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    while lines:
        line = lines.pop(0)
        if line.endswith("/") and " " not in line:
            yield line, "/", ""
        elif line.endswith(" !"):
            yield line.removesuffix(" !"), "!", ""
        elif " -> " in line:
            path, _, target = line.partition(" -> ")
            yield path, "->", target
        else:
            path, sign, content = line.partition(" =")
            if not sign:
                raise ValueError(f"not a line of a tree: {line!r}")
            below = []
            while lines and lines[0].startswith("|"):
                below.append(lines.pop(0)[2:])
            yield path, "=", "\n".join(below) if below else content.strip()


def _expand(path: str, content: str) -> Iterator[tuple[str, str]]:
    groups = [list(_members(group)) for group in _GROUP.findall(path)]
    for values in itertools.product(*groups):
        filled = content
        for number, value in enumerate(values, 1):
            filled = filled.replace(f"${number}", value)
        yield _GROUP.sub("{}", path).format(*values), filled


def _members(group: str) -> Iterator[str]:
    for part in group.split(","):
        numbers = re.fullmatch(r"(\d+)-(\d+)", part)
        letters = re.fullmatch(r"([a-z])-([a-z])", part)
        if numbers:
            yield from map(str, range(int(numbers[1]), int(numbers[2]) + 1))
        elif letters:
            yield from map(chr, range(ord(letters[1]), ord(letters[2]) + 1))
        else:
            yield part


def _write(path: Path, kind: str, content: str) -> None:
    if kind == "/":
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "=":
        path.write_text(content + "\n")
    elif kind == "->":
        path.symlink_to(content)
    else:
        path.symlink_to(path.name)  # a link to itself: reading it fails for everybody

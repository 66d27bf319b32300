"""What a probe reads: a machine's /proc, /sys and /etc, and answers that only the running system gives."""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import NamedTuple, TypeVar

from howdah.model.host import Unread, XfsGeometry
from howdah.units import natural_key

T = TypeVar("T")


class Space(NamedTuple):
    """Size and free room of a mounted file system, bytes."""

    size_bytes: int
    free_bytes: int
    block_bytes: int
    reserved_bytes: int | None = None


class Answer(NamedTuple):
    """What a command printed, both streams together."""

    text: str
    exit_code: int


class Inquiry:
    """Facts outside of files; every method raises OSError with a reason, as always for a recorded tree."""

    why = "a recorded tree cannot run commands"

    def space(self, mount: str) -> Space:
        """The room in the file system mounted there."""
        raise OSError(None, self.why, mount)

    def xfs(self, mount: str) -> XfsGeometry:
        """The layout of the XFS mounted there."""
        raise OSError(None, self.why, mount)

    def clock_synchronised(self) -> bool:
        """Whether the kernel's clock is kept in step."""
        raise OSError(None, self.why)

    def command(self, *words: str) -> Answer:
        """Run a program that only reads."""
        raise OSError(None, self.why, words[0])


class LiveInquiry(Inquiry):
    # XFS_IOC_FSGEOMETRY_V1, _IOR('X', 100, struct xfs_fsop_geom_v1) in the kernel's xfs_fs.h: the
    # oldest form, which every kernel answers, unprivileged. Its first fields are 32-bit: block
    # size, real-time extent size, blocks per allocation group, allocation groups.
    _XFS_GEOMETRY_BYTES = 112
    _TIME_ERROR = 5
    _XFS_GEOMETRY = (2 << 30) | (_XFS_GEOMETRY_BYTES << 16) | (ord("X") << 8) | 100

    def __init__(self, timeout_s: float = 5.0) -> None:
        self._timeout_s = timeout_s

    def space(self, mount: str) -> Space:
        """The room in the file system mounted there, as an unprivileged user has it."""
        status = os.statvfs(mount)
        blocks = status.f_blocks, status.f_bavail, 1, status.f_bfree - status.f_bavail
        return Space(*(count * status.f_frsize for count in blocks))

    def xfs(self, mount: str) -> XfsGeometry:
        """The layout of the XFS mounted there; the folder must be readable."""
        geometry = bytearray(self._XFS_GEOMETRY_BYTES)
        descriptor = os.open(mount, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(descriptor, self._XFS_GEOMETRY, geometry)
        finally:
            os.close(descriptor)
        block_bytes, _, group_blocks, groups = struct.unpack_from("=4I", geometry)
        return XfsGeometry(agcount=groups, agsize_bytes=group_blocks * block_bytes)

    def clock_synchronised(self) -> bool:
        """Whether the kernel's clock is kept in step: adjtimex, asked for nothing, says TIME_ERROR if not."""
        libc = ctypes.CDLL(None, use_errno=True)
        # The structure is 208 bytes on 64-bit Linux; all zero, it changes nothing.
        state = libc.adjtimex(ctypes.create_string_buffer(512))
        if state < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return bool(state != self._TIME_ERROR)

    def command(self, *words: str) -> Answer:
        """Run a program, in the C locale, for ``timeout_s`` at most."""
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=self._timeout_s,
                env={**os.environ, "LC_ALL": "C"},
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(None, f"no answer within {self._timeout_s:g} s") from error
        return Answer(done.stdout.decode(errors="replace"), done.returncode)


class FileTree:
    """Reads small files below ``root``; a path is given without its leading slash.

    A reader that fails returns None. It notes the reason in ``unread`` only where the caller names
    what it was after: much of /sys is absent for good reasons.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._unread: dict[str, str] = {}

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What could not be read so far, in the order it was noted."""
        return tuple(Unread(what=fact, why=why) for fact, why in self._unread.items())

    def note(self, fact: str, why: str) -> None:
        """Note that a fact could not be read; the first reason is kept."""
        self._unread.setdefault(fact, why)

    def answer(self, fact: str, place: str, inquire: Callable[[], T]) -> T | None:
        """The system's answer; None, with a note of the reason, if there is none."""
        try:
            return inquire()
        except OSError as error:
            self.note(fact, f"{place}: {error.strerror}")
            return None

    def text(self, path: str, fact: str | None = None) -> str | None:
        """A file's text without surrounding white space."""
        try:
            # Device names may hold any byte; none of them is worth failing for.
            return (self.root / path).read_text(errors="replace").strip().strip("\0")
        except OSError as error:
            if fact is not None:
                self.note(fact, f"/{path}: {error.strerror}")
            return None

    def lines(self, path: str, fact: str | None = None) -> list[str]:
        return (self.text(path, fact) or "").splitlines()

    def fields(self, path: str, separator: str, fact: str | None = None) -> dict[str, str]:
        """The values in a file's lines by their keys."""
        lines = (line.partition(separator) for line in self.lines(path, fact))
        return {key: value for key, _, value in lines}

    def integer(self, path: str, fact: str | None = None) -> int | None:
        text = self.text(path, fact)
        if text is None:
            return None
        try:
            return int(text)
        except ValueError:
            if fact is not None:
                self.note(fact, f"/{path}: {text!r} is not a number")
            return None

    def exists(self, path: str) -> bool:
        return (self.root / path).exists()

    def names(self, path: str) -> list[str]:
        """What a folder holds, ``cpu2`` before ``cpu10``; nothing if it cannot be read."""
        try:
            names = [entry.name for entry in (self.root / path).iterdir()]
        except OSError:
            return []
        return sorted(names, key=natural_key)

    def link(self, path: str) -> PurePath | None:
        """Where a symbolic link points, as it is written."""
        try:
            return (self.root / path).readlink()
        except OSError:
            return None


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """The CPUs of a kernel list such as ``0-3,8``."""
    cpus: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return tuple(cpus)


def parse_size(text: str) -> int:
    """Bytes in the kernel's ``24684092 kB``, ``32768K`` or ``32M``; its kB are KiB."""
    match = re.match(r"\s*(\d+)\s*([KMG]?)", text, re.IGNORECASE)
    if match is None:
        raise ValueError(f"{text!r} is not a size")
    return int(match.group(1)) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[match.group(2).upper()]

"""What no file tells: questions only the running system can answer."""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import subprocess
from pathlib import Path
from typing import NamedTuple, Protocol

from howdah.model.storage import XfsGeometry


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


class Inquiry(Protocol):
    """Asks the system; every method raises OSError, with a reason, if there is no answer."""

    def space(self, mount: str) -> Space:
        """The room in the file system mounted there."""

    def xfs(self, mount: str) -> XfsGeometry:
        """The layout of the XFS mounted there."""

    def clock_synchronised(self) -> bool:
        """Whether the kernel's clock is kept in step."""

    def command(self, *words: str) -> Answer:
        """Run a program that only reads."""


class LiveInquiry:
    """Asks this machine."""

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
        unit = status.f_frsize
        return Space(
            size_bytes=status.f_blocks * unit,
            free_bytes=status.f_bavail * unit,
            block_bytes=unit,
            reserved_bytes=(status.f_bfree - status.f_bavail) * unit,
        )

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


class NoInquiry:
    """A recorded tree: nobody is there to answer."""

    _WHY = "a recorded tree cannot run commands"

    def space(self, mount: str) -> Space:
        """Not to be had."""
        raise OSError(None, self._WHY, mount)

    def xfs(self, mount: str) -> XfsGeometry:
        """Not to be had."""
        raise OSError(None, self._WHY, mount)

    def clock_synchronised(self) -> bool:
        """Not to be had."""
        raise OSError(None, self._WHY)

    def command(self, *words: str) -> Answer:
        """Not to be had."""
        raise OSError(None, self._WHY, words[0])


def inquiry_for(root: Path) -> Inquiry:
    """The inquiry that fits a tree: this machine for ``/``, nobody for a recorded one."""
    return LiveInquiry() if root == Path("/") else NoInquiry()

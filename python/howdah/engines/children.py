"""What becomes of a program that an engine started when howdah itself is killed."""

from __future__ import annotations

import ctypes
import signal

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Let the kernel end this process with its parent; called in a child before its program begins."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

"""Entering another network namespace: Python has no call for it before its release 3.12."""

from __future__ import annotations

import ctypes
import os

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET of <sched.h>


def enter_network(space: int) -> None:
    """Move the thread that calls to the network namespace of an open file; raises OSError."""
    if ctypes.CDLL(None, use_errno=True).setns(space, _NEW_NETWORK) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))

"""Opening things in another network namespace, in which they stay whatever becomes of its processes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TypeVar

from howdah.namespaces import enter_network

_Opened = TypeVar("_Opened")


def opened_in(namespace: Path, open_it: Callable[[], _Opened]) -> _Opened:
    """What ``open_it`` returns in a network namespace, ``/run/netns/NAME`` or ``/proc/PID/ns/net``.

    Files below /proc/thread-self/net and sockets belong to the namespace they were opened in. Raises
    OSError if the namespace cannot be entered, and whatever ``open_it`` raises.
    """
    result: list[_Opened] = []
    failure: list[BaseException] = []

    def enter_and_open() -> None:
        try:
            _enter(namespace)
            result.append(open_it())
        except BaseException as error:  # raised again in the thread that asked
            failure.append(error)

    # A namespace is entered by one thread, which is thrown away afterwards: none of howdah's own
    # threads ever leaves its own.
    thread = Thread(target=enter_and_open, name="howdah-namespace")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]


def _enter(namespace: Path) -> None:
    descriptor = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        enter_network(descriptor)
    finally:
        os.close(descriptor)

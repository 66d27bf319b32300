"""Machines that come and go while they are sampled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from howdah.telemetry.source import Source


class Member(NamedTuple):
    """A machine that joined a cluster, where it is, and what is sampled of it."""

    name: str
    level: Literal["host", "worker", "master"]
    host: str
    rack: str
    sources: tuple[Source, ...]


class Membership(NamedTuple):
    """What changed since the last time."""

    joined: tuple[Member, ...] = ()
    leaving: frozenset[str] = frozenset()
    """Machines that are being emptied, in good order: from now on it is no fault that they do not answer."""
    left: frozenset[str] = frozenset()
    """Machines that are gone."""


Follow = Callable[[], Membership]
"""Called once a second from a thread of the sampler's; it must not raise."""

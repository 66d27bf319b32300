"""What machines have to measure with, asked before a run begins."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from howdah.engines.hosts.command import Ended, run
from howdah.engines.hosts.target import Station, Tools
from howdah.errors import RunFailed, UserError

_VERSION = re.compile(r"^iperf (\d+(?:\.\d+)*)", re.MULTILINE)
_OLDEST = (3, 7)
"""The first one that can measure both ways at once."""
_NOT_FOUND = 127
_SOON_S = 0.01
_USUAL_S = 0.2
"""What older releases of ping allow to everybody but root."""
_AT_ONCE = 64
"""Machines that are asked at the same time."""


def find_tools(stations: Sequence[Station]) -> Tools:
    """What all these machines have; raises UserError for one that is not reached or has no iperf3."""
    return asyncio.run(_find(stations))


async def _find(stations: Sequence[Station]) -> Tools:
    room = asyncio.Semaphore(_AT_ONCE)

    async def ask(station: Station) -> tuple[str, float | None]:
        async with room:
            return await _iperf(station), await _ping(station)

    found = await asyncio.gather(*map(ask, stations))
    intervals = [interval_s for _, interval_s in found]
    known = [interval_s for interval_s in intervals if interval_s is not None]
    versions = ", ".join(sorted({version for version, _ in found}))
    return Tools(versions, max(known) if known and len(known) == len(intervals) else None)


async def _iperf(station: Station) -> str:
    answer = await _ask(station, "iperf3", "--version")
    version = _VERSION.search(answer.output)
    if version is None:
        if answer.code == _NOT_FOUND or "No such file" in answer.errors:
            raise UserError(
                f"host {station.name}", "has no iperf3", "install it there: apt-get or dnf install iperf3"
            )
        raise UserError(f"host {station.name}", f"cannot run a command: {answer.complaint}", _tried(station))
    if tuple(map(int, version[1].split("."))) < _OLDEST:
        wanted = ".".join(map(str, _OLDEST))
        raise UserError(
            f"host {station.name}", f"has iperf3 {version[1]}", f"install {wanted} or later there"
        )
    return version[1]


async def _ping(station: Station) -> float | None:
    """How soon after one another this user's pings may follow on a machine."""
    for interval_s in (_SOON_S, _USUAL_S):
        if (await _ask(station, "ping", "-n", "-i", f"{interval_s:g}", "-c", "2", station.address)).code == 0:
            return interval_s
    return None


async def _ask(station: Station, *words: str) -> Ended:
    try:
        return await run(station, words, 5)
    except RunFailed as error:
        raise UserError(f"host {station.name}", error.what, _tried(station)) from error


def _tried(station: Station) -> str:
    return f"tried: {' '.join(station.prefix)} …" if station.prefix[:1] != ("sh",) else "is the lab up?"

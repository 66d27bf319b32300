"""A command that runs on a machine: to its end, or as a server while something else asks it.

Every one ends by itself after a time, for what ``ssh`` began goes on where howdah is killed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from howdah.engines.children import end_with_parent
from howdah.engines.hosts.target import Station
from howdah.errors import RunFailed

_LOG = logging.getLogger(__name__)
_REACH_S = 30.0
"""How long it may take to get to a machine and back, beside what runs there."""
_LAST_CHARACTERS = 300


class Ended(NamedTuple):
    """What a command came to."""

    code: int
    output: str
    errors: str

    @property
    def complaint(self) -> str:
        """The last line it said of what was wrong, or else its exit code."""
        lines = [
            line.strip() for line in (*self.output.splitlines(), *self.errors.splitlines()) if line.strip()
        ]
        return lines[-1][-_LAST_CHARACTERS:] if lines else f"exit code {self.code}"


async def run(station: Station, words: Sequence[str], within_s: float) -> Ended:
    """Run a command on a machine to its end, or to that of its time, and return what it said."""
    process = await _start(station, words, within_s)
    try:
        output, errors = await asyncio.wait_for(process.communicate(), within_s + _REACH_S)
    except TimeoutError:
        return Ended(-1, "", f"no end within {within_s + _REACH_S:g} s")
    finally:
        await _end(process)
    return Ended(process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace"))


@asynccontextmanager
async def serving(
    station: Station, words: Sequence[str], *, ready: str, within_s: float
) -> AsyncIterator[None]:
    """A server on a machine from when it says ``ready`` until it is left.

    Raises RunFailed where it ends before that.
    """
    process = await _start(station, words, within_s)
    try:
        await asyncio.wait_for(_until(process, ready, station), _REACH_S)
        yield
        # One that has served its only client ends by itself, and lets go of its port by that.
        with suppress(TimeoutError):
            await asyncio.wait_for(process.communicate(), 1.0)
    except TimeoutError as error:
        raise RunFailed(station.name, f"{words[0]} did not begin within {_REACH_S:g} s") from error
    finally:
        await _end(process)


async def _start(station: Station, words: Sequence[str], within_s: float) -> Process:
    command = [*station.prefix, "timeout", f"{within_s:g}", *words]
    _LOG.info("%s: %s", station.name, " ".join(words))
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=station.environment,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
    except OSError as error:
        raise RunFailed(station.name, f"cannot be reached by {command[0]}: {error.strerror}") from error


async def _until(process: Process, ready: str, station: Station) -> None:
    assert process.stdout is not None
    said = []
    async for raw in process.stdout:
        line = raw.decode(errors="replace").strip()
        if ready in line:
            return
        said.append(line)
    _, errors = await process.communicate()
    raise RunFailed(
        station.name,
        Ended(process.returncode or 0, "\n".join(said), errors.decode(errors="replace")).complaint,
    )


async def _end(process: Process) -> None:
    for stop in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, stop)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 2.0)

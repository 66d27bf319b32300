"""Work that takes its time, done by processes: they can be ended at any moment, as threads cannot.

A request's work ends with the request: when its visitor leaves, when it takes too long, when the same page
sends a newer request, and when the server ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, Final, Generic, NamedTuple, ParamSpec, TypeVar, cast

from howdah.errors import HowdahError, UserError
from howdah.serve.places import NotServed

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")

_CONTEXT: Final = get_context("forkserver")
# What starts the processes has imported everything once, and so have they.
_CONTEXT.set_forkserver_preload(["__main__", "howdah.serve.server"])


class Busy(RuntimeError):
    """Too much work waits already."""


class VisitorLeft(RuntimeError):
    """The visitor has left before the work was done."""


class Superseded(RuntimeError):
    """The same page has sent a newer request."""


class WorkProcesses:
    """So many pieces of work at once, and so many more that wait; used from the event loop's thread only."""

    def __init__(self, *, at_once: int, most_waiting: int, limit_s: float) -> None:
        self._room = asyncio.Semaphore(at_once)
        self._most, self._limit_s = at_once + most_waiting, limit_s
        self._count = 0

    async def do(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Call a function in a process, and end that process if this is cancelled.

        Raises Busy if too much work waits, UserError if it takes too long or the function raises any
        HowdahError, NotServed if that does. Function, arguments and result are pickled.
        """
        if self._count >= self._most:
            raise Busy
        self._count += 1
        try:
            async with self._room:
                return await self._done(_Process(function, arguments, named))
        finally:
            self._count -= 1

    async def _done(self, process: _Process[T]) -> T:
        try:
            await asyncio.to_thread(process.begin)
            async with asyncio.timeout(self._limit_s):
                return await asyncio.to_thread(process.answer)
        except TimeoutError as error:
            hint = "use the command line for work of this size"
            raise UserError("", f"takes more than {self._limit_s:.0f} s", hint) from error
        finally:
            process.end()


class RequestWork:
    """The work of one request."""

    def __init__(self, workers: WorkProcesses, gone: Callable[[], Awaitable[None]]) -> None:
        self._workers, self._gone = workers, gone

    async def __call__(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Do work as ``WorkProcesses.do``; raises VisitorLeft as soon as the visitor has left."""
        return await self.unless(None, function, *arguments, **named)

    async def unless(
        self,
        superseded: asyncio.Event | None,
        function: Callable[P, T],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Do work, but raise Superseded as soon as this event is set."""
        work = asyncio.ensure_future(self._workers.do(function, *arguments, **named))
        gone = asyncio.ensure_future(self._gone())
        newer = asyncio.ensure_future((superseded or asyncio.Event()).wait())
        every: tuple[asyncio.Future[Any], ...] = (work, gone, newer)
        try:
            await asyncio.wait(every, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            raise Superseded if newer.done() else VisitorLeft
        finally:
            for future in every:
                future.cancel()
            await asyncio.gather(*every, return_exceptions=True)


class Newest(OrderedDict[K, T]):
    """The entries that were kept last, ``most`` of them; any thread may use it."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._lock = most, threading.Lock()

    def keep(self, key: K, value: T) -> None:
        """Keep a value under its key as the newest one."""
        with self._lock:
            self[key] = value
            self.move_to_end(key)
            while len(self) > self._most:
                self.popitem(last=False)


_MOST_PAGES = 256


class Turns:
    """The newest request of each page, of which only the last counts: a slider that is dragged sends many.

    Used from the event loop's thread only.
    """

    def __init__(self) -> None:
        self._newest = Newest[str, asyncio.Event](_MOST_PAGES)

    def turn(self, page: str) -> asyncio.Event:
        """A page sends a request: the event of a newer one. Sets that of the page's request before."""
        if page in self._newest:
            self._newest.pop(page).set()
        newer = asyncio.Event()
        self._newest.keep(page, newer)
        return newer


class _Answer(NamedTuple):
    """What a process sends when it has done its work."""

    value: Any = None
    refusal: tuple[str, str, str] | None = None
    not_served: NotServed | None = None
    defect: str = ""


class _Process(Generic[T]):
    """One process for one piece of work."""

    def __init__(self, function: Callable[..., T], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._answers, self._sending = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(target=_work, args=(self._sending, function, arguments, named))
        self._ended = False

    def begin(self) -> None:
        """Start it; called in a thread, since the first one waits until everything is imported."""
        try:
            self._process.start()
        finally:
            self._sending.close()
        if self._ended:
            self.end()

    def answer(self) -> T:
        """Wait for what it returns or raises; called in a thread."""
        try:
            answer = cast(_Answer, self._answers.recv())
        except EOFError as error:
            raise RuntimeError("a process ended before its work was done") from error
        finally:
            self._answers.close()
        if answer.refusal is not None:
            raise UserError(*answer.refusal)
        if answer.not_served is not None:
            raise answer.not_served
        if answer.defect:
            raise RuntimeError(answer.defect)
        return cast(T, answer.value)

    def end(self) -> None:
        """End it, wherever it is; one that is being started ends as soon as it runs."""
        self._ended = True
        if self._process.pid is not None:
            for kill in (os.kill, os.killpg):
                with suppress(ProcessLookupError):
                    kill(self._process.pid, signal.SIGKILL)


def _end_with_server() -> None:
    server = parent_process()
    assert server is not None
    server.join()
    os.killpg(0, signal.SIGKILL)


def _work(
    answers: Connection[_Answer, Any],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
) -> None:
    # In a separate group it gets no Ctrl-C, which is the server's.
    os.setpgid(0, 0)
    threading.Thread(target=_end_with_server, daemon=True).start()
    try:
        answer = _Answer(function(*arguments, **named))
    except HowdahError as error:
        answer = _Answer(refusal=(error.where, error.what, error.hint))
    except NotServed as error:
        answer = _Answer(not_served=error)
    except Exception:
        answer = _Answer(defect=f"work has failed\n{traceback.format_exc()}")
    answers.send(answer)

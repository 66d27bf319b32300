"""Runs that are started from the browser: by the command line itself, one at a time, with one that may wait.

A run is a process of its own, which goes on whatever becomes of the server; what was started and what waits
is kept in a file, so that a server that was killed finds both again. What the command line refuses is refused
here in its words, because it is the command line that is asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from howdah.errors import RecordError, UserError
from howdah.files import replacing
from howdah.model.base import Model
from howdah.model.engines import HADOOP, LOCAL, SIM, engines
from howdah.model.run_request import options_of
from howdah.model.workloads.option import Option
from howdah.model.workloads.suite import programs, suites
from howdah.serve.places import odd_file
from howdah.store.layout import RUN_ID
from howdah.store.reader import load_run_json

_LOG = logging.getLogger("uvicorn.error")
_STATE = "starts.json"
_RUNS_DIR = "--runs-dir="
_NOT_SHOWN = (_RUNS_DIR, "--quiet")
_PLACES = ("--plan=/", "--calibration=/")
_KEPT = 20  # As many that have ended are still shown.
_REFUSAL_S = 30.0  # A refused run ends so soon; one with a record by then, or not ended, has begun.
_INTERVAL_S = 0.25
_MOST_SAID = 4000
_NOT_ASKED = {"PATH", "DIR", "FILE", "COMMAND", "KEY=VALUE", "NAME", "FAULT"}
"""Options that name files, commands or other clusters are for whoever has the machine, not a browser."""
_CONF = ("HADOOP_CONF_DIR", "HBASE_CONF_DIR")  # A lab is meant, whatever the server's environment has.

_ENDS = {0: "ended", 1: "failed", 2: "refused", 130: "stopped"}

Engine = Literal["local", "sim", "hadoop", "hbase"]
Words = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""A word of a command line: no control characters."""


class StartAsked(Model):
    """A run that is to be started."""

    engine: Engine
    suite: Words
    options: dict[Words, Words] = Field(default_factory=dict)
    plan: Words = ""
    lab: Words = ""


class StartedRun(Model):
    """A run that was started from here."""

    number: int
    command: tuple[str, ...]  # The command line, without the directories that are the server's.
    state: Literal["waiting", "running", "ended", "refused", "failed", "stopped"]
    asked_s: float
    said: str = ""
    record: str = ""


class KeptRun(StartedRun):
    """A run that was started from here, as the server keeps it; visitors see neither places nor processes."""

    arguments: tuple[str, ...]
    pid: int | None = None
    born: str = ""  # When that process began, by the kernel: a number may be another process's by now.
    stopping: bool = False  # Whether a visitor stopped it.

    def without_places(self, text: str) -> str:
        """A text without the directories that its arguments name: who reads it need not have the token."""
        named = [Path(word.partition("=")[2]) for word in self.arguments if "=/" in word]
        for place in sorted({*named, *(path.parent for path in named)}, key=str, reverse=True):
            # The longest comes first: it begins with the others.
            text = text.replace(f"{place}/", "") if place.name else text
        return text

    def shown(self) -> StartedRun:
        """What visitors see of it."""
        return StartedRun.model_validate(self.model_dump(include=set(StartedRun.model_fields)))


_LIST = TypeAdapter(list[KeptRun])


def startable(engine: str) -> dict[str, tuple[Option[Any], ...]]:
    """What may be asked of each suite that an engine runs."""
    able: dict[str, tuple[Option[Any], ...]] = {}
    for suite, kinds in suites().items():
        workloads = [programs()[kind] for kind in kinds]
        if all(engine in program.programs for program in workloads):
            own = [option for program in workloads for option in options_of(program, engine)]
            every = dict.fromkeys((*own, *engines()[engine].options))
            able[suite] = tuple(
                option
                for option in every
                if option.metavar not in _NOT_ASKED and engine in (option.engines or (engine,))
            )
    return able


def arguments_of(
    request: StartAsked, *, runs_dir: Path, plan: Path | None, calibration: str | None
) -> tuple[str, ...]:
    """The words of `howdah` that start a run; raises UserError for an option that is not offered here."""
    suites_here = startable(request.engine)
    if request.suite not in suites_here:
        hint = f"one of {', '.join(suites_here)}"
        raise UserError("suite", f"{request.engine} does not run {request.suite!r} on this page", hint)
    options = {option.name: option for option in suites_here[request.suite]}
    words = ["run", request.suite, "--engine", request.engine, "--quiet", f"{_RUNS_DIR}{runs_dir.absolute()}"]
    for name, text in request.options.items():
        if name not in options:
            hint = "options that name files are for the command line"
            raise UserError(name, "is not an option of this suite", hint)
        # Bound to its flag, a value cannot be taken for another flag.
        words += [f"{options[name].flag}={text}"]
    if request.engine == SIM:
        if plan is None:
            raise UserError("plan", "is missing", "choose the plan to simulate")
        words += [f"--plan={plan}", *([f"--calibration={calibration}"] if calibration else [])]
    elif request.engine != LOCAL:
        if not request.lab:
            raise UserError("lab", "is missing", "build a lab with howdah lab up plan.yaml, then choose it")
        words += [f"--lab={request.lab}"]
    return tuple(words)


class Starter:
    """One run at a time, and one that waits."""

    def __init__(self, state_dir: Path, report: Callable[[], None]) -> None:
        self._dir, self._report = state_dir, report
        self._runs = self._read()
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def runs(self) -> tuple[StartedRun, ...]:
        """What was started from here, the newest first."""
        return tuple(run.shown() for run in reversed(self._runs))

    async def ask(self, arguments: tuple[str, ...]) -> StartedRun:
        """Start a run, or let it wait for the one under way; raises UserError as the command line does."""
        going = self._going()
        waiting = [run for run in self._runs if run.state == "waiting"]
        if waiting:
            problem = f"one run is under way and one waits already: {shlex.join(waiting[0].command)}"
            raise UserError("start", problem, "wait until it has begun, or remove it from the queue")
        shown = tuple(_without_place(word) for word in arguments if not word.startswith(_NOT_SHOWN))
        number = 1 + max((run.number for run in self._runs), default=0)
        command, now_s = ("howdah", *shown), time.time()
        run = KeptRun(number=number, command=command, arguments=arguments, state="waiting", asked_s=now_s)
        self._runs.append(run)
        if going is not None:
            self._keep()
            return run.shown()
        self._begin(run)
        if self._run(number).state == "failed":
            raise _refusal(self._run(number))
        return await self._refusal(number)

    async def _refusal(self, number: int) -> StartedRun:
        until_s = time.monotonic() + _REFUSAL_S
        while time.monotonic() < until_s:
            await asyncio.sleep(_INTERVAL_S)
            self.refresh()
            run = self._run(number)
            if run.state == "refused":
                raise _refusal(run)
            if run.state != "running" or run.record:
                break
        return self._run(number).shown()

    async def follow(self) -> None:
        """Look after what goes on, and begin what waits, until cancelled; no defect ends it."""
        while True:
            try:
                self.refresh()
            except Exception:
                _LOG.exception("the queue of runs")
            await asyncio.sleep(4 * _INTERVAL_S)

    def refresh(self) -> None:
        """See what has ended, and begin what waits."""
        for run in list(self._runs):
            if run.state == "running" and not run.record and (name := _record_of(run)):
                self._put(run, record=name)
        for run in list(self._runs):
            if run.state == "running" and not self._lives(run):
                self._ended(run)
        waiting = next((run for run in self._runs if run.state == "waiting"), None)
        if waiting is not None and self._going() is None:
            self._begin(waiting)

    def stop(self, number: int) -> None:
        """Stop a run as Ctrl-C would, or take it out of the queue; raises UserError where it has ended."""
        run = next((kept for kept in self._runs if kept.number == number), None)
        if run is None or run.state not in ("waiting", "running"):
            raise UserError(f"start {number}", "has ended", "there is nothing to stop")
        if run.state == "waiting":
            self._put(run, state="stopped", said="removed from the queue")
        elif self._lives(run) and run.pid is not None:
            self._put(run, stopping=True)
            os.kill(run.pid, signal.SIGINT)

    def _begin(self, run: KeptRun) -> None:
        """Begin a run; one that cannot even begin has failed, and those after it have their turn."""
        try:
            self._processes[run.number] = process = self._started(run)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            self._put(
                run, state="failed", said=f"it cannot be started: {why}\ncheck the free memory and disk space"
            )
        else:
            self._put(run, state="running", pid=process.pid, born=_born(process.pid))

    def _started(self, run: KeptRun) -> subprocess.Popen[bytes]:
        self._dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        surroundings = {name: value for name, value in os.environ.items() if name not in _CONF}
        with self._log(run).open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "howdah", *run.arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=surroundings,
                # Ctrl-C ends the server, and not the run.
                start_new_session=True,
            )

    def _ended(self, run: KeptRun) -> None:
        process = self._processes.pop(run.number, None)
        code = process.poll() if process is not None else None
        text = "\n".join(line.strip() for line in self._log_text(run).removeprefix("error: ").splitlines())
        # Of a process that another server began only its end is known.
        state = _ENDS.get(code, "failed") if code is not None else "ended"
        if run.stopping and state == "failed" and not run.record:
            # Python itself was still starting: its traceback is no failure of the run.
            state, text = "stopped", "stopped by the user"
        with contextlib.suppress(OSError):
            self._log(run).unlink()
        self._put(run, state=state, said=run.without_places(text), pid=None)

    def _lives(self, run: KeptRun) -> bool:
        process = self._processes.get(run.number)
        if process is not None:
            return process.poll() is None
        return run.pid is not None and bool(run.born) and _born(run.pid) == run.born

    def _going(self) -> KeptRun | None:
        return next((run for run in self._runs if run.state == "running" and self._lives(run)), None)

    def _run(self, number: int) -> KeptRun:
        return next(run for run in self._runs if run.number == number)

    def _put(self, run: KeptRun, **changes: Any) -> None:
        self._runs[self._runs.index(run)] = run.model_copy(update=changes)
        self._keep()

    def _keep(self) -> None:
        over = [run for run in self._runs if run.state not in ("waiting", "running")]
        for run in over[:-_KEPT]:
            self._runs.remove(run)
        with contextlib.suppress(OSError):
            self._dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            with replacing(self._dir / _STATE) as file:
                file.write(_LIST.dump_json(self._runs))
        self._report()

    def _read(self) -> list[KeptRun]:
        try:
            return _LIST.validate_json((self._dir / _STATE).read_bytes())
        except (OSError, ValidationError):
            return []

    def _log(self, run: KeptRun) -> Path:
        return self._dir / f"start-{run.number}.log"

    def _log_text(self, run: KeptRun) -> str:
        with contextlib.suppress(OSError):
            return self._log(run).read_bytes()[-_MOST_SAID:].decode(errors="replace").strip()
        return ""


def _record_of(run: KeptRun) -> str:
    """The name of the run that a started process writes; empty as long as it has no record."""
    folders = [word.removeprefix(_RUNS_DIR) for word in run.arguments if word.startswith(_RUNS_DIR)]
    for folder in folders:
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                fresh = entry.stat(follow_symlinks=False).st_ctime >= run.asked_s
                if fresh and RUN_ID.fullmatch(entry.name) and not odd_file(Path(entry.path)):
                    with contextlib.suppress(RecordError):
                        if load_run_json(Path(entry.path)).pid == run.pid:
                            return entry.name
    return ""


def _born(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty where there is none that lives."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]


def _refusal(run: KeptRun) -> UserError:
    """Why a run has not begun, in the words of what was to begin it."""
    problem, _, hint = run.said.partition("\n")
    return UserError("", problem, " ".join(hint.split()))


def _without_place(word: str) -> str:
    """A word of a command line without the directory of the file that it names."""
    if word.startswith(_PLACES):
        flag, _, path = word.partition("=")
        return f"{flag}={Path(path).name}"
    return word


ENGINES = (
    (LOCAL, "this machine, without Hadoop"),
    (SIM, "the simulator"),
    (HADOOP, "Hadoop on a lab"),
    ("hbase", "HBase on a lab"),
)  # The engines that runs are started on from here, and what they are called.

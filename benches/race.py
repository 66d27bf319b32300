"""Contestants on the same inputs, in turns: A B C A B C, so that whatever drifts drifts for all."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benches.cache import drop_from_cache
from benches.check import Found, found_by
from benches.contestant import LIMIT, OURS, Contestant, Output, limit
from benches.limit import DEPTHS
from benches.process import ProcessFailed, run_process
from benches.result import Case, Failure, Turn
from benches.task import Task, part_files
from benches.workspace import Workspace

Tell = Callable[[str], None]


class Wrong(Exception):
    """A contestant's output is not what it must be; the message says who and what."""


class Input(NamedTuple):
    """A file of rows and what is known of it."""

    path: Path
    keys: str
    rows: int
    checksum: str


class Start(NamedTuple):
    """One input with the contestants that work on it."""

    name: str
    input: Input
    memory_bytes: int
    contestants: Sequence[Contestant]


class Course:
    """Where races are held: the disk, the threads, the number of turns, and someone to tell."""

    def __init__(self, workspace: Workspace, threads: int, repeats: int, tell: Tell) -> None:
        self.workspace = workspace
        self.threads = threads
        self.repeats = repeats
        self.tell = tell

    def make_input(self, keys: str, rows: int) -> Input:
        """Write an input file; its checksum is taken from the disk."""
        path = self.workspace.inputs / f"{keys}-{rows}"
        self.tell(f"writing {rows:,} rows with {keys} keys")
        self.workspace.fresh()
        run_process(
            [sys.executable, "-m", "benches.rows", keys, str(rows), str(path)], self.workspace.scratch
        )
        found = self._found([path])
        if found.rows != rows:
            raise Wrong(f"{path}: {found.rows} rows where {rows} were written")
        return Input(path, keys, rows, found.checksum)

    def race(self, starts: Sequence[Start]) -> tuple[Case, ...]:
        """Let everyone have their turns; raise Wrong as soon as an output is not what it must be.

        A peer that ends with an error loses that turn and no other; for howdah and the limit it is
        the end of the race.
        """
        turns: dict[str, list[Turn]] = {start.name: [] for start in starts}
        failures: dict[str, list[Failure]] = {start.name: [] for start in starts}
        for repeat in range(self.repeats):
            for start in starts:
                for contestant in start.contestants:
                    try:
                        turn = self._turn(start, contestant, repeat)
                    except ProcessFailed as error:
                        if contestant.name in (OURS, LIMIT):
                            raise
                        failure = Failure(contestant=contestant.name, repeat=repeat, message=str(error))
                        failures[start.name].append(failure)
                        self.tell(f"{repeat + 1}/{self.repeats} {start.name}: {contestant.name} FAILED")
                        continue
                    turns[start.name].append(turn)
                    self.tell(f"{repeat + 1}/{self.repeats} {start.name}: {_said(turn)}")
        return tuple(
            Case(
                name=start.name,
                rows=start.input.rows,
                keys=start.input.keys or None,
                memory_bytes=start.memory_bytes or None,
                contestants={contestant.name: contestant.version for contestant in start.contestants},
                turns=tuple(turns[start.name]),
                failures=tuple(failures[start.name]),
            )
            for start in starts
        )

    def hardest_limit(self, work: str, source: Input, output: Output) -> Contestant:
        """The limit with the number of blocks at once that is fastest on this input."""
        times_s: dict[int, float] = {}
        for depth in DEPTHS:
            contestant = limit(work, depth, output)
            tries = [self._turn(Start("depth", source, 0, [contestant]), contestant, at) for at in range(2)]
            times_s[depth] = min(turn.best_s for turn in tries)
        depth = min(times_s, key=times_s.__getitem__)
        self.tell(f"limit: {work} is fastest with {depth} blocks at once, {times_s[depth]:.2f} s")
        return limit(work, depth, output)

    def _turn(self, start: Start, contestant: Contestant, repeat: int) -> Turn:
        self.workspace.fresh()
        drop_from_cache([start.input.path] if start.input.path.exists() else [])
        task = Task(
            input=start.input.path,
            output=self.workspace.output,
            scratch=self.workspace.scratch,
            rows=start.input.rows,
            memory_bytes=start.memory_bytes,
            threads=self.threads,
        )
        ended = run_process(contestant.command(task), self.workspace.scratch)
        said = json.loads(ended.printed) if ended.printed.startswith("{") else {}
        self._check(contestant, start.input, said)
        return Turn(
            contestant=contestant.name,
            repeat=repeat,
            whole_s=ended.elapsed_s,
            own_s=said.pop("own_s", None),
            peak_rss_bytes=ended.peak_rss_bytes,
            cpu_s=ended.cpu_s,
            said=said,
        )

    def _check(self, contestant: Contestant, source: Input, said: dict[str, Any]) -> None:
        match contestant.output:
            case Output.NONE:
                return
            case Output.FOUND:
                expected, in_order = (source.rows, source.checksum), True
                found = Found(said["rows"], said["checksum"], [str(fault) for fault in said["errors"]])
            case Output.GENERATED:
                expected, in_order = (source.rows, str(said["checksum"])), False
                found = self._found(part_files(self.workspace.output))
            case Output.SORTED | Output.COPIED:
                expected, in_order = (source.rows, source.checksum), contestant.output is Output.SORTED
                found = self._found(part_files(self.workspace.output))
        if (found.rows, found.checksum) != expected:
            raise Wrong(
                f"{contestant.name}: {found.rows} rows with checksum {found.checksum} "
                f"where {expected[0]} with {expected[1]} were wanted"
            )
        if in_order and found.faults:
            raise Wrong(f"{contestant.name}: {found.faults[0]}")

    def _found(self, files: Sequence[Path]) -> Found:
        report = self.workspace.scratch / "check"
        command = [sys.executable, "-m", "benches.check", str(report), str(self.threads), *map(str, files)]
        return found_by(run_process(command, self.workspace.scratch).printed)


def _said(turn: Turn) -> str:
    own = "" if turn.own_s is None else f", its work alone {turn.own_s:.2f} s"
    return f"{turn.contestant} {turn.whole_s:.2f} s{own}"

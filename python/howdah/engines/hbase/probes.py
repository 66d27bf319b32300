"""Probes of a table's regions beside the programs that are timed: when which keys were not to be had."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from howdah.engines.hbase.target import HBaseTarget
from howdah.engines.processes import ConcurrentProgram
from howdah.faults.probes import ProbeAnswer, ProbeLog, probe_reports
from howdah.model.faults import ProbeReport

_PROGRAM = "HBaseProbe"
MOST_REGIONS = 16
"""More are not probed: each has two threads that ask."""
_EVERY_MS = 100
_TIMEOUT_MS = 1000
_END_S = 60.0
_GOOD = "OK"


class RegionProbes:
    """A Java program that asks every region; it ends with howdah."""

    def __init__(self, target: HBaseTarget, table: str, seconds: Callable[[int], float]) -> None:
        self._seconds = seconds
        self._logs: dict[tuple[str, str], ProbeLog] = {}
        self._lock = Lock()
        self.lost: list[str] = []
        """Its own writes that were acknowledged and are not there, in words."""
        self.kept = 0
        """Regions whose last acknowledged write is there."""
        words = (table, str(MOST_REGIONS), str(_EVERY_MS), str(_TIMEOUT_MS))
        command = target.java(target.places[0], _PROGRAM, *words, options=("-Xmx256m", "-XX:+UseSerialGC"))
        self._program = ConcurrentProgram(command, self._note, environment=target.places[0].environment)

    def told(self) -> tuple[ProbeReport, ...]:
        """What all probes saw so far."""
        with self._lock:
            return probe_reports(self._logs.values())

    def end(self) -> None:
        """Let it read its own writes back and end; one that does not is ended. Safe to repeat."""
        self._program.end(_END_S)

    def _note(self, line: str) -> None:
        words = line.split(" ", 4)
        if len(words) != 5:
            return
        kind, first, second, said, region = words
        if kind == "kept":
            self.kept += 1
        elif kind == "lost":
            self.lost.append(
                f"region {region}: write {first} was acknowledged, but the last one stored is {second}"
            )
        elif kind in ("read", "write"):
            answer = ProbeAnswer(
                self._seconds(int(first)), int(second) / 1e6, None if said == _GOOD else said
            )
            with self._lock:
                log = self._logs.setdefault((region, kind), ProbeLog(f"region {region}", kind))
                log.add(answer)

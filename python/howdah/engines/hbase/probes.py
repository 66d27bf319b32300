"""Probes of a table's regions beside the programs that are timed: when which keys were not to be had."""

from __future__ import annotations

import logging
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread

from howdah.engines.children import end_with_parent
from howdah.engines.hbase.target import HBaseTarget
from howdah.faults.outages import ProbeAnswer, ProbeLog, probes_told
from howdah.model.faults import ProbeTold

_LOG = logging.getLogger(__name__)
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
        self._folder = tempfile.TemporaryDirectory(prefix="howdah-probe-")
        words = (table, str(MOST_REGIONS), str(_EVERY_MS), str(_TIMEOUT_MS))
        options = ("-Xmx256m", "-XX:+UseSerialGC")
        self._process = subprocess.Popen(
            target.java(target.places[0], _PROGRAM, *words, options=options),
            cwd=Path(self._folder.name),
            env=target.places[0].environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent,  # noqa: PLW1509 (it calls one function that was loaded before)
        )
        self._reader = Thread(target=self._read, name="howdah-probe", daemon=True)
        self._reader.start()

    def told(self) -> tuple[ProbeTold, ...]:
        """What all probes saw so far."""
        with self._lock:
            return probes_told(self._logs.values())

    def end(self) -> None:
        """Let it read its own writes back and end; one that does not is ended. Safe to repeat."""
        if self._process.poll() is not None:
            return
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(_END_S)
        except (OSError, subprocess.TimeoutExpired):
            _LOG.info("the probe of regions did not end by itself")
        finally:
            self._process.kill()
            self._process.wait()
            self._reader.join(_END_S)
            self._folder.cleanup()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._note(line.decode(errors="replace").rstrip("\n").split(" ", 4))

    def _note(self, words: list[str]) -> None:
        if len(words) != 5:
            return
        kind, first, second, said, region = words
        if kind == "kept":
            self.kept += 1
        elif kind == "lost":
            self.lost.append(
                f"region {region}: write {first} was acknowledged, and {second} is the last one there"
            )
        elif kind in ("read", "write"):
            answer = ProbeAnswer(
                self._seconds(int(first)), int(second) / 1e6, None if said == _GOOD else said
            )
            with self._lock:
                log = self._logs.setdefault((region, kind), ProbeLog(f"region {region}", kind))
                log.add(answer)

"""Clients of HDFS next to a run with faults, whose operations the ledger keeps."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from pathlib import Path

from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.processes import ConcurrentProgram
from howdah.faults.ledger import JOURNAL, HdfsLedger
from howdah.installation.java_programs import compiled, java_command
from howdah.model.run import RunRecord
from howdah.units import format_seconds

_CLASSES, _MAIN = "hdfs", "HdfsBeside"
_CLIENTS, _EVERY_MS = 2, 100
_END_S = 600.0  # HDFS closes files of lost writers only after minutes.


class HdfsClients:
    """A Java program that writes and reads back next to the engine in a run with faults."""

    def __init__(self, target: HadoopTarget, runs_dir: Path) -> None:
        self._target = target
        self._runs_dir = runs_dir
        installation = target.installation
        classes = compiled(_CLASSES, installation.class_path, "set HADOOP_HOME to a Hadoop 3.x")
        self._installation = installation._replace(class_path=(str(classes), *installation.class_path))
        self._running: tuple[ConcurrentProgram, HdfsLedger] | None = None

    def begin(self, record: RunRecord, seconds: Callable[[float], float]) -> None:
        """Start the clients; ``seconds`` converts seconds since 1970 to those since the run's start."""
        ledger = HdfsLedger(self._runs_dir / record.id / JOURNAL, seconds)
        words = (posixpath.join(self._target.work_dir, f"{record.id}-beside"), str(_CLIENTS), str(_EVERY_MS))
        options = ("-Xmx256m", "-XX:+UseSerialGC")
        command = java_command(self._installation, self._target.conf_dir, _MAIN, *words, options=options)
        program = ConcurrentProgram([*self._target.client_prefix, *command], ledger.read_line)
        self._running = program, ledger

    def end(self, record: RunRecord) -> RunRecord:
        """Stop the clients and compare files with acknowledged operations, after all faults were reverted."""
        if self._running is None:
            return record
        program, ledger = self._running
        late = "" if program.end(_END_S) else f"not read back within {format_seconds(_END_S)}"
        return ledger.close(record, late)

"""Only the process that writes a run is asked to stop it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.serve.routes.runs import stop_run
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, write_run


def test_the_writer_of_a_run_is_interrupted(tmp_path: Path) -> None:
    record = as_begun(records.pi().record, pid=os.getpid())
    asked = []
    before = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        with RunWriter(tmp_path, record) as writer:
            stop_run(writer.path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert asked == [signal.SIGINT]


def test_another_process_that_has_its_number_is_left_alone(tmp_path: Path) -> None:
    begun = as_begun(records.pi().record, pid=os.getppid())
    with RunWriter(tmp_path, begun) as writer, pytest.raises(UserError, match="not on this machine"):
        stop_run(writer.path)


def test_a_run_that_has_ended_is_not_stopped(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not under way"):
        stop_run(write_run(tmp_path, records.pi()))

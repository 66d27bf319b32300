"""Only the process that writes a run is asked to stop it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.serve.stopping import stop_run
from howdah.store import RunWriter
from support import records
from support.stored import as_begun, write_run


def test_the_writer_of_a_run_is_interrupted(tmp_path: Path) -> None:
    record = as_begun(records.pi().record, pid=os.getpid())
    with RunWriter(tmp_path, record) as writer, pytest.raises(KeyboardInterrupt):
        stop_run(writer.path)
        signal.pause()


def test_another_process_that_has_its_number_is_left_alone(tmp_path: Path) -> None:
    with RunWriter(tmp_path, as_begun(records.pi().record, pid=os.getppid())) as writer:
        with pytest.raises(UserError, match="not on this machine"):
            stop_run(writer.path)


def test_a_run_that_has_ended_is_not_stopped(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not under way"):
        stop_run(write_run(tmp_path, records.pi()))

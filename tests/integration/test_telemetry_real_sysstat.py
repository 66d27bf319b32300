"""What sysstat records of this machine, beside what howdah's own sampler does."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from howdah.model.run import Sample
from howdah.telemetry.importers.recordings import read_sadf
from howdah.telemetry.importers.stretch import Machines, Window, onto_run
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import this_machine
from support.patience import PATIENCE_S
from support.sinks import MemorySink

_SADC = Path("/usr/lib/sysstat/sadc")

pytestmark = pytest.mark.skipif(
    not (_SADC.exists() and shutil.which("sadf")), reason="sysstat is not installed"
)


def growth(samples: Sequence[Sample], metric: str, start_s: float, end_s: float) -> float:
    """A counter's growth between two moments, straight between samples."""
    points = sorted((one.time_s, one.value) for one in samples if one.metric == metric)

    def at(moment: float) -> float:
        for (before_s, before), (after_s, after) in pairwise(points):
            if before_s <= moment <= after_s:
                share = (moment - before_s) / (after_s - before_s) if after_s > before_s else 0.0
                return before + (after - before) * share
        raise AssertionError(f"{metric} is not known at {moment} s")

    return at(end_s) - at(start_s)


def test_sysstat_and_the_sampler_agree(tmp_path: Path) -> None:
    """CPU time of the whole machine, seen by both for several seconds."""
    raw = tmp_path / "sa"
    sink = MemorySink()
    start_s, start_ns = time.time(), time.monotonic_ns()
    sampler = Sampler(sink, this_machine("w1"), run_start_ns=start_ns, interval_s=0.2)
    sampler.start()
    recorder = subprocess.Popen([_SADC, "-S", "ALL", "1", "7", raw], cwd=tmp_path)
    deadline = time.monotonic() + 4
    while time.monotonic() < deadline:
        sum(range(10_000))  # so that there is something to see
    recorder.wait(PATIENCE_S)
    sampler.stop()
    window = Window(start_s, time.time() - start_s)
    printed = subprocess.run(
        ["sadf", "-j", raw, "--", "-A"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout
    imported = read_sadf(printed, "sa.json", Machines(("w1",), "w1"))
    theirs = onto_run(imported.stretches, window)
    cpus = sorted({row.metric for row in theirs if row.metric.endswith("/user_s")})
    assert cpus == sorted({row.metric for row in sink.sampled if row.metric.endswith("/user_s")})
    times = [row.time_s for row in theirs if row.metric == cpus[0]]
    first_s, last_s = max(0.5, times[0]), times[-1]
    assert last_s - first_s >= 4
    for quantity in ("user_s", "idle_s"):
        metrics = [metric.replace("user_s", quantity) for metric in cpus]
        ours = sum(growth(sink.sampled, metric, first_s, last_s) for metric in metrics)
        said = sum(growth(theirs, metric, first_s, last_s) for metric in metrics)
        # sysstat gives its moments to the second, so up to a second at its ends is other time.
        assert said == pytest.approx(ours, abs=1.0 * len(cpus))
    assert socket.gethostname() in printed

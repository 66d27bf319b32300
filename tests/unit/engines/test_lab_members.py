"""The machine beneath a laboratory has a name of its own, and what the laboratory uses is sampled with it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from howdah.engines.lab_members import shared_machine_sources
from howdah.lab.registry import VARIABLE
from howdah.telemetry.processes import ProcessesDevice
from support.labs import lab_state

# It says when it has used what it uses, and then waits for the end of its input.
SPIN = (
    "import sys, time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass\n"
    "print(flush=True)\nsys.stdin.read()"
)


def test_it_goes_by_its_own_name(tmp_path: Path) -> None:
    assert {source.machine for source in shared_machine_sources(lab_state(tmp_path))} == {
        socket.gethostname()
    }


@pytest.mark.parametrize("name", ["h1", "h1-1", "m1"])
def test_it_is_never_taken_for_a_host_of_the_plan(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    assert {source.machine for source in shared_machine_sources(lab_state(tmp_path))} == {f"{name} (beneath)"}


def test_without_control_groups_a_laboratorys_processes_are_known_by_their_mark(tmp_path: Path) -> None:
    """Daemons that nobody waits for count for the laboratory whose mark they have, and for no other."""
    state = lab_state(tmp_path)
    (device,) = (one for one in shared_machine_sources(state)[0].devices if isinstance(one, ProcessesDevice))
    device.start()
    grown = []
    for mark in ("another", state.mark):
        before = dict(device.tick())["own/lab/cpu_s"]
        with subprocess.Popen(
            ["setsid", "--fork", sys.executable, "-c", SPIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, VARIABLE: mark},
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            grown.append(dict(device.tick())["own/lab/cpu_s"] - before)
    another, own = grown
    assert own >= 0.45
    # This process itself counts as the laboratory's: it is the one that works on it.
    assert another < 0.3

"""What a run prints into, and what becomes of the run when that closes, fills up, hangs up or is narrow."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Self

import pytest

from support.command import HOWDAH, environment, howdah
from support.patience import PATIENCE_S

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LONG_PI = ["run", "pi", "--samples", "100B"]


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_output_that_was_closed_beforehand_does_not_end_a_run(closed: str, tmp_path: Path) -> None:
    command = f"exec {HOWDAH} run pi --maps 1 --samples 1000 {closed}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    (run,) = (tmp_path / "runs").glob("2*")
    assert (run / "report.html").exists()


def test_a_closed_pipe_does_not_end_a_run(tmp_path: Path) -> None:
    with subprocess.Popen(
        [HOWDAH, "run", "terasuite", "--rows", "100k"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().startswith(b"host")
        child.stdout.close()
        complaint = child.stderr.read()
        assert child.wait(PATIENCE_S) == 0
    assert complaint == b""
    (run,) = (tmp_path / "runs").glob("2*")
    assert json.loads((run / "run.json").read_text())["outcome"] == "succeeded"
    assert (run / "report.html").exists()


@pytest.mark.parametrize("arguments", [["run", "pi", "--samples", "10"], ["probe"], ["--help"]])
def test_a_full_disk_behind_the_output_is_one_message(tmp_path: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [HOWDAH, *arguments],
            cwd=tmp_path,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first == "error: standard output: cannot be written: No space left on device"
    assert second.strip()
    for run in (tmp_path / "runs").glob("2*"):
        assert json.loads((run / "run.json").read_text())["outcome"] == "succeeded"


class Terminal:
    """A command on a terminal of some width, and all that it printed there."""

    def __init__(self, cwd: Path, width: int, *arguments: str) -> None:
        self.ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        self.child = subprocess.Popen(
            [HOWDAH, *arguments],
            cwd=cwd,
            env={**environment(), "TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._printed = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.child.kill()
        self.child.wait()

    def read_until(self, word: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while word.encode() not in self._printed:
            assert time.monotonic() < deadline, self._printed.decode()
            self._printed += os.read(self.ours, 65536)

    def read_all(self) -> list[str]:
        """Every line that was drawn, also those drawn over, until the command ended."""
        try:
            while more := os.read(self.ours, 65536):
                self._printed += more
        except OSError:
            # The last one to have the terminal open closed it.
            pass
        os.close(self.ours)
        return [_CONTROL.sub("", line) for line in re.split(r"[\r\n]+", self._printed.decode())]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, width: int) -> None:
    with Terminal(tmp_path, width, "run", "terasuite", "--rows", "300k") as terminal:
        lines = terminal.read_all()
        assert terminal.child.wait(PATIENCE_S) == 0
    assert [line for line in lines if len(line) > width and " " in line.strip()] == []
    text = "\n".join(lines)
    assert re.search(r"checksum\s+[0-9a-f]{8,}…?\s+matches", text)
    assert any(line.startswith("  terasort") and "━" * 22 in line for line in lines) == (width == 120)


def test_the_moving_line_of_pi_counts_points_and_leaves_room_for_the_echo(tmp_path: Path) -> None:
    with Terminal(tmp_path, 70, *LONG_PI) as terminal:
        terminal.read_until("points/s")
        time.sleep(0.5)
        terminal.child.send_signal(signal.SIGINT)
        lines = terminal.read_all()
        # What it draws on a machine at work takes a while.
        assert terminal.child.wait(PATIENCE_S) == 130
    moving = [line for line in lines if "points/s" in line]
    assert moving
    assert "B/s" not in "".join(moving)
    assert max(len(line.rstrip()) for line in moving) <= 68


def test_a_terminal_that_hangs_up_stops_a_run_with_a_readable_record(tmp_path: Path) -> None:
    with Terminal(tmp_path, 80, *LONG_PI) as terminal:
        terminal.read_until("points/s")
        os.close(terminal.ours)
        terminal.child.send_signal(signal.SIGHUP)
        # What it draws on a machine at work takes a while.
        assert terminal.child.wait(PATIENCE_S) == 130
    (run,) = json.loads(howdah("runs", "--json", cwd=tmp_path).stdout)
    assert run["outcome"] == "aborted"
    path = tmp_path / "runs" / run["id"]
    assert (path / "report.html").exists()
    assert json.loads((path / "run.json").read_text())["error"] == "stopped by the user"
    assert not (tmp_path / "howdah-data").exists()


def test_nohup_keeps_a_run_going(tmp_path: Path) -> None:
    with subprocess.Popen(
        ["nohup", HOWDAH, "run", "pi", "--samples", "100M", "--maps", "4"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline().startswith(b"host")
        child.send_signal(signal.SIGHUP)
        child.stdout.read()
        assert child.wait(PATIENCE_S) == 0

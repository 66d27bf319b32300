"""Whole processes, timed from fork to exit."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_REPOSITORY = Path(__file__).parent.parent
_FIRST_CHARACTERS = 1500
_LAST_CHARACTERS = 1500


class Ended(NamedTuple):
    """One process that came to its end.

    ``peak_rss_bytes`` is the kernel's own figure for the largest of the process and the children it
    waited for; it cannot be lower than the size of the benches' own process, about 60 MB.
    """

    elapsed_s: float
    peak_rss_bytes: int
    cpu_s: float
    printed: str


class ProcessFailed(Exception):
    """A process ended with an error; the message has its first words and its last."""


def run_process(command: Sequence[str], scratch: Path) -> Ended:
    """Run a command from the repository's root to its end, with its temporary files in ``scratch``.

    On any interruption the process and all its children are killed. Raises ProcessFailed.
    """
    # Output goes to files: a pipe that nobody empties would hold up whoever fills it.
    with (scratch / "stdout").open("w+") as stdout, (scratch / "stderr").open("w+") as stderr:
        start_ns = time.monotonic_ns()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=_REPOSITORY,
            env={**os.environ, "TMPDIR": str(scratch)},
            start_new_session=True,
        )
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        elapsed_s = (time.monotonic_ns() - start_ns) / 1e9
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        if process.returncode:
            raise ProcessFailed(
                f"{' '.join(command)}: exit code {process.returncode}\n{_shortened(stderr.read())}"
            )
        return Ended(
            elapsed_s=elapsed_s,
            peak_rss_bytes=usage.ru_maxrss * 1024,
            cpu_s=usage.ru_utime + usage.ru_stime,
            printed=stdout.read(),
        )


def _shortened(text: str) -> str:
    if len(text) <= _FIRST_CHARACTERS + _LAST_CHARACTERS:
        return text
    return f"{text[:_FIRST_CHARACTERS]}\n...\n{text[-_LAST_CHARACTERS:]}"

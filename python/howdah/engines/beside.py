"""A program that works beside an engine until its input ends, and whose every line is heard."""

from __future__ import annotations

import logging
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Thread

from howdah.engines.children import end_with_parent

_LOG = logging.getLogger(__name__)


class ProgramBeside:
    """The program; ``said`` hears its lines on a thread of its own. When howdah is killed it ends.

    ``environment`` is all it finds there, howdah's own where it is not given. Raises OSError where it cannot
    be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        said: Callable[[str], None],
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._said = said
        self._folder = tempfile.TemporaryDirectory(prefix="howdah-beside-")
        self._process = subprocess.Popen(
            command,
            cwd=Path(self._folder.name),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent,  # noqa: PLW1509 (it calls one function that was loaded before)
        )
        self._reader = Thread(target=self._read, name="howdah-beside", daemon=True)
        self._reader.start()

    def end(self, within_s: float) -> bool:
        """Let it come to its end, and end it where it does not; whether it did by itself. Safe to repeat."""
        if self._process.returncode is not None:
            return True
        try:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(within_s)
        except (OSError, subprocess.TimeoutExpired):
            _LOG.info("%s did not end by itself", self._process.args)
        ended = self._process.returncode is not None
        self._process.kill()
        self._process.wait()
        # What it started may still hold its output.
        self._reader.join(within_s)
        self._folder.cleanup()
        return ended

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                # Of one that is killed the last line may be a part of one.
                if line.endswith(b"\n"):
                    self._said(line.decode(errors="replace").rstrip("\n"))

"""Who takes part: howdah, its peers and the raw limit, each as a command that works on a task."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
from enum import StrEnum
from typing import NamedTuple

import howdah
from benches.task import Task


class Output(StrEnum):
    """What a contestant must leave in its output directory for its turn to count."""

    SORTED = "the input's rows in order"
    COPIED = "the input's rows"
    GENERATED = "the rows it says it made"
    FOUND = "nothing but the right rows and checksum, printed"
    NONE = "nothing to check"


class Contestant(NamedTuple):
    """One competitor."""

    name: str
    version: str
    program: tuple[str, ...]
    output: Output

    def command(self, task: Task) -> list[str]:
        """The command line that works on the task."""
        return [sys.executable, "-m", *self.program, *task.arguments()]


OURS = "howdah"
LIMIT = "limit"


def ours(work: str, output: Output) -> Contestant:
    """howdah's kernel for the work: ``sort``, ``generate`` or ``validate``."""
    return Contestant(OURS, howdah.__version__, (f"benches.ours.{work}",), output)


def limit(work: str, depth: int, output: Output) -> Contestant:
    """The raw limit of the work, with ``depth`` blocks under way at once."""
    return Contestant(LIMIT, f"direct I/O, depth {depth}", ("benches.limit", work, str(depth)), output)


_PEERS = {
    "duckdb": "benches.peers.duckdb_sort",
    "polars": "benches.peers.polars_sort",
    "gnu-sort": "benches.peers.gnu_sort",
    "pyspark": "benches.peers.pyspark_sort",
}

PEERS = tuple(_PEERS)
"""The names of the peers."""


def peer(name: str) -> Contestant:
    """A peer by name; raise LookupError, saying what to install, if it is not here."""
    return Contestant(name, _version(name), (_PEERS[name],), Output.SORTED)


def _version(name: str) -> str:
    if name == "gnu-sort":
        first = _printed_by("sort", "--version").splitlines()[0]
        if "GNU" not in first:
            raise LookupError(f"{first} is not GNU sort: install coreutils")
        return first.rpartition(" ")[2]
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        raise LookupError(f"{name} is not installed: make bench installs it") from None
    if name == "pyspark":
        java = re.search(r'"(.+)"', _printed_by("java", "-version"))
        return f"{version}, Java {java.group(1) if java else 'of unknown version'}"
    return version


def _printed_by(program: str, flag: str) -> str:
    if shutil.which(program) is None:
        raise LookupError(f"{program} is not installed: sudo apt-get install {_PACKAGES[program]}")
    done = subprocess.run([program, flag], capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


_PACKAGES = {"sort": "coreutils", "java": "openjdk-17-jre-headless"}

"""Every error howdah raises on purpose.

    HowdahError                 one message for the user, one hint, one exit code
    ├── UserError      exit 2   the input is wrong: a flag, a file, a key, a directory
    │   ├── MissingExtra     exit 2   libraries that only some commands need are not installed
    │   ├── RecordError      exit 2   a run record cannot be read: foreign, damaged or from a newer howdah
    │   └── UnreadableFile   exit 2   a file of a configuration is malformed, or refers to other files
    │       └── NoConfiguration  exit 2   a file is XML, but none of Hadoop's configuration files
    ├── RunFailed      exit 1   a run started and could not finish; its record is kept
    └── Aborted        exit 130 the user stopped the run; its record is kept

A message names the file, key or flag first, then what is wrong; the hint is what would be right.
Wrong answers of daemons have their own tree below RunFailed, in ``howdah.services.errors``.
Anything else that reaches the command line is a defect and may show its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path


class HowdahError(Exception):
    """Base of all deliberate errors.

    ``where`` names the file, key or flag at fault, ``what`` is what is wrong with it and ``hint`` what
    would be right.
    """

    exit_code = 1

    def __init__(self, where: str, what: str, hint: str = "") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.where = where
        self.what = what
        self.hint = hint


class UserError(HowdahError):
    """The user's input is at fault; nothing was started and nothing was written."""

    exit_code = 2


class MissingExtra(UserError):
    """Libraries that only some commands need are not installed."""


class RecordError(UserError):
    """A run record cannot be read: it is foreign, damaged or written by a newer howdah."""


class UnreadableFile(UserError):
    """A file of a configuration is malformed; ``refused`` if it is not, but refers to other files."""

    def __init__(self, where: str, what: str, hint: str = "", *, refused: bool = False) -> None:
        super().__init__(where, what, hint)
        self.refused = refused


class NoConfiguration(UnreadableFile):
    """A file is XML, but none of Hadoop's configuration files."""


class RunFailed(HowdahError):
    """A run started and could not finish; its record shows its progress."""

    exit_code = 1


class Aborted(HowdahError):
    """The user stopped the run; its record shows its progress."""

    exit_code = 130


@contextmanager
def os_errors(
    where: str | Path, problem: str, hint: str, kind: type[HowdahError] = UserError
) -> Iterator[None]:
    """Replace what the system refuses by an error; ``{}`` in the problem is the system's reason."""
    try:
        yield
    except OSError as error:
        raise kind(str(where), problem.format(error.strerror or error), hint) from error


def nearest(word: str, words: Iterable[str]) -> str:
    """Return a hint for an unknown word: the most similar known word, or all of them."""
    choices = tuple(words)
    similar = get_close_matches(word, choices, n=1)
    return f"did you mean {similar[0]}?" if similar else f"one of {', '.join(choices)}"

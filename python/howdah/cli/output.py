"""Standard output and standard error, whatever becomes of them while a run goes."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer
from rich.console import Console, RenderableType

from howdah.errors import Aborted, HowdahError, UserError
from howdah.files import replace_file
from howdah.report import document, terminal

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_WHOLE_LINES = 100_000  # Wider than any line, so that nothing is wrapped.


def check_json(*, json: bool, yes: bool, shows: bool, preview: str = "") -> None:
    """Raise UserError if --json would need a question; ``preview`` is the flag that only shows, if any."""
    if json and not (yes or shows):
        fix = f"give {preview} with it, or --yes" if preview else "give --yes with it"
        raise UserError("--json", "cannot ask for confirmation", fix)


def agree(question: str, *, yes: bool) -> None:
    """Return once the user agrees to the change just shown, at once with --yes; raises Aborted otherwise."""
    if yes:
        return
    if not sys.stdin.isatty():
        problem = "is missing, and there is no terminal to confirm at: nothing was changed"
        raise UserError("--yes", problem, "the changes are listed above; give --yes to make them")
    if not typer.confirm(question):
        raise Aborted("", "nothing was changed", "")


class _Patient(io.FileIO):
    """A file that takes everything: what comes after its first error goes nowhere.

    A run is worth more than what it prints, so a pipe that was closed or a terminal that hung up
    must not end it. Every layer above (print, rich, the interpreter at its exit) would raise.
    """

    failure: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def _patient(stream: TextIO | None) -> tuple[TextIO, _Patient]:
    # If it was closed before howdah began, taking its place keeps any other file out of it.
    number = os.open(os.devnull, os.O_WRONLY) if stream is None else stream.fileno()
    raw = _Patient(number, "wb", closefd=False)
    encoding, errors = ("utf-8", None) if stream is None else (stream.encoding, stream.errors)
    buffer, by_line = io.BufferedWriter(raw), raw.isatty()
    return io.TextIOWrapper(buffer, encoding=encoding, errors=errors, line_buffering=by_line), raw


class PatientOutput:
    """Puts both standard streams behind files that never fail, and knows what went wrong."""

    def __init__(self) -> None:
        sys.stdout, self._raw = _patient(sys.stdout)
        sys.stderr, _ = _patient(sys.stderr)

    def check(self) -> None:
        """Raise HowdahError if standard output did not take all; a reader who has enough is no error."""
        sys.stdout.flush()
        failure = self._raw.failure
        if failure is not None and failure.errno != errno.EPIPE:
            problem = f"cannot be written: {os.strerror(failure.errno or 0)}"
            raise HowdahError("standard output", problem, "send it to a terminal, a pipe or a disk with room")


def show(renderable: RenderableType, *, stderr: bool = False) -> None:
    """Print to the width of a terminal; in a pipe, whole lines that end where their text does."""
    console = Console(highlight=False, stderr=stderr)
    if console.is_terminal:
        console.print(renderable)
        return
    text = io.StringIO()
    Console(file=text, highlight=False, width=_WHOLE_LINES, color_system=None).print(renderable)
    console.file.writelines(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def show_notice(word: str, *lines: str, stderr: bool = True) -> None:
    """Print a notice and what to do about it, after the word that classifies it."""
    entries = document.Entries((document.TextEntry(word, "\n".join(lines)),))
    show(terminal.blocks(entries), stderr=stderr)


def write_text(text: str, file: Path | None) -> None:
    """Write a text to a file, or print it if there is none; raises UserError if it cannot be written."""
    if file is None:
        sys.stdout.write(text)
    else:
        replace_file(file, text)


def print_json(content: object) -> None:
    """Print plain data as JSON, letters of any language as they are."""
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def answer(content: object, *texts: RenderableType, json: bool, only: object = None) -> None:
    """Print the plain data of a result as JSON, ``only`` a path, or texts with blank lines between them."""
    if json:
        print_json(content)
    elif only is not None:
        print(only)
    else:
        for place, text in enumerate(texts):
            if place:
                print()
            show(text)

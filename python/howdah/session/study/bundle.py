"""A study as one file, and such a file checked on another machine."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import howdah
from howdah.errors import RunFailed, UserError
from howdah.scratch import scratch_folder
from howdah.session.study.directory import INPUTS, KEPT, PAPER, RUNS, STUDY_FILE, StudyDirectory
from howdah.session.study.paper import write_study_paper
from howdah.store.bundle import pack, unpack
from howdah.store.layout import RECORD_FILES

SUFFIX = ".tar.gz"


class Verified(NamedTuple):
    """A bundle that was checked."""

    files: int
    """Files whose digests are right."""
    runs: int
    """Records among them."""
    made: int
    """Files of its paper that were made anew, byte for byte the same."""


def export_study(path: Path, out_file: Path | None) -> Path:
    """Pack a study, its records and its paper into one file; return where it is.

    The paper is written anew first, so that it is the one of these records. Raises UserError.
    """
    directory = StudyDirectory(path)
    study = directory.study()
    target = out_file or Path(f"{study.study}{SUFFIX}")
    with directory.locked():
        write_study_paper(directory)
        pack(dict(_files(directory)), target, howdah.__version__)
    return target


def verify_study(file: Path) -> Verified:
    """Unpack a bundle, check every digest, make its paper anew and hold it against the one it holds.

    Raises UserError for what is no bundle or was changed, RunFailed where the paper is not the same.
    """
    with scratch_folder("verify") as folder:
        there = folder / "bundle"
        there.mkdir()
        bundle = unpack(file, there)
        if bundle.made_by != howdah.__version__:
            raise UserError(
                str(file),
                f"was packed by howdah {bundle.made_by}, but this is {howdah.__version__}",
                "its digests match; verify its page with that version",
            )
        directory = StudyDirectory(there)
        anew = folder / "paper"
        write_study_paper(directory, anew)
        names = sorted(path.relative_to(anew).as_posix() for path in anew.rglob("*") if path.is_file())
        different = [name for name in names if not _same(anew / name, directory.paper / name)]
        if different:
            raise RunFailed(
                str(file),
                f"its records do not produce its paper: {', '.join(different[:3])}",
                "its digests match, so other software or other records produced the paper",
            )
        runs = sum(1 for _ in directory.runs.iterdir())
        return Verified(bundle.files, runs, len(names))


def _files(directory: StudyDirectory) -> Iterator[tuple[str, Path]]:
    """Everything that belongs to a study, by its name in the bundle."""
    yield STUDY_FILE, directory.path / STUDY_FILE
    for folder in (INPUTS, PAPER):
        for path in sorted((directory.path / folder).rglob("*")):
            if path.is_file():
                yield path.relative_to(directory.path).as_posix(), path
    for run in sorted(directory.runs.iterdir()):
        for name in (*RECORD_FILES, KEPT):
            if (run / name).is_file():
                yield f"{RUNS}/{run.name}/{name}", run / name


def _same(path: Path, other: Path) -> bool:
    return other.exists() and filecmp.cmp(path, other, shallow=False)

"""A release fetched into the cache: whole and verified, or not at all."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from howdah.errors import HowdahError, UserError
from howdah.installation.cache import release_folder
from howdah.installation.digests import Fetchable, WrongJar, digests, faults
from howdah.installation.maven import copy_artifacts


class FetchProgress(Protocol):
    """Hears how far a fetch is."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """``done`` of ``total`` jars are through a step: ``downloading``, ``verifying``."""


class Fetched(NamedTuple):
    """A release in the cache."""

    folder: Path
    """Its place; the jars are in ``lib`` below it."""
    fresh: bool
    """Whether it was fetched now; otherwise what was there was verified."""
    jars: int
    """How many jars it has."""
    size_bytes: int
    """Their size."""


def fetch(release: Fetchable, progress: FetchProgress) -> Fetched:
    """Bring a release into the cache, or verify the one that is there.

    Raises HowdahError that names the jar that could not be had or is not as listed; then nothing new
    is in the cache. UserError for a release that is unknown or a cache that cannot be written.
    """
    total = len(digests(release))
    folder = release_folder(release)
    with _alone(folder):
        wrong = _verified(folder / "lib", release, progress) if folder.is_dir() else None
        fresh = wrong is None or bool(wrong)
        if fresh:
            _fetch_anew(folder, release, progress, total)
    jars = list((folder / "lib").glob("*.jar"))
    size = sum(jar.stat().st_size for jar in jars)
    return Fetched(folder, fresh, len(jars), size)


def _fetch_anew(folder: Path, release: Fetchable, progress: FetchProgress, total: int) -> None:
    """Put a release beside its place, verify it there, and rename it into its place."""
    # A fetch that was killed leaves its folders, which the lock shows to be nobody's.
    staging, former = (folder.with_name(f".{release.version}.{word}") for word in ("fetching", "former"))
    shutil.rmtree(former, ignore_errors=True)
    try:
        _make(staging)
        _download(staging / "lib", release, progress, total)
        wrong = _verified(staging / "lib", release, progress)
        if wrong:
            raise _not_as_listed(release, wrong)
        if folder.exists():
            folder.rename(former)
        staging.rename(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def _make(staging: Path) -> None:
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()


def _download(lib: Path, release: Fetchable, progress: FetchProgress, total: int) -> None:
    listed = digests(release)
    done: set[str] = set()

    def downloaded(jar: str) -> None:
        # Maven downloads its own plugins' jars too.
        if jar in listed:
            done.add(jar)
            progress("downloading", len(done), total)

    progress("downloading", 0, total)
    copy_artifacts(release, lib, downloaded)
    progress("downloading", total, total)


def _verified(lib: Path, release: Fetchable, progress: FetchProgress) -> list[WrongJar]:
    """What is wrong with a folder's jars, each of which is read."""
    return list(faults(lib, release, lambda done, total: progress("verifying", done, total)))


def _not_as_listed(release: Fetchable, wrong: list[WrongJar]) -> HowdahError:
    jar, kind = wrong[0]
    others = f", and {len(wrong) - 1} more differ from the released files" if len(wrong) > 1 else ""
    what = {
        "missing": f"{jar} is missing from it",
        "damaged": f"{jar} differs from the released file (SHA-256)",
        "unknown": f"{jar} does not belong to the release",
    }[kind]
    return HowdahError(
        str(release),
        f"{what}{others}",
        f"remove Maven's copy (find ~/.m2 -name {jar} -delete) and fetch again; if that does not help, do "
        f"not trust its repository",
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a release's place in the cache; a second fetch waits for the first."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_name(f".{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise UserError(
            str(error.filename or folder.parent),
            f"cannot be written: {os.strerror(error.errno or 0)}",
            "free some space, make it writable, or set HOWDAH_CACHE to another directory",
        ) from error

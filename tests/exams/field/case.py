"""A case: a folder of configuration, and what a check must report of it and what it must not."""

from __future__ import annotations

import shutil
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from support.faults import SOUND

FILES = Path(__file__).parents[2] / "data/cases"
PAIR = "ha-cluster-sound"


class Base(StrEnum):
    """What a case's files are laid over."""

    WORKERS = "24 workers, a pair of NameNodes, one ResourceManager and HBase, in one folder"
    PAIR = "12 workers, pairs of all masters, HBase, Spark and ZooKeeper, each with its folder"
    NOTHING = "a folder that is complete"


class Expected(NamedTuple):
    """One finding: the key or the file that it is about, and words of its place, evidence, reason or fix."""

    about: str
    words: tuple[str, ...] = ()


class FieldCase(NamedTuple):
    """One folder with what is right about it."""

    name: str
    fails: tuple[Expected, ...] = ()
    """Everything that fails; whatever else fails is a false alarm."""
    warns: tuple[Expected, ...] = ()
    """What must be warned of; there may be a few other warnings."""
    silent: tuple[str, ...] = ()
    """Keys that neither fail nor are warned of."""
    never: tuple[str, ...] = ()
    """Words that no fix may have."""
    base: Base = Base.WORKERS
    without: tuple[str, ...] = ()
    """Files of the base that are not there."""

    def write(self, folder: Path) -> list[Path]:
        """Write the configuration into an empty directory; the directories to check."""
        given = FILES / self.name
        if self.base is Base.PAIR:
            shutil.copytree(FILES / PAIR, folder, dirs_exist_ok=True)
            shutil.copytree(given, folder, dirs_exist_ok=True)
            return sorted(path for path in folder.iterdir() if path.is_dir())
        if self.base is Base.WORKERS:
            shutil.copytree(SOUND, folder, dirs_exist_ok=True)
        if given.name in ("hbase", "spark"):
            shutil.copytree(given, folder / given.name)
            return [folder, folder / given.name]
        shutil.copytree(given, folder, dirs_exist_ok=True)
        for name in self.without:
            (folder / name).unlink()
        return [folder]


def one_key(about: str, *words: str) -> tuple[Expected, ...]:
    return (Expected(about, words),)

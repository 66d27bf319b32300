"""One installation of Hadoop: where its jars are and which release they belong to."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Installation(NamedTuple):
    """Hadoop's jars on this machine, fetched by howdah or a user's own."""

    home: Path
    """The directory that holds them: a folder of the cache, or what ``HADOOP_HOME`` names."""
    version: str
    """The release that the jars say they are, ``3.5.0``."""
    class_path: tuple[str, ...]
    """Entries for ``java -cp``; ``folder/*`` stands for every jar of a folder."""
    native: Path | None
    """``lib/native`` of a user's installation; the released jars hold no libhadoop."""
    examples_jar: Path
    """The jar of TeraSort and pi."""
    tests_jar: Path
    """The jar of TestDFSIO and NNBench."""
    fetched: bool
    """Whether ``howdah hadoop fetch`` put it there."""

    @property
    def task_class_path(self) -> str:
        """A value for mapreduce.application.classpath where tasks run on this machine.

        yarn.application.classpath takes it too, after ``$HADOOP_CONF_DIR``.
        """
        return ",".join(self.class_path)

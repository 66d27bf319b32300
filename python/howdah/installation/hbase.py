"""One installation of HBase: where its jars are and which release they belong to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError

_TARBALL = "give the folder of an unpacked Apache tarball, with bin/, conf/ and lib/"
_SERVER = re.compile(r"hbase-server-(\d+(?:\.\d+)+)(?:-(?!tests|sources)[\w.]+)?\.jar")
"""The jar that only a server has, without those of its tests; some releases add the Hadoop they are for."""
_YCSB_JARS = ("core-*.jar", "HdrHistogram-*.jar", "htrace-core4-*.jar", "jackson-*-asl-*.jar")
"""YCSB's load generator and what it needs; no installation of HBase has the first."""


class HBaseInstallation(NamedTuple):
    """HBase's jars on this machine, with the Hadoop client they were built with."""

    home: Path
    """The directory that holds them: a folder of the cache, or what ``HBASE_HOME`` names."""
    version: str
    """The release that the jars say they are, ``2.6.4``."""
    class_path: tuple[str, ...]
    """Entries for ``java -cp``; ``folder/*`` stands for every jar of a folder."""
    native: Path | None
    """The ``lib/native`` of the Hadoop beside it, if it has one: HBase brings none."""
    fetched: bool
    """Whether ``howdah hadoop fetch hbase`` put it there."""


def own_hbase(home: Path, named_by: str) -> HBaseInstallation:
    """Read an installation that ``named_by`` (``HBASE_HOME``) leads to; UserError names what it lacks."""
    lib = home / "lib"
    versions = [match[1] for jar in sorted(lib.glob("*.jar")) if (match := _SERVER.fullmatch(jar.name))]
    if not versions:
        raise UserError(named_by, f"{home} has no lib/hbase-server-*.jar", _TARBALL)
    # As bin/hbase has it; its own folder holds hbase-webapps, the pages of its daemons.
    folders = (lib, lib / "client-facing-thirdparty", lib / "jdk11")
    return HBaseInstallation(
        home=home,
        version=versions[-1],
        class_path=(str(home), *(f"{folder}/*" for folder in folders if folder.is_dir())),
        native=None,
        fetched=False,
    )


def ycsb_jars(fetched: Path) -> tuple[Path, ...]:
    """YCSB's load generator and the libraries it needs, of the ``lib`` of a fetched HBase."""
    return tuple(jar for pattern in _YCSB_JARS for jar in sorted(fetched.glob(pattern)))

"""Which installations of Hadoop and of HBase are used."""

from __future__ import annotations

import os
from pathlib import Path

from howdah.errors import UserError
from howdah.installation.digests import FETCHABLE, Fetchable, absent, release_folder, release_of
from howdah.installation.installation import HBaseInstallation, Installation, own_hbase, own_installation


def find_installation(home: Path | None = None, release: str | None = None) -> Installation:
    """The user's own installation if one is named, by ``home`` or ``$HADOOP_HOME``; else the fetched release.

    A ``release`` that is asked for by number is the fetched one, whatever HADOOP_HOME says. Raises
    UserError that names what is missing and how to get it.
    """
    if home is not None:
        return own_installation(home.absolute(), str(home))
    given = os.environ.get("HADOOP_HOME")
    if given and release is None:
        return own_installation(Path(given).absolute(), "HADOOP_HOME")
    return fetched_installation(release_of("hadoop", release))


def find_hbase(release: str | None = None) -> HBaseInstallation:
    """The user's own HBase if ``$HBASE_HOME`` names one; else the fetched release.

    ``release`` is the one that it must be. Raises UserError that names what is missing, or is another
    release, and how to get the right one.
    """
    given = os.environ.get("HBASE_HOME")
    if not given:
        return fetched_hbase(_fetchable_hbase(release))
    found = own_hbase(Path(given).absolute(), "HBASE_HOME")
    if release is not None and found.version != release:
        raise UserError(
            "HBASE_HOME",
            f"{given} is HBase {found.version}, but the plan is for {release}",
            f"plan with --hbase {found.version}, or name an installation of {release}",
        )
    return found


def _fetchable_hbase(version: str | None) -> Fetchable:
    release, known = release_of("hbase", version), FETCHABLE["hbase"]
    if release.version not in known:
        raise UserError(
            str(release),
            "is the plan's release, but howdah cannot fetch it",
            f"set HBASE_HOME to an installation of it, or plan with --hbase {known[-1]}",
        )
    return release


def fetched_hbase(release: Fetchable) -> HBaseInstallation:
    """HBase's release in the cache; UserError if it, or one of its jars, is not there."""
    folder = fetched_folder(release)
    return HBaseInstallation(
        home=folder,
        version=release.version,
        class_path=(f"{folder / 'lib'}/*",),
        native=None,
        fetched=True,
    )


def fetched_installation(release: Fetchable) -> Installation:
    """The release in the cache; UserError if it, or one of its jars, is not there."""
    return installed(fetched_folder(release), release)


def fetched_folder(release: Fetchable) -> Path:
    """The folder of a fetched release; UserError if it, or one of its jars, is missing."""
    folder = release_folder(release)
    missing = absent(folder / "lib", release)
    if missing:
        if not folder.is_dir():
            what = f"{release} is not installed"
        else:
            others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            what = f"{missing[0]}{others} is missing"
        raise UserError(
            str(folder),
            what,
            f"{release.fetch}{release.instead}",
        )
    return folder


def installed(folder: Path, release: Fetchable) -> Installation:
    """A folder of fetched jars as an installation; it is not looked at."""
    lib = folder / "lib"
    return Installation(
        home=folder,
        version=release.version,
        class_path=(f"{lib}/*",),
        native=None,
        # The examples were not published with every release; the list of digests says which there are.
        examples_jar=next(lib.glob("hadoop-mapreduce-examples-*.jar")),
        tests_jar=lib / f"hadoop-mapreduce-client-jobclient-{release.version}-tests.jar",
        fetched=True,
    )

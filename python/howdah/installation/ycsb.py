"""YCSB on HBase: the load generator's jars, and howdah's own classes, which are compiled where they run."""

from __future__ import annotations

from howdah.installation.cache import release_folder
from howdah.installation.compiled import compiled
from howdah.installation.digests import release_of
from howdah.installation.find import fetched_hbase
from howdah.installation.hbase import HBaseInstallation, ycsb_jars

_CLASSES = "ycsb"


def with_ycsb(installation: HBaseInstallation) -> HBaseInstallation:
    """The installation with YCSB's jars and howdah's classes, which are compiled once for it.

    Raises UserError where YCSB was not fetched, or Java has no compiler.
    """
    jars = installation.class_path if installation.fetched else (*installation.class_path, *_fetched_jars())
    return installation._replace(
        class_path=(str(compiled(_CLASSES, jars, "set HBASE_HOME to an HBase 2.x")), *jars)
    )


def _fetched_jars() -> tuple[str, ...]:
    """YCSB's jars beside a user's own HBase, which has none; raises UserError where they are not there."""
    release = release_of("hbase", None)
    # It names what is missing and how to get it.
    fetched_hbase(release)
    return tuple(map(str, ycsb_jars(release_folder(release) / "lib")))

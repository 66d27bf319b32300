"""YCSB on HBase: the load generator's jars, and howdah's own classes, which are compiled where they run."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from howdah.errors import UserError
from howdah.installation.cache import cache_folder, release_folder
from howdah.installation.command import RESOURCES
from howdah.installation.digests import release_of
from howdah.installation.find import fetched_hbase
from howdah.installation.hbase import HBaseInstallation, ycsb_jars
from howdah.installation.java import java_home

_SOURCES = RESOURCES / "ycsb"
_COMPILE_S = 120


def with_ycsb(installation: HBaseInstallation) -> HBaseInstallation:
    """The installation with YCSB's jars and howdah's classes, which are compiled once for it.

    Raises UserError where YCSB was not fetched, or Java has no compiler.
    """
    jars = installation.class_path if installation.fetched else (*installation.class_path, *_fetched_jars())
    return installation._replace(class_path=(str(_compiled(jars)), *jars))


def _fetched_jars() -> tuple[str, ...]:
    """YCSB's jars beside a user's own HBase, which has none; raises UserError where they are not there."""
    release = release_of("hbase", None)
    # It names what is missing and how to get it.
    fetched_hbase(release)
    return tuple(map(str, ycsb_jars(release_folder(release) / "lib")))


def _compiled(class_path: tuple[str, ...]) -> Path:
    """The folder of classes, compiled against these jars if that was not done before."""
    sources = sorted(_SOURCES.glob("*.java"))
    digest = hashlib.sha256("\0".join(class_path).encode())
    for source in sources:
        digest.update(source.read_bytes())
    folder = cache_folder() / "ycsb" / digest.hexdigest()[:16]
    if folder.is_dir():
        return folder
    compiler = java_home() / "bin/javac"
    if not compiler.is_file():
        raise UserError(
            str(compiler),
            "is missing: YCSB's binding to HBase is compiled here",
            "install a JDK (sudo apt-get install openjdk-17-jdk-headless), or set JAVA_HOME to one",
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".compiling-", dir=folder.parent))
    try:
        done = subprocess.run(
            [str(compiler), "-d", str(made), "-cp", ":".join(class_path), *map(str, sources)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMPILE_S,
            check=False,
        )
        if done.returncode:
            first = next((line for line in done.stderr.splitlines() if "error" in line), f"{done.returncode}")
            raise UserError(
                "YCSB's binding", f"cannot be compiled: {first}", "name a HBase 2.x by HBASE_HOME"
            )
        if not folder.is_dir():
            # Whoever compiles the same at the same time leaves the same.
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder

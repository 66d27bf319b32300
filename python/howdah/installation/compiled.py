"""howdah's own Java classes, compiled against the jars that they run with, and the jars of YCSB and Spark."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.installation.command import RESOURCES
from howdah.installation.digests import cache_folder, release_folder, release_of
from howdah.installation.installation import HBaseInstallation, Installation, fetched_hbase, ycsb_jars
from howdah.installation.java import java_home
from howdah.installation.spark import SparkInstallation

_CLASSES = "ycsb"


def with_ycsb(installation: HBaseInstallation) -> HBaseInstallation:
    """Return the installation with YCSB's jars and howdah's classes, compiled once for it.

    Raises UserError if YCSB was not fetched, or if Java has no compiler.
    """
    jars = installation.class_path if installation.fetched else (*installation.class_path, *_fetched_jars())
    return installation._replace(
        class_path=(str(compiled(_CLASSES, jars, "set HBASE_HOME to an HBase 2.x")), *jars)
    )


def _fetched_jars() -> tuple[str, ...]:
    """Return YCSB's jars from the fetched HBase; a user's own HBase has none."""
    release = release_of("hbase", None)
    # Raises UserError if the release is missing.
    fetched_hbase(release)
    return tuple(map(str, ycsb_jars(release_folder(release) / "lib")))


_SPARK_CLASSES = "spark"


class SparkPrograms(NamedTuple):
    """A Spark, and howdah's programs for it."""

    spark: SparkInstallation
    jar: Path
    """howdah's own classes."""
    examples_jar: Path
    """Hadoop's examples, which read and write TeraSort's rows."""


def spark_programs(spark: SparkInstallation, hadoop: Installation) -> SparkPrograms:
    """Return howdah's programs on Spark in one jar, compiled once for these jars; raises as ``compiled``."""
    path = (f"{spark.jars}/*", str(hadoop.examples_jar))
    classes = compiled(_SPARK_CLASSES, path, "set SPARK_HOME to a Spark 3.5 or later")
    jar = classes.with_name(f"howdah-spark-{classes.name}.jar")
    if not jar.is_file():
        with (
            tempfile.NamedTemporaryFile(dir=jar.parent, delete=False) as made,
            zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as content,
        ):
            for file in sorted(path for path in classes.rglob("*") if path.is_file()):
                content.write(file, file.relative_to(classes))
        Path(made.name).chmod(0o644)
        Path(made.name).rename(jar)
    return SparkPrograms(spark, jar, hadoop.examples_jar)


_COMPILE_S = 120


def compiled(name: str, class_path: tuple[str, ...], hint: str) -> Path:
    """Return the folder of the classes of a name; compile them against these jars if it does not exist.

    Files next to the sources, which the classes read, are copied there. Raises UserError if there is no
    compiler, or, with ``hint``, if the sources do not compile with the jars.
    """
    files = sorted(path for path in (RESOURCES / name).iterdir() if path.is_file())
    sources = [path for path in files if path.suffix == ".java"]
    digest = hashlib.sha256("\0".join(class_path).encode())
    for file in files:
        digest.update(file.read_bytes())
    folder = cache_folder() / name / digest.hexdigest()[:16]
    if folder.is_dir():
        return folder
    compiler = java_home() / "bin/javac"
    if not compiler.is_file():
        raise UserError(
            str(compiler),
            "is missing: howdah compiles its own clients of Hadoop and HBase",
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
            raise UserError(f"howdah's classes of {name}", f"cannot be compiled: {first}", hint)
        for file in files:
            if file not in sources:
                shutil.copyfile(file, made / file.name)
        if not folder.is_dir():
            # Another process that compiles them at the same time produces the same folder.
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder

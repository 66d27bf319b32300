"""Where howdah keeps what it fetched."""

from __future__ import annotations

import os
from pathlib import Path

from howdah.installation.digests import Fetchable


def cache_folder() -> Path:
    """``$HOWDAH_CACHE``, else ``$XDG_CACHE_HOME/howdah``, else ``~/.cache/howdah``; it need not exist."""
    if given := os.environ.get("HOWDAH_CACHE"):
        return Path(given).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "howdah"


def release_folder(release: Fetchable) -> Path:
    """The folder of one fetched release; its jars are in ``lib`` below it."""
    return cache_folder() / release.product / release.version

"""The scripts that draw live charts, put together as one.

That takes about a second, which is a noticeable part of writing a report, so the result is kept in the user's
cache directory. A kept copy is used only if it is whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from importlib import metadata
from pathlib import Path

from howdah.report.drawing import VEGA_LITE, needs_charts

EXPOSED = "window.vegaEmbed = vegaEmbed;"
"""What the bundle hands to the page's own script."""


def vega_bundle() -> str:
    """The bundle's source; a cache that cannot be read or written only costs time."""
    with needs_charts():
        import vl_convert  # noqa: PLC0415

    with contextlib.suppress(OSError, RuntimeError, UnicodeDecodeError):
        digest, _, bundle = _path().read_bytes().decode().partition("\n")
        if digest == _digest(bundle):
            return bundle
    bundle = vl_convert.javascript_bundle(EXPOSED, vl_version=VEGA_LITE)
    with contextlib.suppress(OSError, RuntimeError):
        _keep(_path(), f"{_digest(bundle)}\n{bundle}".encode())
    return bundle


def _path() -> Path:
    """Where the XDG base directory specification puts caches; RuntimeError for a user without a home."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(home) if home.startswith("/") else Path.home() / ".cache"
    return cache / "howdah" / f"vega-{metadata.version('vl-convert-python')}-{VEGA_LITE}.js"


def _digest(bundle: str) -> str:
    return hashlib.sha256(f"{EXPOSED}\n{bundle}".encode()).hexdigest()


def _keep(path: Path, content: bytes) -> None:
    """Write the file whole or not at all: another run may read it at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(path)

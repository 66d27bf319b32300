"""The still pictures of an export: drawn by processes that are started once, or those of an earlier one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError

import howdah
from howdah.model.base import Model
from howdah.report.drawing import VEGA_LITE
from howdah.report.renderer import Renderer, still_spec

MARK = "howdah-export.json"
"""By what a directory is known that an export may replace; it says which picture was drawn from what."""


class _Picture(Model):
    """A picture in the folder of an export."""

    file: Annotated[str, Field(pattern=r"^\w[\w.-]*(/\w[\w.-]*)*\.svg$")]
    """Its path from there on."""
    sha256: str
    """The digest of what is in it."""


class _Mark(Model):
    made_by: str
    pictures: dict[str, _Picture] = Field(default_factory=dict)
    """By the digest of what each was drawn from."""


class Album:
    """Draws pictures for any thread, one page's after the other's, and knows those of an earlier export."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._earlier = _read(directory / MARK)
        self._pictures: dict[str, _Picture] = {}
        self._renderer: Renderer | None = None
        self._drawing = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._renderer is not None:
            self._renderer.dismiss()

    def pictures(self, specs: Mapping[str, dict[str, Any]]) -> dict[str, str]:
        """The figures of a page as SVG, by the files that they become."""
        stills = {file: still_spec(spec) for file, spec in specs.items()}
        digests = {file: _digest(spec) for file, spec in stills.items()}
        known = {file: text for file, digest in digests.items() if (text := self._known(digest)) is not None}
        with self._drawing:
            fresh = {file: spec for file, spec in stills.items() if file not in known}
            if fresh and self._renderer is None:
                self._renderer = Renderer()
            drawn = self._renderer.draw(fresh) if self._renderer and fresh else {}
            made = known | drawn
            for file, text in made.items():
                self._pictures[digests[file]] = _Picture(file=file.lstrip("/"), sha256=_sha256(text.encode()))
        return made

    def mark(self) -> str:
        """What the next export finds these pictures by."""
        mark = _Mark(made_by=f"howdah {howdah.__version__}", pictures=self._pictures)
        return mark.model_dump_json() + "\n"

    def _known(self, digest: str) -> str | None:
        picture = self._earlier.get(digest)
        if picture is None:
            return None
        try:
            content = (self._directory / picture.file).read_bytes()
        except OSError:
            return None
        return content.decode() if _sha256(content) == picture.sha256 else None


def _read(file: Path) -> dict[str, _Picture]:
    try:
        return _Mark.model_validate_json(file.read_bytes()).pictures
    except (OSError, ValidationError):
        return {}


def _digest(spec: dict[str, Any]) -> str:
    drawing = [howdah.__version__, VEGA_LITE, metadata.version("vl-convert-python"), spec]
    return _sha256(json.dumps(drawing, sort_keys=True).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

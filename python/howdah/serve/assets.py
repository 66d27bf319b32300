"""Scripts and styles of the pages, each under a name that changes with its content."""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib import resources
from typing import NamedTuple

from howdah.report.html_shell import page_text, style_sheet, vega_bundle

_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}


class Asset(NamedTuple):
    """One file of every page's, or of one page's own."""

    content: bytes
    kind: str


class Assets:
    """All of them, by the name that addresses have."""

    def find(self, address: str) -> Asset | None:
        """The file of that name in addresses."""
        return self.files.get(address)

    @cached_property
    def files(self) -> dict[str, Asset]:
        """Every file by its name in addresses."""
        return {self.names[name]: Asset(text, _kind(name)) for name, text in self._texts.items()}

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        own = resources.files("howdah.serve") / "static"
        texts = {file.name: file.read_text(encoding="utf-8") for file in own.iterdir()}
        texts["page.css"] = f"{style_sheet()}\n{texts.pop('serve.css')}"
        texts["plan.css"], texts["plan.js"] = page_text("plan.css"), page_text("plan.js")
        texts["page.js"], texts["vega.js"] = page_text("page.js"), vega_bundle()
        return {name: text.encode() for name, text in texts.items()}

    @cached_property
    def names(self) -> dict[str, str]:
        """Each file's name in addresses: ``page.js`` is ``page-0123456789ab.js``."""
        return {name: _named(name, text) for name, text in self._texts.items()}


def _named(name: str, content: bytes) -> str:
    stem, _, end = name.rpartition(".")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.{end}"


def _kind(name: str) -> str:
    return _TYPES[name.rpartition(".")[2]]

"""Texts that are the same for every plan but for a few words."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def template(name: str) -> str:
    """A template's text; its words to be replaced stand between ``@``."""
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")

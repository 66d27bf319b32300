"""The files that a plan renders to."""

from __future__ import annotations

from howdah.model.base import Model


class ConfigFile(Model):
    """One file, by its path below the ConfigSet's directory."""

    path: str
    """Relative, with forward slashes: ``hadoop/core-site.xml``."""
    content: str
    """Its whole text; the same plan gives the same text."""
    executable: bool = False
    """Whether it is a script."""


class ConfigSet(Model):
    """All files, sorted by path."""

    files: tuple[ConfigFile, ...]
    """The files; no two have one path."""

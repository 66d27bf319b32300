"""Comparisons -> HTML, Markdown and terminal text."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)

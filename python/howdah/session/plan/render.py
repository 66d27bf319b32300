"""From a plan's file to the files of a cluster."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.files import read_plan
from howdah.model.configset import ConfigSet
from howdah.planner.literature import told
from howdah.render import render
from howdah.render.contents import counted_contents
from howdah.render.directory import FileChange, digest, pending_changes, write_rendered

__all__ = ["FileChange", "counted_contents", "digest", "pending_changes", "render_plan", "write_rendered"]


def render_plan(path: Path) -> ConfigSet:
    """Read a plan and render it; raises UserError for what is wrong with either."""
    return render(read_plan(path), told)

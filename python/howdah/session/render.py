"""From a plan's file to the files of a cluster."""

from __future__ import annotations

from pathlib import Path

from howdah.model.configset import ConfigSet
from howdah.render import render
from howdah.render.contents import counted
from howdah.render.directory import Change, changes, digest, write
from howdah.session.plans import load_plan

__all__ = ["Change", "changes", "counted", "digest", "render_plan", "write"]


def render_plan(path: Path) -> ConfigSet:
    """Read a plan and render it; raises UserError for what is wrong with either."""
    return render(load_plan(path))

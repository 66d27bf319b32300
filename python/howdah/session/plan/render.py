"""From a plan's file to the files of a cluster."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.files import read_plan
from howdah.model.plan import ConfigSet
from howdah.planner.explanation import source_text
from howdah.render.cluster import render
from howdah.render.output import FileChange, digest, pending_changes, write_rendered
from howdah.render.readme import counted_contents
from howdah.session.plan.acceptance import held_plan

__all__ = ["FileChange", "counted_contents", "digest", "pending_changes", "render_plan", "write_rendered"]


def render_plan(path: Path, *, force: bool = False) -> ConfigSet:
    """Read a plan and render it; raises UserError for what is wrong with either.

    What is fatal in the plan is refused as well unless it is forced; its README then says so.
    """
    plan = read_plan(path)
    # Names and values that are none are told as such before what they would do is looked at.
    files = render(plan, source_text)
    held = held_plan(plan, str(path), force=force)
    return files if held == plan else render(held, source_text)

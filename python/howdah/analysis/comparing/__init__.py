"""Runs against a baseline: what changed, where the difference lies, and whether it is one."""

from howdah.analysis.comparing.compare import compare
from howdah.analysis.comparing.figures import figures_of
from howdah.analysis.comparing.groups import group_repeats

__all__ = ["compare", "figures_of", "group_repeats"]

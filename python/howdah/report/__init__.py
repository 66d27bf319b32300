"""Findings -> HTML, Markdown and terminal text."""

from howdah.report.terminal import render_terminal
from howdah.report.write import write_report

__all__ = ["render_terminal", "write_report"]

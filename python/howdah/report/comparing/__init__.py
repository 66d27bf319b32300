"""Comparisons -> HTML, Markdown and terminal text."""

"""Findings and plans -> HTML, Markdown and terminal text."""

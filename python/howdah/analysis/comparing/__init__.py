"""Runs compared with a baseline: what changed, and whether and where it made a difference."""

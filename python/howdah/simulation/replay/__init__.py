"""Finished jobs replayed on other clusters, from what their histories count."""

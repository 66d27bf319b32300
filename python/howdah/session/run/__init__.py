"""Runs: made ready, carried out, reported, compared, and added to."""

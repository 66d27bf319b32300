"""Laboratories: built of a plan, looked at, sampled and removed."""

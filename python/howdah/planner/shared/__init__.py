"""Several clusters on the same hosts: what each has of them, and what they leave for another."""

from howdah.planner.shared.claims import check_fit, with_idle_neighbours
from howdah.planner.shared.remaining import Left, remaining_hosts

__all__ = ["Left", "check_fit", "remaining_hosts", "with_idle_neighbours"]

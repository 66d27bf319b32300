"""How one host is divided into workers: what is possible, how large they are and what speaks for each."""

from howdah.planner.platforms.candidates import layout_of, weigh
from howdah.planner.platforms.sizes import size_settings

__all__ = ["layout_of", "size_settings", "weigh"]

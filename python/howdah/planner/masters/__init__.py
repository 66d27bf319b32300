"""Where master daemons live: places of their own, a host of their own, or beside workers."""

from howdah.planner.masters.place import place_masters

__all__ = ["place_masters"]

"""Where master daemons live: places of their own, a host of their own, or beside workers."""

from howdah.planner.masters.place import enough_hosts, place_masters

__all__ = ["enough_hosts", "place_masters"]

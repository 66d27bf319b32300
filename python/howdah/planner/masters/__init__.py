"""Where master daemons live: places of their own, a host of their own, or beside workers."""

from __future__ import annotations

from howdah.planner.masters.left import worker_hosts_left, workers_left
from howdah.planner.masters.place import place_masters

__all__ = ["place_masters", "worker_hosts_left", "workers_left"]

"""What has not been built, computed: a plan and a suite become a scenario, its outcome times and intervals.

`engines/sim` makes records of it; predictions, what-ifs, sweeps and the planner rest on its summaries alone.
"""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)

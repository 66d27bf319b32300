"""Plans for real hosts made small enough for a laboratory on one machine."""

from howdah.planner.scaling.fit import Fitted, fit_beside, fit_plan
from howdah.planner.scaling.room import Footprint, footprint

__all__ = ["Fitted", "Footprint", "fit_beside", "fit_plan", "footprint"]

"""The simulator as an engine: a plan and a suite go into a scenario, its outcome into a run's record."""

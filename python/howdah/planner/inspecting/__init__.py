"""What rules look at where no single key says it: hosts as they were probed, and keys that belong together.

The functions here yield observations; the rules that name them are in ``howdah.planner.rules``.
"""

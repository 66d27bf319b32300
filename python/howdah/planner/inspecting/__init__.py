"""What rules look at where no single key says it: hosts as they were probed, and keys that belong together.

Modules that hold ``RULES`` are joined to their subject's in ``howdah.planner.rules``.
"""

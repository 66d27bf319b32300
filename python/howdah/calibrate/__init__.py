"""Calibration: which values of the simulator's parameters explain runs that are known.

It is handed a function that simulates a case, and knows nothing of how that is done.
"""

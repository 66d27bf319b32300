"""The planner's rules held against what exists: a configuration directory, hosts, and a plan against both.

``folder`` reads a configuration as its files say it, ``values`` resolves what a daemon would read
from it, ``facts`` says what the rules may know, ``audit`` runs them; ``drift`` compares a plan.
"""

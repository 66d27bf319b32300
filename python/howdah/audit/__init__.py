"""The planner's rules compared with what exists: a configuration directory, hosts, and a plan against both.

``folder`` reads a configuration as its files say it, ``values`` resolves what a daemon would read
from it, ``found_facts`` and ``planned_facts`` are what the rules may know, ``audit`` runs them all.
"""

"""What administrators have measured already, as samples of a run: sysstat, esxtop, Prometheus.

An importer makes stretches of what it reads, ``onto_run`` puts them on the run's clock.
"""

"""Measurements of administrators as samples of a run: sysstat, esxtop, Prometheus.

An importer reads stretches; ``onto_run`` puts them on the run's clock.
"""

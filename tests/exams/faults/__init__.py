"""Faults of real clusters, each with where it is told: seeded one by one into what is sound."""

from __future__ import annotations

from exams.faults import hbase, hdfs, hosts, jobs, spark

FAULTS = (*hdfs.FAULTS, *jobs.FAULTS, *hbase.FAULTS, *hosts.FAULTS, *spark.FAULTS)

"""Faults of real clusters, each with where it is told: seeded one by one into what is sound."""

from __future__ import annotations

from exams.faults import elected, ha, hbase, hdfs, hosts, jobs, kinds, spark, variations

FAULTS = (
    *hdfs.FAULTS,
    *ha.FAULTS,
    *jobs.FAULTS,
    *elected.FAULTS,
    *hbase.FAULTS,
    *hosts.FAULTS,
    *spark.FAULTS,
    *kinds.FAULTS,
    *variations.FAULTS,
)

"""Faults of Spark on YARN."""

from __future__ import annotations

from support.faults import Edit, Fault, text


def _spark(*lines: str) -> Edit:
    """Spark's defaults, of these lines."""
    return text("spark-defaults.conf", "\n".join(("spark.master yarn", *lines)))


FAULTS = (
    Fault(
        "executors that come and go without their outputs",
        _spark(
            "spark.dynamicAllocation.enabled true", "spark.dynamicAllocation.shuffleTracking.enabled false"
        ),
        "spark.shuffle.service.enabled",
        "Spark documentation, Job Scheduling, Dynamic Resource Allocation",
    ),
    Fault(
        "an executor larger than a container may be",
        _spark("spark.executor.memory 200g"),
        "spark.executor.memory",
        "Spark, Client.verifyClusterResources: Required executor memory is above the max threshold",
    ),
    Fault(
        "an executor with its overhead larger than a container may be",
        _spark("spark.executor.memory 84g"),
        "spark.executor.memory",
        "Spark, Client.verifyClusterResources: Required executor memory is above the max threshold",
    ),
    Fault(
        "a shuffle service on no worker",
        _spark("spark.shuffle.service.enabled true"),
        "yarn.nodemanager.aux-services",
        "Spark documentation, Running Spark on YARN, Configuring the External Shuffle Service",
    ),
    Fault(
        "the overhead's former name",
        _spark("spark.yarn.executor.memoryOverhead 2048"),
        "spark.executor.memoryOverhead",
        "Spark documentation 2.3, Configuration: spark.executor.memoryOverhead",
        warns=True,
    ),
    Fault(
        "executors of more cores than a container may have",
        _spark("spark.executor.cores 128"),
        "spark.executor.cores",
        "Spark documentation, Running Spark on YARN; Hadoop, SchedulerUtils",
    ),
    Fault(
        "events on a host's own disk",
        _spark("spark.eventLog.enabled true", "spark.eventLog.dir file:///tmp/spark-events"),
        "spark.eventLog.dir",
        "Spark documentation, Monitoring and Instrumentation",
        warns=True,
    ),
)

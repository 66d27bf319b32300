"""The command line of a program on Spark, and its result from the event log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from howdah.engines.hadoop.history.reporters import ReportedJob
from howdah.engines.hadoop.history.spark import report_spark
from howdah.engines.hadoop.programs.command import HADOOP_PREFIX, SPARK_PREFIX, EndedJob, staging
from howdah.engines.hadoop.storage import HdfsWorkspace
from howdah.engines.hadoop.target import HadoopContext, HadoopTarget
from howdah.installation.java_programs import spark_command
from howdah.model.workloads.base import Workload
from howdah.model.workloads.spark import DeployMode, ExecutorAllocation, OnSpark
from howdah.services.resourcemanager import ResourceManager, SparkDriver
from howdah.units import MIB

LOGS = "spark-logs"
"""The folder of the run's directory that event logs are written to."""
_DRIVER_MEMORY = "spark.driver.memory"
_DRIVER_MEMORY_DEFAULT = "1g"


class SparkCommand(NamedTuple):
    """A program on Spark and what it does."""

    main: str
    """Its class."""
    arguments: tuple[str, ...]
    """Description of the program."""
    name: str
    """The application's name in YARN."""
    properties: Mapping[str, str]
    """Properties that the workload sets: Spark's, and Hadoop's by their own names."""
    jars: Mapping[str, str]
    """The properties that name Spark's jars; empty if the user's settings do."""

    def vector(self, target: HadoopTarget, workspace: HdfsWorkspace, tag: str) -> list[str]:
        """The client's whole command line, no shell in between.

        The user's own properties win over the workload's, but not over those that keep an application within
        the run's directory and findable by its tag.
        """
        assert target.spark is not None
        requested = {**self.properties, **target.job_settings}
        properties = {
            key if key.startswith(SPARK_PREFIX) else f"{HADOOP_PREFIX}{key}": value
            for key, value in requested.items()
        } | self._own(target, workspace, tag)
        words = [word for key, value in properties.items() for word in ("--conf", f"{key}={value}")]
        java = spark_command(
            target.spark.spark,
            target.conf_dir,
            properties.get(_DRIVER_MEMORY, _DRIVER_MEMORY_DEFAULT),
            "--master",
            "yarn",
            *words,
            "--jars",
            str(target.spark.examples_jar),
            "--class",
            self.main,
            str(target.spark.jar),
            *self.arguments,
        )
        return [*target.client_prefix, *java]

    def _own(self, target: HadoopTarget, workspace: HdfsWorkspace, tag: str) -> dict[str, str]:
        root = target.conf.default_fs
        own = {
            "spark.app.name": self.name,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"{root}{workspace.folder(LOGS)}",
            "spark.yarn.queue": target.queue,
            "spark.yarn.stagingDir": f"{root}{staging(workspace)}",
            "spark.yarn.tags": tag,
            # Each lab and each run at the same time has its own driver: any free port does.
            "spark.ui.port": "0",
        }
        return own | dict(self.jars)

    def master(self, manager: ResourceManager, application: str) -> SparkDriver:
        """The driver, which reports the progress of its tasks."""
        return manager.spark_driver(application)

    def report(self, context: HadoopContext, workload: Workload, ended: EndedJob) -> ReportedJob:
        """The result of the application, by its event log."""
        return report_spark(context, workload, ended, context.workspace.folder(LOGS))


def prepare_logs(context: HadoopContext) -> None:
    """Make the folder of event logs, without which an application does not start."""
    context.namenode.mkdirs(context.workspace.folder(LOGS))


def executor_properties(workload: OnSpark) -> dict[str, str]:
    """Executors and partitions as the workload has them."""
    dynamic = workload.allocation is ExecutorAllocation.DYNAMIC
    number = {
        "spark.executor.instances": workload.executors,
        "spark.executor.cores": workload.executor_cores,
        "spark.default.parallelism": workload.partitions,
        "spark.sql.shuffle.partitions": workload.partitions,
    }
    properties = {key: f"{value}" for key, value in number.items() if value is not None}
    if workload.executor_bytes is not None:
        properties["spark.executor.memory"] = f"{workload.executor_bytes // MIB}m"
    properties["spark.submit.deployMode"] = workload.deploy_mode or DeployMode.CLIENT
    if dynamic:
        properties.pop("spark.executor.instances", None)
        properties |= {
            "spark.dynamicAllocation.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.enabled": "true",
            "spark.dynamicAllocation.minExecutors": "1",
            "spark.dynamicAllocation.maxExecutors": f"{workload.executors or 1}",
        }
    else:
        # Spark would place tasks that start before most executors have registered on the first ones.
        properties |= {
            "spark.dynamicAllocation.enabled": "false",
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": "30s",
        }
    return properties

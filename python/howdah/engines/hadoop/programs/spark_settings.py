"""Spark's properties in ``--set``: which a user may give, and which howdah needs itself."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.releases.spark import DEFAULT_SPARK, intended_spark_key, spark_keys

SPARK_PREFIX = "spark."
HADOOP_PREFIX = "spark.hadoop."
"""Before a property of Hadoop, for Spark to pass it on."""
_FLAGS = {
    "spark.default.parallelism": "--partitions",
    "spark.dynamicAllocation.enabled": "--allocation",
    "spark.executor.cores": "--executor-cores",
    "spark.executor.instances": "--executors",
    "spark.executor.memory": "--executor-memory",
    "spark.sql.shuffle.partitions": "--partitions",
    "spark.submit.deployMode": "--deploy-mode",
    "spark.yarn.queue": "--queue",
}
_OWN = {
    "spark.app.name": "identifies the program",
    "spark.eventLog.dir": "keeps what applications write in the run's directory",
    "spark.eventLog.enabled": "must be true, because the report is made from the event log",
    "spark.jars": "holds howdah's programs",
    "spark.master": "must be yarn",
    "spark.yarn.stagingDir": "keeps what applications write in the run's directory",
    "spark.yarn.tags": "identifies the run's applications",
}


def check_spark_setting(key: str, value: str) -> None:
    """Raise UserError for a property of Spark that is not the user's, misspelt, or of a wrong kind."""
    if key in _FLAGS:
        raise UserError(f"--set {key}", "has its own flag", f"write {_FLAGS[key]}")
    if key in _OWN:
        raise UserError(f"--set {key}", f"is reserved for howdah: it {_OWN[key]}", "leave it out")
    known = spark_keys().get(key)
    if known is None:
        if meant := intended_spark_key(key):
            raise UserError(
                f"--set {key}", f"no code of Spark {DEFAULT_SPARK} reads this key", f"did you mean {meant}?"
            )
        return
    if misfit := known.misfit(value):
        raise UserError(f"--set {key}", f"{value!r} {misfit}", f"the default is {known.default!r}")

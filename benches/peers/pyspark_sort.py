"""PySpark in local mode: read text, sort, write text."""

from __future__ import annotations

from pyspark.sql import SparkSession

from benches.task import Task, sync_output, task_of_command_line


def sort(task: Task) -> None:
    """Sort the lines of the input file."""
    spark = (
        SparkSession.builder.master(f"local[{task.threads}]")
        .config("spark.driver.memory", f"{task.memory_bytes // 2**20}m")
        .config("spark.local.dir", str(task.scratch))
        .config("spark.ui.enabled", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", str(4 * task.threads))
        .getOrCreate()
    )
    gateway = spark.sparkContext._gateway
    if gateway is None:
        raise RuntimeError("this Spark session has no JVM of its own")
    lines = spark.read.text(str(task.input)).sort("value")
    lines.write.mode("append").text(str(task.output))
    spark.stop()
    # The JVM ends when this pipe does; waiting for it puts its memory and its end into the measurement.
    gateway.proc.stdin.close()
    gateway.proc.wait()
    sync_output(task.output)


if __name__ == "__main__":
    sort(task_of_command_line())

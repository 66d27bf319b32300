"""A job's counters as the run record sums them up."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.model.run import Counters
from howdah.services.job import JobFacts, Sums

INPUT_BYTES = "FileInputFormatCounter.BYTES_READ"
_NONE = Sums(0, 0, 0)


def summed(job: JobFacts) -> Counters:
    """What a job did, by its own counters; all zero where nobody tells them.

    Bytes read and written are HDFS's, intermediate data is what maps left for reduces: before compression
    and as it lay on disk. Rows that were spilled twice count twice, as Hadoop counts them.
    """
    counters = job.counters
    # A job without reduces has none of their counters.
    made = _task(counters, "REDUCE_OUTPUT_RECORDS").reduce
    if "TaskCounter.REDUCE_OUTPUT_RECORDS" not in counters:
        made = _task(counters, "MAP_OUTPUT_RECORDS").map
    return Counters(
        input_rows=_task(counters, "MAP_INPUT_RECORDS").map if _reads(counters) else 0,
        output_rows=made,
        read_bytes=_file_system(counters, "HDFS_BYTES_READ").total,
        written_bytes=_file_system(counters, "HDFS_BYTES_WRITTEN").total,
        spilled_rows=_task(counters, "SPILLED_RECORDS").total,
        spilled_raw_bytes=_task(counters, "MAP_OUTPUT_BYTES").map,
        spilled_bytes=_task(counters, "MAP_OUTPUT_MATERIALIZED_BYTES").map,
        spill_read_bytes=_file_system(counters, "FILE_BYTES_READ").total,
    )


def _reads(counters: Mapping[str, Sums]) -> bool:
    """Whether rows come from files: TeraGen's maps count as input what they only number."""
    read = counters.get(INPUT_BYTES)
    return read is None or read.total > 0


def _task(counters: Mapping[str, Sums], name: str) -> Sums:
    return counters.get(f"TaskCounter.{name}", _NONE)


def _file_system(counters: Mapping[str, Sums], name: str) -> Sums:
    return counters.get(f"FileSystemCounter.{name}", _NONE)

"""A job's counters as the run record sums them up, or as its client prints them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from howdah.model.counters import Counters
from howdah.services.job import JobFacts, Sums

INPUT_BYTES = "FileInputFormatCounter.BYTES_READ"
_NONE = Sums(0, 0, 0)

_BEGIN = re.compile(r"mapreduce\.Job: Counters: \d+$")
_COUNTER = re.compile(r"^\t\t(?P<name>.+?)\s*=(?P<value>-?\d+)$")
_GROUP = re.compile(r"^\t(?P<name>\S.*?)\s*$")
_FILE_SYSTEM = re.compile(r"^(?P<scheme>[A-Z]+): Number of (?P<what>.+)$")
_GROUPS = {
    "File System Counters": "FileSystemCounter",
    "Job Counters": "JobCounter",
    "Map-Reduce Framework": "TaskCounter",
    "File Input Format Counters": "FileInputFormatCounter",
    "File Output Format Counters": "FileOutputFormatCounter",
}
_FILE_SYSTEM_NAMES = {
    "bytes read": "BYTES_READ",
    "bytes written": "BYTES_WRITTEN",
    "read operations": "READ_OPS",
    "large read operations": "LARGE_READ_OPS",
    "write operations": "WRITE_OPS",
    "bytes read erasure-coded": "BYTES_READ_EC",
}
# Hadoop prints a counter's words instead of its name; where it has no words it prints the name.
_NAMES = {
    "Failed map tasks": "NUM_FAILED_MAPS",
    "Failed reduce tasks": "NUM_FAILED_REDUCES",
    "Killed map tasks": "NUM_KILLED_MAPS",
    "Killed reduce tasks": "NUM_KILLED_REDUCES",
    "Launched map tasks": "TOTAL_LAUNCHED_MAPS",
    "Launched reduce tasks": "TOTAL_LAUNCHED_REDUCES",
    "Other local map tasks": "OTHER_LOCAL_MAPS",
    "Data-local map tasks": "DATA_LOCAL_MAPS",
    "Rack-local map tasks": "RACK_LOCAL_MAPS",
    "Total time spent by all maps in occupied slots (ms)": "SLOTS_MILLIS_MAPS",
    "Total time spent by all reduces in occupied slots (ms)": "SLOTS_MILLIS_REDUCES",
    "Total time spent by all map tasks (ms)": "MILLIS_MAPS",
    "Total time spent by all reduce tasks (ms)": "MILLIS_REDUCES",
    "Total megabyte-milliseconds taken by all map tasks": "MB_MILLIS_MAPS",
    "Total megabyte-milliseconds taken by all reduce tasks": "MB_MILLIS_REDUCES",
    "Total vcore-milliseconds taken by all map tasks": "VCORES_MILLIS_MAPS",
    "Total vcore-milliseconds taken by all reduce tasks": "VCORES_MILLIS_REDUCES",
    "Map input records": "MAP_INPUT_RECORDS",
    "Map output records": "MAP_OUTPUT_RECORDS",
    "Map output bytes": "MAP_OUTPUT_BYTES",
    "Map output materialized bytes": "MAP_OUTPUT_MATERIALIZED_BYTES",
    "Input split bytes": "SPLIT_RAW_BYTES",
    "Combine input records": "COMBINE_INPUT_RECORDS",
    "Combine output records": "COMBINE_OUTPUT_RECORDS",
    "Reduce input groups": "REDUCE_INPUT_GROUPS",
    "Reduce shuffle bytes": "REDUCE_SHUFFLE_BYTES",
    "Reduce input records": "REDUCE_INPUT_RECORDS",
    "Reduce output records": "REDUCE_OUTPUT_RECORDS",
    "Spilled Records": "SPILLED_RECORDS",
    "Shuffled Maps": "SHUFFLED_MAPS",
    "Failed Shuffles": "FAILED_SHUFFLE",
    "Merged Map outputs": "MERGED_MAP_OUTPUTS",
    "GC time elapsed (ms)": "GC_TIME_MILLIS",
    "CPU time spent (ms)": "CPU_MILLISECONDS",
    "Physical memory (bytes) snapshot": "PHYSICAL_MEMORY_BYTES",
    "Virtual memory (bytes) snapshot": "VIRTUAL_MEMORY_BYTES",
    "Total committed heap usage (bytes)": "COMMITTED_HEAP_BYTES",
    "Peak Map Physical memory (bytes)": "MAP_PHYSICAL_MEMORY_BYTES_MAX",
    "Peak Map Virtual memory (bytes)": "MAP_VIRTUAL_MEMORY_BYTES_MAX",
    "Peak Reduce Physical memory (bytes)": "REDUCE_PHYSICAL_MEMORY_BYTES_MAX",
    "Peak Reduce Virtual memory (bytes)": "REDUCE_VIRTUAL_MEMORY_BYTES_MAX",
    "Bytes Read": "BYTES_READ",
    "Bytes Written": "BYTES_WRITTEN",
}
_OF_MAPS = re.compile(r"^(?:MAP_|SPLIT_RAW|NUM_FAILED_MAPS|NUM_KILLED_MAPS|.*_MAPS$)")
_OF_REDUCES = re.compile(r"^(?:REDUCE_|SHUFFLED_MAPS$|FAILED_SHUFFLE$|MERGED_MAP_OUTPUTS$|.*_REDUCES$)")


def sum_counters(job: JobFacts) -> Counters:
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


def printed_counters(lines: Iterable[str]) -> dict[str, Sums]:
    """The counters of the last job whose client printed them, by ``Group.NAME``; empty if none did.

    A client prints totals only. Those that maps or reduces alone can have are theirs; of the others,
    such as bytes of files, only the total is known, and their parts are 0.
    """
    result: dict[str, Sums] = {}
    group: str | None = None
    within = False
    for line in lines:
        if _BEGIN.search(line):
            result, group, within = {}, None, True
        elif within and (counter := _COUNTER.match(line)) and group is not None:
            name = _name(counter["name"])
            result[f"{_GROUPS.get(group, group.rpartition('.')[2])}.{name}"] = _sums(
                name, int(counter["value"])
            )
        elif within and (heading := _GROUP.match(line)):
            group = heading["name"]
        elif within and line.strip():
            within = False
    return result


def _name(words: str) -> str:
    file_system = _FILE_SYSTEM.match(words)
    if file_system and file_system["what"] in _FILE_SYSTEM_NAMES:
        return f"{file_system['scheme']}_{_FILE_SYSTEM_NAMES[file_system['what']]}"
    return _NAMES.get(words, words)


def _sums(name: str, total: int) -> Sums:
    if _OF_REDUCES.match(name):
        return Sums(0, total, total)
    return Sums(total if _OF_MAPS.match(name) else 0, 0, total)

"""What a workload sets, and what its program's own words come to."""

from __future__ import annotations

from howdah.engines.hadoop.benchmarks import (
    DfsioSums,
    OperationRate,
    TaskRate,
    arguments,
    estimate,
    read_measured,
    read_sums,
    read_task,
)
from howdah.engines.hadoop.command import file_properties, sort_properties
from howdah.engines.hadoop.following import progress
from howdah.model.workloads.hadoop_programs import NNBench
from howdah.model.workloads.terasort import Codec, TeraGen, TeraSort
from howdah.services.job_rest import JobProgress

SUMS = "f:rate\t178202.92\nf:sqrate\t15396.9\nl:size\t30000000\nl:tasks\t3\nl:time\t820\n"
TASK_LOG = """\
2026-11-21 16:37:41,500 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: \
hdfs://localhost:34935/user/root/howdah/r1/dfsio/io_control/in_file_test_io_12:0+112
2026-11-21 16:37:42,590 INFO [main] org.apache.hadoop.fs.TestDFSIO: Number of bytes processed = 10000000
2026-11-21 16:37:42,590 INFO [main] org.apache.hadoop.fs.TestDFSIO: Exec time = 532
2026-11-21 16:37:42,591 INFO [main] org.apache.hadoop.fs.TestDFSIO: IO rate = 17.926208
"""
NNBENCH = [
    "16:38:51,404 INFO org.apache.hadoop.hdfs.NNBench:         # maps that missed the barrier: 1",
    "16:38:51,404 INFO org.apache.hadoop.hdfs.NNBench:                           # exceptions: 0",
    "16:38:51,404 INFO org.apache.hadoop.hdfs.NNBench:                TPS: Create/Write/Close: 384",
    "16:38:51,404 INFO org.apache.hadoop.hdfs.NNBench: Avg exec time (ms): Create/Write/Close: 5.2",
    "16:38:51,404 INFO org.apache.hadoop.hdfs.NNBench:               RAW DATA: TPS Total (ms): 1688",
]


def test_what_a_workload_leaves_open_is_left_to_the_cluster() -> None:
    assert file_properties(TeraGen(rows=1)) == {}
    assert sort_properties(TeraSort(rows=1)) == {}


def test_the_papers_parameters_have_hadoops_names() -> None:
    workload = TeraSort(
        reduces=4,
        codec=Codec.SNAPPY,
        block_bytes=2**28,
        replication=2,
        slowstart=0.5,
        partition_samples=1000,
    )
    assert sort_properties(workload) == {
        "dfs.blocksize": "268435456",
        "mapreduce.job.reduces": "4",
        "mapreduce.terasort.output.replication": "2",
        "mapreduce.terasort.partitions.sample": "1000",
        "mapreduce.job.reduce.slowstart.completedmaps": "0.5",
        "mapreduce.map.output.compress": "true",
        "mapreduce.map.output.compress.codec": "org.apache.hadoop.io.compress.SnappyCodec",
    }


def test_no_compression_is_said_too() -> None:
    workload = TeraSort(codec=Codec.NONE)
    assert sort_properties(workload) == {"mapreduce.map.output.compress": "false"}


def test_dfsios_sums_and_a_tasks_own_numbers_are_read() -> None:
    assert read_sums(SUMS) == DfsioSums(tasks=3, size_bytes=30_000_000, io_ms=820)
    assert read_task(TASK_LOG) == TaskRate("test_io_12", 10_000_000, 532)
    assert read_task(TASK_LOG.partition("Exec")[0]) is None


def test_nnbenchs_rate_is_read_and_its_options_are_its_own() -> None:
    assert read_measured(NNBENCH) == OperationRate(per_s=384.0, late_maps=1)
    assert read_measured(NNBENCH[:2]) is None
    words = arguments(NNBench(maps=2, operations=20), "rename", "/w/nnbench")
    options = dict(zip(words[::2], words[1::2], strict=True))
    assert options["-operation"] == "rename"
    assert options["-numberOfFiles"] == "20"
    assert int(options["-blockSize"]) % int(options["-bytesPerChecksum"]) == 0
    assert "-replicationFactorPerFile" not in options


def test_pis_answer_is_what_the_client_printed() -> None:
    lines = ["Job Finished in 16.029 seconds", "Estimated value of Pi is 3.14400000000000000000"]
    assert estimate(lines) == "3.14400000000000000000"
    assert estimate(lines[:1]) is None


def test_progress_is_in_bytes_and_a_sorts_phase_turns_when_its_maps_are_done() -> None:
    workload = TeraSort(rows=1000)
    job = JobProgress.model_validate(
        {
            "id": "job_1_1",
            "state": "RUNNING",
            "mapsTotal": 4,
            "reducesTotal": 1,
            "mapsCompleted": 4,
            "reducesCompleted": 0,
            "mapProgress": 100,
            "reduceProgress": 50,
        }
    )
    step = progress(workload, job, 2.5)
    assert (step.phase, step.done, step.total, step.unit) == ("reduce-merge", 150_000, 200_000, "B")
    assert step.tasks == "4 of 4 maps, 0 of 1 reduce ended"
    assert progress(workload, None, 2.5).done == 0
    assert progress(workload, None, 2.5).tasks == ""
    assert progress(workload, None, 2.5).phase == "map-shuffle"

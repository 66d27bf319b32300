"""Event logs of real Spark applications (tests/data/spark-events, spark-runs), and ways to write them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa

from howdah.model.application import SPARK_TASKS_SCHEMA, SparkApplication, SparkExecutor, SparkLog, SparkStage

_DATA = Path(__file__).parent.parent / "data"
SPARK_EVENTS, SPARK_RUNS = _DATA / "spark-events", _DATA / "spark-runs"
_TASK_COLUMNS = (
    *("stage", "index", "executor", "start_s", "end_s", "cpu_s", "gc_s", "fetch_wait_s"),
    *("input_bytes", "output_bytes", "shuffle_local_read_bytes"),
)
"""Columns of a task in tests/data/spark-runs."""
LOGS = tuple(sorted(path.stem for path in SPARK_EVENTS.glob("*.gz")))


def log_bytes(name: str) -> bytes:
    """Return the log as Spark wrote it without compression."""
    return gzip.decompress((SPARK_EVENTS / f"{name}.gz").read_bytes())


def zstd(data: bytes, frame: int = 1 << 12) -> bytes:
    """Compress as Spark's zstd codec does: a frame for each flush."""
    codec = pa.Codec("zstd")
    return b"".join(codec.compress(data[at : at + frame], asbytes=True) for at in range(0, len(data), frame))


def lz4(data: bytes, size: int = 1 << 15) -> bytes:
    """Compress as lz4-java's LZ4BlockOutputStream does, with an empty block at the end and no checksums."""
    codec, packed = pa.Codec("lz4_raw"), b""
    for at in range(0, len(data), size):
        block = data[at : at + size]
        body = codec.compress(block, asbytes=True)
        packed += b"LZ4Block\x25" + _little(len(body)) + _little(len(block)) + _little(0) + body
    return packed + b"LZ4Block\x15" + _little(0) * 3


def snappy(data: bytes, size: int = 1 << 15) -> bytes:
    """Compress as snappy-java's SnappyOutputStream does."""
    codec, packed = pa.Codec("snappy"), b"\x82SNAPPY\x00" + (1).to_bytes(4, "big") * 2
    for at in range(0, len(data), size):
        body = codec.compress(data[at : at + size], asbytes=True)
        packed += len(body).to_bytes(4, "big") + body
    return packed


def _little(number: int) -> bytes:
    return number.to_bytes(4, "little")


def lab_run(name: str) -> SparkLog:
    """An application of tests/data/spark-runs, as its event log would be read."""
    run = json.loads((SPARK_RUNS / f"{name}.json").read_text())
    executors = tuple(
        SparkExecutor(id=id_, host=host, cores=1, add_s=add_s)
        for id_, (host, add_s) in run["executors"].items()
    )
    hosts = {executor.id: executor.host for executor in executors}
    rows = [
        {
            **dict(zip(_TASK_COLUMNS, values, strict=True)),
            "host": hosts[values[2]],
            "run_s": values[4] - values[3],
            "state": "succeeded",
        }
        for values in run["tasks"]
    ]
    return SparkLog(
        application=SparkApplication(
            id=run["application"],
            name=name,
            user="",
            spark_version="4.3.0",
            attempt="",
            start_s=0.0,
            end_s=run["end_s"],
            outcome="succeeded",
            queue="default",
            master="yarn",
            deploy_mode="client",
            driver_host="",
        ),
        jobs=(),
        stages=tuple(
            SparkStage(id=int(stage), attempt=0, name="", parents=tuple(parents), tasks=0)
            for stage, parents in run["parents"].items()
        ),
        executors=executors,
        tasks=pa.Table.from_pylist(rows, schema=SPARK_TASKS_SCHEMA),
    )

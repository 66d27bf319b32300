"""YCSB on a real HBase that stands alone: what the record says is what YCSB printed, and nothing is left."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from howdah.model.reported import summary
from howdah.model.run import Outcome
from howdah.model.tables import RunData
from howdah.store.reader import read_run
from support.command import HOWDAH, environment
from support.daemons import FETCH, HBASE_LIB
from support.lab_command import CACHE

pytestmark = [
    pytest.mark.xdist_group("hbase"),
    pytest.mark.skipif(not HBASE_LIB.exists(), reason=f"HBase's jars are not there: {FETCH}"),
]

RECORDS, OPERATIONS = 2_000, 3_000
PRINTED = re.compile(
    r": \[([A-Z-]+)\], (Operations|99thPercentileLatency\(us\)|MaxLatency\(us\)), (\d+)$", re.MULTILINE
)


def run(folder: Path, suite: str, *words: str, expected: int = 0) -> str:
    """Both of what a run said."""
    done = subprocess.run(
        [HOWDAH, "run", suite, "--engine", "hbase", "--runs-dir", str(folder / "runs"), *words],
        cwd=folder,
        env={**environment(), "HOWDAH_CACHE": str(CACHE)},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout + done.stderr


def only_run(folder: Path) -> RunData:
    (path,) = (folder / "runs").glob("*-ycsb")
    return read_run(path)


def printed(folder: Path, program: int) -> dict[tuple[str, str], int]:
    """What YCSB itself printed for one of the run's programs, which all are in howdah's log."""
    (log,) = (folder / "runs").glob("*/logs/howdah.log")
    parts = log.read_text().split("[HOWDAH], Begun(ms)")[1:]
    return {(operation, what): int(value) for operation, what, value in PRINTED.findall(parts[program])}


def check_latencies(data: RunData, kind: str, said: Mapping[tuple[str, str], int]) -> None:
    """The histograms of all intervals merged are what YCSB counted, to the last operation."""
    rows = [row for row in data.latencies.to_pylist() if row["workload"] == kind]
    for operation in {row["operation"] for row in rows}:
        merged = summary(row["histogram"] for row in rows if row["operation"] == operation)
        assert merged is not None
        name = operation.upper()
        assert merged.operations == said[name, "Operations"]
        assert round(merged.within_s(0.99) * 1e6) == said[name, "99thPercentileLatency(us)"]
        assert round(merged.longest_s * 1e6) == said[name, "MaxLatency(us)"]


@pytest.mark.exam("regions")
def test_a_run_is_what_ycsb_printed_and_leaves_nothing(tmp_path: Path) -> None:
    run(
        tmp_path,
        "ycsb",
        "--records",
        str(RECORDS),
        "--operations",
        str(OPERATIONS),
        "--regions",
        "3",
        "--data-dir",
        ".",
    )
    data = only_run(tmp_path)
    record = data.record
    assert record.outcome is Outcome.SUCCEEDED
    assert record.hbase is not None
    assert record.hbase.version.startswith("2.6.4")
    for number, result in enumerate(record.workloads):
        asked = RECORDS if result.workload.kind == "ycsb-load" else OPERATIONS
        counts = {one.operation: one.done for one in result.operations}
        assert sum(counts.values()) - 2 * counts.get("read-modify-write", 0) == asked
        assert all({*one.returns} <= {"OK"} for one in result.operations)
        check_latencies(data, result.workload.kind, printed(tmp_path, number))
    added = sum(
        one.done for result in record.workloads for one in result.operations if one.operation == "insert"
    )
    (read_back,) = (one for one in record.workloads[-1].metrics if one.name == "rows read back")
    assert read_back.value == added
    assert not (tmp_path / "howdah-data").exists()
    assert not [one for one in psutil.process_iter(["cmdline"]) if str(tmp_path) in str(one.info["cmdline"])]


@pytest.mark.parametrize(
    ("suite", "words", "said"),
    [
        ("ycsb-c", ("--data-dir", "."), "needs a table, and an HBase started on this machine has none"),
        (
            "ycsb",
            ("--data-dir", ".", "--keep-data"),
            "an HBase started on this machine stops at the end of the run",
        ),
        ("ycsb", ("--memory", "100MiB"), "is too little heap for HBase"),
        ("ycsb", ("--data-dir", "missing"), "is not a directory"),
        ("ycsb", ("--conf", "."), "has no hbase-site.xml"),
        ("ycsb", ("--conf", ".", "--memory", "1GiB"), "is for an HBase started on this machine, but"),
        ("ycsb-mix", ("--mix", "read=0.5"), "the shares sum to 0.5"),
    ],
)
def test_what_cannot_run_is_refused(tmp_path: Path, suite: str, words: tuple[str, ...], said: str) -> None:
    assert said in run(tmp_path, suite, *words, expected=2)
    assert not [*tmp_path.iterdir()]

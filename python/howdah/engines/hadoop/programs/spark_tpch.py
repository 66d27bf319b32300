"""TPC-H on Spark: tables of a published generator in HDFS, 22 queries, answers compared with references."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from howdah.engines.hadoop.programs.client import run_tool
from howdah.engines.hadoop.programs.spark import read_outcome, submit
from howdah.engines.hadoop.work import Conclusion, FinishedJob, HadoopWork
from howdah.engines.under_way import PartialResult
from howdah.errors import MissingExtra, RunFailed
from howdah.extras import install_command
from howdah.installation.digests import existing_cache
from howdah.model.reported import ResultMetric
from howdah.model.run import Outcome, ValidationError
from howdah.model.workloads.spark import SparkTpch
from howdah.scratch import scratch_folder

_FILE = Path(__file__).with_name("tpch_answers.json")
_NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
_CENT = Decimal("0.01")


class QueryAnswer(NamedTuple):
    """An answer: its number of rows, and the SHA-256 of these."""

    rows: int
    sha256: str


def canonical(value: object) -> str:
    """A value as text: numbers with decimals rounded to two, texts without spaces at their ends."""
    text = "null" if value is None else str(value).strip()
    if not _NUMBER.fullmatch(text):
        return text
    return str(Decimal(text).quantize(_CENT, ROUND_HALF_UP))


def answer_of(rows: Iterable[Sequence[object]]) -> QueryAnswer:
    """The answer that rows are, in whatever order: TPC-H leaves the order of equal keys open."""
    lines = sorted("|".join(map(canonical, row)) for row in rows)
    return QueryAnswer(len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest())


@cache
def references() -> Mapping[str, Mapping[str, tuple[QueryAnswer, ...]]]:
    """By scale factor, as text, the accepted answers of each query by its name.

    There are two where DuckDB's differs from TPC's within TPC's own tolerance.
    """
    content = json.loads(_FILE.read_text())
    return {
        scale: {
            query: tuple(QueryAnswer(*fields) for fields in accepted) for query, accepted in answers.items()
        }
        for scale, answers in content.items()
    }


_GENERATOR = "tpchgen-cli"
_LONGEST_S = 86_400.0


def tpch(work: HadoopWork[SparkTpch]) -> Conclusion:
    """Generate the tables, put them into HDFS, and run the queries."""
    workspace = work.context.workspace
    data, output = workspace.folder("tpch"), workspace.folder("tpch-answers")
    scale = f"{work.workload.scale or 1:g}"
    _put_tables(work, scale, data)
    job = submit(work, "SparkTpch", (data, output, scale), {})
    return partial(_compared, work, job, output, scale)


def _put_tables(work: HadoopWork[SparkTpch], scale: str, data: str) -> None:
    """Write the tables on this machine, in the cache, and copy them to HDFS."""
    with scratch_folder("tpch", existing_cache()) as folder:
        command = [_generator(), "parquet", "--scale-factor", scale, "--output-dir", str(folder)]
        made = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_LONGEST_S, check=False
        )
        files = sorted(map(str, folder.glob("*.parquet")))
        if made.returncode or not files:
            raise RunFailed(work.workload.kind, f"{_GENERATOR} failed: {made.stderr.strip()[-300:]}")
        work.context.namenode.mkdirs(data)
        put = run_tool(work.context.target, "dfs", "-put", *files, data, seconds=_LONGEST_S)
        if put.returncode:
            raise RunFailed(work.workload.kind, f"the tables cannot be put into HDFS: {put.stderr[-300:]}")


def _generator() -> str:
    installed = Path(sysconfig.get_path("scripts")) / _GENERATOR
    path = str(installed) if installed.is_file() else shutil.which(_GENERATOR)
    if path is None:
        raise MissingExtra(_GENERATOR, "is not installed", install_command("spark"))
    return path


def _compared(work: HadoopWork[SparkTpch], job: FinishedJob, output: str, scale: str) -> PartialResult:
    """The time of each query, and the queries whose answers differ from the reference."""
    outcome = read_outcome(work, output)
    seconds = {name: float(value) for name, value in outcome.items()}
    errors = tuple(_wrong(work, output, scale, list(seconds)))
    metrics = [ResultMetric(name="all queries", value=sum(seconds.values()), unit="s", better="lower")]
    metrics += [
        ResultMetric(name=name, value=value, unit="s", better="lower") for name, value in seconds.items()
    ]
    return PartialResult(
        outcome=Outcome.FAILED if errors else Outcome.SUCCEEDED,
        counters=job.reported.counters,
        validation_errors=errors,
        metrics=tuple(metrics),
    )


def _wrong(
    work: HadoopWork[SparkTpch], output: str, scale: str, queries: list[str]
) -> Iterator[ValidationError]:
    reference = references().get(scale)
    if reference is None:
        work.context.warn(
            "no-tpch-reference",
            f"spark-tpch: howdah has no reference answers for scale factor {scale}, so answers were not "
            f"checked; it has some for {', '.join(references())}",
        )
        return
    for name in sorted(reference):
        if name not in queries:
            yield ValidationError(kind=name, message="did not run")
            continue
        text = work.context.namenode.read(f"{output}/{name}.tsv").decode()
        answer = answer_of([line.split("\t") for line in text.splitlines()])
        if answer not in reference[name]:
            expected = reference[name][0]
            yield ValidationError(
                kind=name,
                message=f"{answer.rows} rows differ from the reference of {expected.rows} rows"
                if answer.rows == expected.rows
                else f"{answer.rows} rows instead of {expected.rows}",
            )

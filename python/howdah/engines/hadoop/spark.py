"""Programs on Spark, run as applications on YARN."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import subprocess
import sysconfig
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, partial
from itertools import starmap
from pathlib import Path
from typing import NamedTuple, TypeVar

from howdah.engines.base import PartialResult, sha256
from howdah.engines.hadoop.command import Command, file_properties, sort_properties
from howdah.engines.hadoop.spark_command import LOGS, SparkCommand, executor_properties
from howdah.engines.hadoop.storage import FILE, HdfsMarker
from howdah.engines.hadoop.target import HadoopTarget, run_tool
from howdah.engines.hadoop.tera import TERASORT_MAIN, rows_source, sorted_result
from howdah.engines.hadoop.work import Conclusion, FinishedJob, HadoopWork
from howdah.errors import HowdahError, MissingExtra, RunFailed
from howdah.extras import install_command
from howdah.files import scratch_folder
from howdah.installation.digests import existing_cache
from howdah.installation.installation import SparkInstallation
from howdah.model.reported import ResultMetric
from howdah.model.run import ValidationError
from howdah.model.workloads.spark import OnSpark, SparkApi, SparkTeraSort, SparkTpch
from howdah.model.workloads.terasort import TERASORT, TeraSort
from howdah.services.namenode import NameNode

ARCHIVE = "jars.zip"
_PUT_S = 1800.0


def spark_jars(
    target: HadoopTarget, namenode: NameNode, spark: SparkInstallation, warn: Callable[[str, str], None]
) -> Mapping[str, str]:
    """The properties by which an application finds Spark's jars; empty if the user names them.

    The machines of a lab share this machine's files. Elsewhere an archive is written to HDFS the first time
    and stays there, so that NodeManagers keep their copy from run to run. Raises HowdahError if it cannot be
    written.
    """
    # A user may name jars of Spark that are in HDFS already.
    if "spark.yarn.archive" in target.job_settings or "spark.yarn.jars" in target.job_settings:
        return {}
    if target.lab is not None:
        return {"spark.yarn.jars": f"local:{spark.jars.absolute()}/*"}
    # The identity of the jars is their names and sizes.
    listed = sorted((jar.name, jar.stat().st_size) for jar in spark.jars.glob("*.jar"))
    name = f"spark-{spark.version}-{sha256(repr(listed))[:8]}"
    folder = posixpath.join(target.work_dir, name)
    path = posixpath.join(folder, ARCHIVE)
    properties = {"spark.yarn.archive": f"{target.conf.default_fs}{path}"}
    if namenode.stat(path) is not None:
        return properties
    marker = HdfsMarker(run=name, process=None, kept=(ARCHIVE,))
    namenode.write(posixpath.join(folder, FILE), marker.content(), overwrite=True)
    with scratch_folder("spark", existing_cache()) as scratch:
        archive = scratch / ARCHIVE
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as content:
            for jar in sorted(spark.jars.glob("*.jar")):
                content.write(jar, jar.name)
        try:
            done = run_tool(target, "dfs", "-put", str(archive), path, seconds=_PUT_S)
        except subprocess.TimeoutExpired as error:
            problem = f"was not written within {_PUT_S:g} s"
            raise HowdahError(f"HDFS {path}", problem, "is HDFS healthy?") from error
        # A concurrent run may have written the same file.
        if done.returncode and "File exists" not in done.stderr:
            lines = [line for line in done.stderr.splitlines() if line.startswith("put:")]
            problem = f"cannot be written: {lines[-1] if lines else done.stderr[-300:]}"
            hint = "is there room for Spark's jars, or give --set spark.yarn.archive=hdfs:///…"
            raise HowdahError(f"HDFS {path}", problem, hint)
    if namenode.stat(path) is None:
        raise HowdahError(f"HDFS {path}", "was not written", "see howdah's log")
    warn(
        "spark-jars",
        f"Spark's jars were put into HDFS, where later runs use them: {folder}; "
        "every NodeManager copied them in this run, before its first executor started",
    )
    return properties


P = TypeVar("P", bound=OnSpark)

_PACKAGE = "howdah.spark"
_SAMPLES = 100_000  # Keys that TeraSort samples by default (mapreduce.terasort.partitions.sample).


def submit(
    work: HadoopWork[P], main: str, arguments: tuple[str, ...], properties: dict[str, str]
) -> FinishedJob:
    """Run one of howdah's programs on Spark to its end; Spark's jars are put into HDFS before, if need be."""
    context = work.context
    assert context.target.spark is not None
    context.namenode.mkdirs(context.workspace.folder(LOGS))
    jars = spark_jars(context.target, context.namenode, context.target.spark.spark, context.warn)
    name = f"howdah {work.workload.kind}"
    own = executor_properties(work.workload) | properties
    return work.run(SparkCommand(f"{_PACKAGE}.{main}", arguments, name, own, jars))


def terasort(work: HadoopWork[SparkTeraSort]) -> Conclusion:
    """Sort what TeraGen wrote, or what the user names; files are as TeraSort's."""
    context = work.context
    source = rows_source(work)
    workload = work.workload
    output = context.workspace.folder(TERASORT)
    if workload.api is SparkApi.MAPREDUCE:
        sort = TeraSort(
            reduces=workload.partitions,
            block_bytes=workload.block_bytes,
            replication=workload.replication,
            partition_samples=workload.partition_samples,
        )
        job = work.run(Command(TERASORT_MAIN, sort_properties(sort), (source, output)))
    else:
        # TeraSort replicates its output once by default, and so does this.
        properties = {"dfs.replication": "1"} | file_properties(workload)
        api, samples = workload.api or SparkApi.RDD, workload.partition_samples or _SAMPLES
        arguments = (api, source, output, f"{workload.partitions or 1}", f"{samples}")
        job = submit(work, "SparkTeraSort", arguments, properties)
    context.workspace.complete(TERASORT)
    return partial(sorted_result, work, job, source, output)


OUTCOME = "_outcome"  # The file that a program leaves in its folder, with lines KEY TAB VALUE.
_EXPECTED = "expected_"
_COST_TOLERANCE = 1e-6  # A sum of floating-point numbers depends on its order.


def _run(work: HadoopWork[OnSpark], main: str, part: str, fields: tuple[str, ...]) -> Conclusion:
    """Run a program with values of its workload; ``part`` is the phase whose time counts."""
    folder = work.context.workspace.folder(work.workload.kind)
    arguments = (f"{getattr(work.workload, name)}" for name in fields)
    job = submit(work, main, (folder, *arguments), {})

    def checked() -> PartialResult:
        outcome = read_outcome(work, folder)
        phases = [phase for phase in job.reported.phases if phase.name == part]
        metrics = [_time(phase.name, phase.end_s - phase.start_s) for phase in phases]
        metrics += [
            ResultMetric(name=key, value=float(value), unit="1")
            for key, value in outcome.items()
            if " " in key or key == "iterations"
        ]
        return _checked(job, differences(outcome), metrics)

    return checked


wordcount = partial(_run, main="SparkWordCount", part="count", fields=("words", "partitions"))
join = partial(_run, main="SparkJoin", part="join", fields=("join_rows", "join_keys", "skew", "partitions"))
kmeans = partial(
    _run, main="SparkKMeans", part="cluster", fields=("points", "clusters", "iterations", "partitions")
)


def _time(name: str, time_s: float) -> ResultMetric:
    return ResultMetric(name=name, value=time_s, unit="s", better="lower")


def _checked(
    job: FinishedJob, faults: Iterable[ValidationError], metrics: Iterable[ResultMetric]
) -> PartialResult:
    errors, counters = tuple(faults), job.reported.counters
    return PartialResult(counters=counters, validation_errors=errors, metrics=tuple(metrics))


def read_outcome(work: HadoopWork[P], folder: str) -> Mapping[str, str]:
    """The values that a program left; raises RunFailed if it left none."""
    text = work.context.namenode.read(f"{folder}/{OUTCOME}").decode()
    lines = [line.partition("\t") for line in text.splitlines()]
    if not lines:
        raise RunFailed(work.workload.kind, f"{folder}/{OUTCOME} is empty")
    return {key: value for key, _, value in lines}


def differences(outcome: Mapping[str, str]) -> Iterator[ValidationError]:
    """The differences from the expected result."""
    for key, expected in outcome.items():
        if not key.startswith(_EXPECTED):
            continue
        name = key.removeprefix(_EXPECTED)
        value = outcome.get(name)
        equal = value == expected
        if name == "cost" and value is not None and not equal:
            equal = abs(float(value) - float(expected)) <= _COST_TOLERANCE * abs(float(expected))
        if not equal:
            yield ValidationError(kind=name, message=f"{name} is {value}, and must be {expected}")


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
    return QueryAnswer(len(lines), sha256("\n".join(lines)))


@cache
def references() -> Mapping[str, Mapping[str, tuple[QueryAnswer, ...]]]:
    """By scale factor, as text, a query's accepted answers: two where DuckDB's differs from TPC's."""
    content = json.loads(Path(__file__).with_name("tpch_answers.json").read_text())
    return {
        scale: {query: tuple(starmap(QueryAnswer, accepted)) for query, accepted in answers.items()}
        for scale, answers in content.items()
    }


_GENERATOR = "tpchgen-cli"
_LONGEST_S = 86_400.0


def tpch(work: HadoopWork[SparkTpch]) -> Conclusion:
    """Generate the tables, put them into HDFS, and run the queries."""
    workspace = work.context.workspace
    data, output = workspace.folder("tpch"), workspace.folder("tpch-answers")
    scale = f"{work.workload.scale or 1:g}"
    with scratch_folder("tpch", existing_cache()) as folder:
        installed = Path(sysconfig.get_path("scripts")) / _GENERATOR
        path = str(installed) if installed.is_file() else shutil.which(_GENERATOR)
        if path is None:
            raise MissingExtra(_GENERATOR, "is not installed", install_command("spark"))
        command = [path, "parquet", "--scale-factor", scale, "--output-dir", str(folder)]
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
    job = submit(work, "SparkTpch", (data, output, scale), {})

    def compared() -> PartialResult:
        seconds = {name: float(value) for name, value in read_outcome(work, output).items()}
        metrics = [_time("all queries", sum(seconds.values())), *(_time(*query) for query in seconds.items())]
        return _checked(job, _wrong(work, output, scale, list(seconds)), metrics)

    return compared


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
            message = f"{answer.rows} rows instead of {expected.rows}"
            if answer.rows == expected.rows:
                message = f"{answer.rows} rows differ from the reference of {expected.rows} rows"
            yield ValidationError(kind=name, message=message)

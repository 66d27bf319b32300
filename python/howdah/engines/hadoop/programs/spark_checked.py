"""Programs on Spark that make their own data and compare what they computed with what must come out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from howdah.engines.hadoop.programs.spark import P, submit
from howdah.engines.hadoop.work import Conclusion, FinishedJob, HadoopWork
from howdah.engines.under_way import PartialResult
from howdah.errors import RunFailed
from howdah.model.reported import ResultMetric
from howdah.model.run import Outcome, ValidationError
from howdah.model.workloads.spark_programs import SparkJoin, SparkKMeans, SparkWordCount

OUTCOME = "_outcome"
"""The file that a program leaves in its folder, with lines KEY TAB VALUE."""
_EXPECTED = "expected_"
_COST_TOLERANCE = 1e-6
"""A sum of floating-point numbers depends on its order."""


def wordcount(work: HadoopWork[SparkWordCount]) -> Conclusion:
    """Write a text and count its words."""
    workload = work.workload
    return _run(work, "SparkWordCount", (str(workload.words), str(workload.partitions)), "count")


def join(work: HadoopWork[SparkJoin]) -> Conclusion:
    """Join a table with a frequent key."""
    workload = work.workload
    arguments = (workload.join_rows, workload.join_keys, workload.skew, workload.partitions)
    return _run(work, "SparkJoin", tuple(map(str, arguments)), "join")


def kmeans(work: HadoopWork[SparkKMeans]) -> Conclusion:
    """Cluster points."""
    workload = work.workload
    arguments = (workload.points, workload.clusters, workload.iterations, workload.partitions)
    return _run(work, "SparkKMeans", tuple(map(str, arguments)), "cluster")


def _run(work: HadoopWork[P], main: str, arguments: tuple[str, ...], part: str) -> Conclusion:
    """Run a program in its own folder; ``part`` is its measured part."""
    folder = work.context.workspace.folder(work.workload.kind)
    job = submit(work, main, (folder, *arguments), {})
    return partial(_checked, work, job, folder, part)


def _checked(work: HadoopWork[P], job: FinishedJob, folder: str, part: str) -> PartialResult:
    outcome = read_outcome(work, folder)
    errors = tuple(differences(outcome))
    metrics = [
        ResultMetric(name=phase.name, value=phase.end_s - phase.start_s, unit="s", better="lower")
        for phase in job.reported.phases
        if phase.name == part
    ]
    metrics += [
        ResultMetric(name=key, value=float(value), unit="1")
        for key, value in outcome.items()
        if " " in key or key == "iterations"
    ]
    return PartialResult(
        outcome=Outcome.FAILED if errors else Outcome.SUCCEEDED,
        counters=job.reported.counters,
        validation_errors=errors,
        metrics=tuple(metrics),
    )


def read_outcome(work: HadoopWork[P], folder: str) -> Mapping[str, str]:
    """The values that a program left; raises RunFailed if it left none."""
    text = work.context.namenode.read(f"{folder}/{OUTCOME}").decode()
    lines = [line.partition("\t") for line in text.splitlines()]
    if not lines:
        raise RunFailed(work.workload.kind, f"{folder}/{OUTCOME} is empty")
    return {key: value for key, _, value in lines}


def differences(outcome: Mapping[str, str]) -> Iterator[ValidationError]:
    """What differs from what must come out."""
    for key, expected in outcome.items():
        if not key.startswith(_EXPECTED):
            continue
        name = key.removeprefix(_EXPECTED)
        value = outcome.get(name)
        if value != expected and not (name == "cost" and value is not None and _close(value, expected)):
            yield ValidationError(kind=name, message=f"{name} is {value}, and must be {expected}")


def _close(value: str, expected: str) -> bool:
    return abs(float(value) - float(expected)) <= _COST_TOLERANCE * abs(float(expected))

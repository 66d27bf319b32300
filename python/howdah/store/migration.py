"""Records of earlier versions, in the form of today's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from howdah.model.reported import FileRate, ResultMetric
from howdah.model.run import SCHEMA_VERSION
from howdah.model.workloads.dfsio import DFSIO_READ, DFSIO_WRITE, throughput
from howdah.model.workloads.nnbench import NNBENCH, operations_per_s
from howdah.model.workloads.pi import PI, estimate_of_pi
from howdah.model.workloads.storage import STORAGE, zone_rates

Document = dict[str, Any]

OLDEST = 1
"""The first version there was."""

_RATE = re.compile(r"(\w+) ([\d.e+]+)/s")


def migrated(document: Document) -> Document:
    """A record of any version from OLDEST on as one of today's; raises KeyError where it has another."""
    while document["schema_version"] != SCHEMA_VERSION:
        document = _STEPS[document["schema_version"]](document)
    return document


def _from_1(document: Document) -> Document:
    """Version 1 had one text, ``answer``, for what pi and NNBench printed, and no metrics."""
    workloads = document.get("workloads", ())
    return {**document, "schema_version": 2, "workloads": [_with_metrics(result) for result in workloads]}


def _with_metrics(result: Document) -> Document:
    rest = {key: value for key, value in result.items() if key != "answer"}
    kind, answer = result["workload"]["kind"], result.get("answer")
    files = [FileRate.model_validate(file) for file in result.get("files", ())]
    return {**rest, "metrics": [metric.model_dump() for metric in _metrics(kind, answer, files)]}


def _metrics(kind: str, answer: str | None, files: list[FileRate]) -> Iterator[ResultMetric]:
    if kind in (DFSIO_WRITE, DFSIO_READ):
        yield from throughput(files)
    elif kind == STORAGE:
        yield from zone_rates(files)
    elif kind == PI and answer is not None:
        yield estimate_of_pi(answer)
    elif kind == NNBENCH and answer is not None:
        yield from (operations_per_s(name, float(rate)) for name, rate in _RATE.findall(answer))


_STEPS: Mapping[int, Callable[[Document], Document]] = {1: _from_1}

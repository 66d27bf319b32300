"""run.json: the record itself."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from howdah.errors import RecordError, RunFailed
from howdah.model.plan import CLUSTER_PLAN, WORKER_PLAN
from howdah.model.reported import FileRate, ResultMetric
from howdah.model.run import SCHEMA_VERSION, RunRecord
from howdah.model.workloads.dfsio import DFSIO_READ, DFSIO_WRITE, STORAGE, throughput, zone_rates
from howdah.model.workloads.hadoop_programs import NNBENCH, PI, estimate_of_pi, operations_per_s
from howdah.store.layout import RUN_JSON, replacing

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
    kept = {key: value for key, value in result.items() if key != "answer"}
    kind, answer = result["workload"]["kind"], result.get("answer")
    files = [FileRate.model_validate(file) for file in result.get("files", ())]
    return {**kept, "metrics": [metric.model_dump() for metric in _metrics(kind, answer, files)]}


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


_RIGHT = "give the directory of a run that howdah recorded, or its id"
_RESTORE = "restore it from an export (howdah runs import), or remove the directory"


def write_run_json(directory: Path, record: RunRecord, *, durable: bool = True) -> None:
    """Replace run.json at once and, if it is asked for, durably; raise RunFailed if the disk refuses."""
    path = directory / RUN_JSON
    try:
        with replacing(path, durable=durable) as file:
            file.write(record.model_dump_json(indent=2).encode() + b"\n")
    except OSError as error:
        raise RunFailed(
            str(path), f"cannot be written ({error.strerror})", "free space for run records"
        ) from error


def load_run_json(directory: Path, kind: type[RunRecord] = RunRecord) -> RunRecord:
    """Read run.json as it was written, as a record of a kind; one of an earlier version in today's form.

    Raises RecordError naming the file if it is missing, damaged, foreign or of another version.
    """
    path = directory / RUN_JSON
    try:
        content = _content(path)
    except FileNotFoundError as error:
        problem = f"no {RUN_JSON} in it" if directory.is_dir() else "no such directory"
        raise RecordError(str(directory), problem, _RIGHT) from error
    except OSError as error:
        raise RecordError(
            str(path), f"cannot be read ({error.strerror})", "make it a readable file"
        ) from error
    try:
        # Most records are today's and whole, and need to be read only once.
        return kind.model_validate_json(content)
    except ValidationError:
        return _read_otherwise(path, content, kind)


def _content(path: Path) -> bytes:
    # Whatever else stands in its place is refused: a FIFO would be waited for.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        return file.read()


def _read_otherwise(path: Path, content: bytes, kind: type[RunRecord]) -> RunRecord:
    """A record of an earlier version; raises RecordError for what else is no record of today's."""
    try:
        document = from_json(content)
    except ValueError as error:
        raise RecordError(str(path), f"damaged: incomplete JSON ({error})", _RESTORE) from error
    version = _check_version(path, document)
    try:
        if version != SCHEMA_VERSION:
            content = to_json(migrated(document))
        return kind.model_validate_json(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise RecordError(str(path), f"damaged: not a record of version {version}", _RESTORE) from error
    except ValidationError as error:
        raise RecordError(str(path), f"damaged: {_first_fault(error)}", _RESTORE) from error


def _check_version(path: Path, document: Any) -> int:
    version = document.get("schema_version") if isinstance(document, dict) else None
    # A bool is an int in Python, but not a version.
    if not isinstance(version, int) or isinstance(version, bool):
        raise RecordError(str(path), "not a howdah run record (no schema_version)", _RIGHT)
    if version > SCHEMA_VERSION:
        raise RecordError(
            str(path),
            f"schema_version {version} is newer than this howdah supports ({SCHEMA_VERSION})",
            "read it with the version of howdah that wrote it, or a newer one",
        )
    if version < OLDEST:
        raise RecordError(
            str(path), f"schema_version {version} does not exist; the first is {OLDEST}", _RIGHT
        )
    return version


def _first_fault(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False)
    place = ".".join(str(part) for part in faults[0]["loc"] if part not in (WORKER_PLAN, CLUSTER_PLAN))
    message = faults[0]["msg"]
    more_faults = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{place}: {message[:1].lower()}{message[1:]}{more_faults}"

"""TeraGen, TeraSort and TeraValidate of Hadoop's examples, and what they wrote of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from howdah.engines.base import NO_TERAGEN_RECORD, Generated, PartialResult
from howdah.engines.hadoop.command import Command, file_properties, sort_properties
from howdah.engines.hadoop.ready import read_generated, tera_rows, write_generated
from howdah.engines.hadoop.work import Conclusion, FinishedJob, HadoopWork
from howdah.model.run import ValidationError
from howdah.model.workloads.terasort import (
    TERA_SCHEDULER,
    TERAGEN,
    TERASORT,
    TERAVALIDATE,
    TeraGen,
    TeraSort,
    TeraValidate,
)

_CHECKSUM_KEY = "checksum"
_ERROR = "error"
_COUNTED = (1 << 64) - 1  # A checksum's bits in a counter of Hadoop, a signed number that wraps around.
_PACKAGE = "org.apache.hadoop.examples.terasort"
TERASORT_MAIN = f"{_PACKAGE}.TeraSort"
SPREAD_MAPS = {TERA_SCHEDULER: "false"}  # YARN's own scheduler spreads maps over all hosts with data.
_CHECKSUM_COUNTER = "TeraGen$Counters.CHECKSUM"


class Validated(NamedTuple):
    """The result of validating rows."""

    checksum: str | None
    expected: str | None  # The expected sum by TeraGen's counter.
    errors: tuple[ValidationError, ...]  # The faults in TeraValidate's and the local engine's words.


def judge(report: str, rows: int, generated: Generated | None) -> Validated:
    """Read the text of TeraValidate's part-r-00000, and hold rows and checksum against TeraGen's record.

    TeraGen's counter holds the low 64 bits of the sum. The bits above, which 4 billion rows reach,
    are not compared: the expected sum has them as they were found.
    """
    records = list(_records(report))
    checksum = next((value.strip() for key, value in records if key == _CHECKSUM_KEY), None)
    errors = [ValidationError(kind=key, message=value) for key, value in records if key == _ERROR]
    if generated is None:
        return Validated(checksum, None, tuple(errors))
    total = int(checksum or "0", 16)
    expected = total & ~_COUNTED | int(generated.checksum, 16) & _COUNTED
    if rows != generated.rows:
        how = "lost" if rows < generated.rows else "too many"
        difference = f"{abs(rows - generated.rows)} {how}"
        message = f"{rows} rows where TeraGen recorded {generated.rows}: {difference}"
        errors.append(ValidationError(kind="rows", message=message))
    if total != expected:
        recorded = f"checksum {total:x} where TeraGen recorded {expected:x}"
        message = f"{recorded}: rows were changed, lost or repeated"
        errors.append(ValidationError(kind="checksum", message=message))
    return Validated(checksum, f"{expected:x}", tuple(errors))


def _records(report: str) -> Iterator[tuple[str, str]]:
    """Keys and values; the words about a bad partitioning go over several lines."""
    key, lines = "", list[str]()
    for line in report.splitlines():
        start, tab, text = line.partition("\t")
        if tab and start in (_CHECKSUM_KEY, _ERROR):
            if key:
                yield key, "\n".join(lines)
            key, lines = start, [text]
        else:
            lines.append(line)
    if key:
        yield key, "\n".join(lines)


def teragen(work: HadoopWork[TeraGen]) -> Conclusion:
    """Write the rows."""
    workload, workspace = work.workload, work.context.workspace
    output = workspace.folder(TERAGEN)
    properties = file_properties(workload)
    if workload.maps is not None:
        properties["mapreduce.job.maps"] = str(workload.maps)
    # Hadoop reads the suffix of 1t into an int, which overflows: digits only.
    job = work.run(Command(f"{_PACKAGE}.TeraGen", properties, (str(workload.rows or 0), output)))
    workspace.complete(TERAGEN)

    def generated() -> PartialResult:
        counters, checksum = job.reported.counters, None
        if counted := job.reported.job.counters.get(_CHECKSUM_COUNTER):
            checksum = f"{counted.total & _COUNTED:x}"
            record = Generated(counters.output_rows, checksum)
            write_generated(work.context.namenode, output, record)
        else:
            text = "teragen's checksum is unknown, because its counters were not reported"
            work.context.warn("no-teragen-counter", text)
        return PartialResult(counters=counters, checksum=checksum, replicas=work.replicas(output))

    return generated


def terasort(work: HadoopWork[TeraSort]) -> Conclusion:
    """Sort what TeraGen wrote, or what the user names."""
    source, output = rows_source(work), work.context.workspace.folder(TERASORT)
    properties = sort_properties(work.workload) | SPREAD_MAPS
    job = work.run(Command(TERASORT_MAIN, properties, (source, output)))
    work.context.workspace.complete(TERASORT)
    return partial(sorted_result, work, job, source, output)


def sorted_result(work: HadoopWork[Any], job: FinishedJob, source: str, output: str) -> PartialResult:
    """The result of a program that has sorted rows from one folder into another."""
    generated = read_generated(work.context.namenode, source)
    if generated:
        # TeraGen's record goes with the rows, so that validation compares them with no other data's.
        write_generated(work.context.namenode, output, generated)
    return PartialResult(counters=job.reported.counters, replicas=work.replicas(output))


def teravalidate(work: HadoopWork[TeraValidate]) -> Conclusion:
    """Check what TeraSort wrote."""
    context, source = work.context, rows_source(work)
    output = context.workspace.folder(TERAVALIDATE)
    job = work.run(Command(f"{_PACKAGE}.TeraValidate", SPREAD_MAPS, (source, output)))

    def judged() -> PartialResult:
        counters = job.reported.counters
        generated = read_generated(context.namenode, source)
        report = context.namenode.read(f"{output}/part-r-00000").decode(errors="replace")
        verdict = judge(report, counters.input_rows, generated)
        if generated is None:
            context.warn(*NO_TERAGEN_RECORD)
        return PartialResult(
            counters=counters,
            checksum=verdict.checksum,
            expected_checksum=verdict.expected,
            validation_errors=verdict.errors,
        )

    return judged


def rows_source(work: HadoopWork[Any]) -> str:
    """The path of the rows that a program reads, whose number becomes its workload's."""
    path = work.source()
    rows = tera_rows(work.context.namenode, path)
    work.workload = work.workload.model_copy(update={"rows": rows})
    return path

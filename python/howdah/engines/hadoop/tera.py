"""TeraGen, TeraSort and TeraValidate of Hadoop's examples."""

from __future__ import annotations

from functools import partial

from howdah.engines.hadoop.command import Command
from howdah.engines.hadoop.generated import Generated, read_generated, write_generated
from howdah.engines.hadoop.properties import file_properties, sort_properties
from howdah.engines.hadoop.sources import tera_rows
from howdah.engines.hadoop.verdict import judge
from howdah.engines.hadoop.work import Conclusion, Finished, Work, Yield
from howdah.model.run import Outcome
from howdah.model.workload import WorkloadKind

_PACKAGE = "org.apache.hadoop.examples.terasort"
_CHECKSUM = "TeraGen$Counters.CHECKSUM"
_LOW = (1 << 64) - 1


def teragen(work: Work) -> Conclusion:
    """Write the rows."""
    workload, workspace = work.workload, work.bench.workspace
    output = workspace.folder(WorkloadKind.TERAGEN)
    properties = file_properties(workload)
    if workload.maps is not None:
        properties["mapreduce.job.maps"] = str(workload.maps)
    # Hadoop reads the suffix of 1t into an int, which overflows: digits only.
    job = work.run(Command(f"{_PACKAGE}.TeraGen", properties, (str(workload.rows or 0), output)))
    workspace.complete(WorkloadKind.TERAGEN)
    return partial(_generated, work, job, output)


def _generated(work: Work, job: Finished, output: str) -> Yield:
    """What TeraGen wrote; its own count and checksum of the rows are left beside them."""
    bench, told = work.bench, job.told
    counted = told.job.counters.get(_CHECKSUM)
    if counted is None:
        bench.warn("no-teragen-counter", "teragen's checksum is not known: nobody told of its counters")
        return Yield(counters=told.counters, replicas=work.replicas(output))
    # The counter is a signed number that wraps around.
    generated = Generated(told.counters.output_rows, f"{counted.total & _LOW:x}")
    write_generated(bench.namenode, output, generated)
    return Yield(counters=told.counters, checksum=generated.checksum, replicas=work.replicas(output))


def terasort(work: Work) -> Conclusion:
    """Sort what TeraGen wrote, or what the user names."""
    source = _source(work)
    output = work.bench.workspace.folder(WorkloadKind.TERASORT)
    properties = sort_properties(work.workload)
    job = work.run(Command(f"{_PACKAGE}.TeraSort", properties, (source, output)))
    work.bench.workspace.complete(WorkloadKind.TERASORT)
    return partial(_sorted, work, job, source, output)


def _sorted(work: Work, job: Finished, source: str, output: str) -> Yield:
    generated = read_generated(work.bench.namenode, source)
    if generated:
        # TeraGen's record goes with the rows, so that validation compares them with no other data's.
        write_generated(work.bench.namenode, output, generated)
    return Yield(counters=job.told.counters, replicas=work.replicas(output))


def teravalidate(work: Work) -> Conclusion:
    """Check what TeraSort wrote."""
    source = _source(work)
    output = work.bench.workspace.folder(WorkloadKind.TERAVALIDATE)
    job = work.run(Command(f"{_PACKAGE}.TeraValidate", {}, (source, output)))
    return partial(_judged, work, job, source, output)


def _judged(work: Work, job: Finished, source: str, output: str) -> Yield:
    """The verdict, against TeraGen's record where the data came from it."""
    bench, counters = work.bench, job.told.counters
    generated = read_generated(bench.namenode, source)
    report = bench.namenode.read(f"{output}/part-r-00000").decode(errors="replace")
    verdict = judge(report, counters.input_rows, generated)
    if generated is None:
        bench.warn(
            "no-teragen-record",
            "teravalidate had no TeraGen record of these rows: order was checked, completeness was not",
        )
    return Yield(
        outcome=Outcome.FAILED if verdict.errors else Outcome.SUCCEEDED,
        counters=counters,
        checksum=verdict.checksum,
        expected_checksum=verdict.expected,
        validation_errors=verdict.errors,
    )


def _source(work: Work) -> str:
    """The path of the rows to read, whose number the workload did not say where they were there before."""
    source = tera_rows(work.bench.namenode, work.source())
    work.workload = work.workload.model_copy(update={"rows": source.rows})
    return source.path

"""A workload of another package: RandomTextWriter of Hadoop's examples, which howdah does not know."""

from __future__ import annotations

from typing import ClassVar, Literal

from howdah.engines.base import PartialResult
from howdah.engines.hadoop.command import Command
from howdah.engines.hadoop.work import Conclusion, HadoopWork
from howdah.model.reported import Counters, ResultMetric
from howdah.model.workloads.base import Amount, Moved, Workload
from howdah.model.workloads.option import MAPS, REPLICATION, size
from howdah.planner.suite.cluster import ClusterSizes
from howdah.planner.suite.programs import choose_maps
from howdah.units import MIB

TEXT_SIZE = size("text_size", "Bytes of words that each map of textwriter writes.", refuse=lambda *_: None)


class TextWriter(Workload):
    """Writes sequences of random words."""

    kind: Literal["textwriter"] = "textwriter"
    maps: int | None = None
    """Map tasks."""
    text_bytes: int | None = None
    """Bytes of words of each of them."""
    replication: int | None = None
    """Replicas of what it writes."""

    options = (MAPS, TEXT_SIZE, REPLICATION)
    programs: ClassVar = {"hadoop": "howdah_textwriter:write", "scribe": "howdah_scribe:write_here"}
    sizes: ClassVar = {"hadoop": "howdah_textwriter:sized", "scribe": "howdah_textwriter:sized"}
    folder = "textwriter"
    rated_over = "words written"
    primary_metric = "pace"

    @property
    def asked(self) -> Amount | None:
        return Amount(self.written_bytes, "B")

    @property
    def written_bytes(self) -> int:
        return (self.maps or 0) * (self.text_bytes or 0)

    def moved(self, done: Counters) -> Moved | None:
        return Moved(0, self.written_bytes)


def pace(workload: TextWriter, elapsed_s: float) -> ResultMetric:
    """Words of each map in a second, in bytes: what this workload is run for."""
    per_s = (workload.text_bytes or 0) / elapsed_s
    return ResultMetric(name="pace", value=per_s, unit="B/s", better="higher", over="one map's words")


def sized(sizes: ClusterSizes) -> TextWriter:
    """Sixteen MiB for every map task at once."""
    text_bytes = sizes.choose("text size", TEXT_SIZE, 16 * MIB, reason="seconds of writing", source="example")
    maps = choose_maps(sizes, "textwriter maps")
    return TextWriter(maps=maps, text_bytes=text_bytes, replication=sizes.request.of(REPLICATION))


def write(work: HadoopWork[TextWriter]) -> Conclusion:
    """Run it, and keep what Hadoop counted."""
    workload, workspace = work.workload, work.context.workspace
    output = workspace.folder("textwriter")
    properties = {
        "mapreduce.randomtextwriter.bytespermap": str(workload.text_bytes),
        "mapreduce.randomtextwriter.totalbytes": str(workload.written_bytes),
    }
    if workload.replication is not None:
        properties["dfs.replication"] = str(workload.replication)
    job = work.run(Command("org.apache.hadoop.examples.RandomTextWriter", properties, (output,)))
    workspace.complete("textwriter")

    def conclude() -> PartialResult:
        phases = job.reported.phases
        metric = pace(workload, phases[-1].end_s - phases[0].start_s)
        return PartialResult(
            counters=job.reported.counters, replicas=work.replicas(output), metrics=(metric,)
        )

    return conclude

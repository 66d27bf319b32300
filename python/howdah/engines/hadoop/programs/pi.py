"""QuasiMonteCarlo of Hadoop's examples."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.engines.hadoop.programs.command import Command
from howdah.engines.hadoop.work import Conclusion, HadoopWork
from howdah.engines.under_way import PartialResult
from howdah.model.reported import Counters
from howdah.model.workloads.hadoop_programs import Pi, estimate_of_pi

_MAIN = "org.apache.hadoop.examples.QuasiMonteCarlo"
_ANSWER = "Estimated value of Pi is "


def pi(work: HadoopWork[Pi]) -> Conclusion:
    """Count points, and take the estimate that the client prints."""
    maps, samples = work.workload.maps or 1, work.workload.samples or 1
    finished = work.run(Command(_MAIN, {}, (str(maps), str(samples))))
    printed = estimate(finished.lines)
    metrics = (estimate_of_pi(printed),) if printed is not None else ()
    return lambda: PartialResult(counters=Counters(input_rows=maps * samples), metrics=metrics)


def estimate(lines: Iterable[str]) -> str | None:
    """The value of pi that a client printed."""
    return next((line.removeprefix(_ANSWER) for line in lines if line.startswith(_ANSWER)), None)

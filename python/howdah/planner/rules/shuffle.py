"""From map output to reduce input: the sort buffer, compression, fetching and merging."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Input, Value
from howdah.planner.budget import kinds_of
from howdah.planner.conditions import in_study, mapreduce_rule
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Severity
from howdah.planner.values import anything, as_number, between, fixed
from howdah.units import MIB

_EARLY, _LATE = 0.05, 0.8
_COPIES = 20
_COPIES_OF_SMALL = 5


def _of_a_study(paper: Value, production: Value, why: str) -> Callable[[Facts], Decision]:
    """The study's value in the paper profile; in production another, and why."""

    def decide(facts: Facts) -> Decision:
        if in_study(facts):
            return Decision(paper, "as the study ran: nothing else used the reduce tasks' memory")
        return Decision(production, why)

    return decide


def _slow_start(facts: Facts) -> Decision:
    if in_study(facts):
        return Decision(0.0, "as the study ran: nothing else used the reduce tasks' memory")
    if facts.request.sorts_only:
        return Decision(
            _EARLY,
            "reduce tasks fetch map output while it is in the page cache, but do not hold containers before "
            "there is any",
        )
    return Decision(
        _LATE,
        "jobs share the containers: reduce tasks that wait for the last map task keep others' tasks from "
        "running",
    )


def _copies(facts: Facts) -> Decision:
    kinds = kinds_of(facts)
    slots = max(kind.reduce_slots for kind in kinds)
    inputs = (Input(name="reduce tasks at once on a worker", value=slots),)
    if slots <= 1 and len(kinds) == 1 and facts.cluster.workers > len(kinds):
        return Decision(
            _COPIES_OF_SMALL,
            "one reduce task on each of many small workers: a few fetches fill its link",
            inputs,
        )
    return Decision(_COPIES, "enough fetches at once that none of them waits for one slow disk", inputs)


RULES: tuple[Rule, ...] = (
    mapreduce_rule(
        id="shuffle.slow-start",
        file="mapred-site.xml",
        key="mapreduce.job.reduce.slowstart.completedmaps",
        says="Reduce tasks start early where only TeraSort runs, and late where jobs share the cluster.",
        sources=("D0 52", "D0 69", "D4 138", "howdah"),
        severity=Severity.MAY,
        decide=_slow_start,
        accepts=between(0.0, 0.9),
        today="MapReduce 1 had slots of their own for reduce tasks; YARN's are one pool, sized here for "
        "both.",
    ),
    mapreduce_rule(
        id="shuffle.copies",
        file="mapred-site.xml",
        key="mapreduce.reduce.shuffle.parallelcopies",
        says="A reduce task fetches 20 map outputs at once, 5 where each worker runs one reduce task.",
        sources=("D0 55",),
        decide=_copies,
        accepts=between(5, 50),
    ),
    mapreduce_rule(
        id="shuffle.input-buffer",
        file="mapred-site.xml",
        key="mapreduce.reduce.shuffle.input.buffer.percent",
        says="Fetched map output may fill 70 % of a reduce task's heap; 75 % in a study.",
        sources=("D0 55",),
        severity=Severity.MAY,
        decide=_of_a_study(0.75, 0.7, "the release's default: the rest is for merging and the task itself"),
        accepts=between(0.5, 0.8),
    ),
    mapreduce_rule(
        id="shuffle.merge-share",
        file="mapred-site.xml",
        key="mapreduce.reduce.shuffle.merge.percent",
        says="Merging to disk begins when two thirds of that buffer are full; 95 % in a study.",
        sources=("D0 55",),
        severity=Severity.MAY,
        decide=_of_a_study(
            0.95, 0.66, "the release's default: fetching goes on while the first two thirds are merged"
        ),
        accepts=between(0.5, 0.95),
    ),
    mapreduce_rule(
        id="shuffle.kept-in-memory",
        file="mapred-site.xml",
        key="mapreduce.reduce.input.buffer.percent",
        says="Map output is written to disk before the reduce function runs; in a study it may stay in "
        "memory.",
        sources=("D0 55",),
        severity=Severity.MAY,
        decide=_of_a_study(
            0.7, 0.0, "the release's default: the heap belongs to the reduce function, whatever it needs"
        ),
        accepts=between(0.0, 0.7),
    ),
    mapreduce_rule(
        id="shuffle.server-threads",
        file="mapred-site.xml",
        key="mapreduce.shuffle.max.threads",
        says="A NodeManager serves map output with two threads for each of its CPUs.",
        sources=("D0 55", "Hadoop 3.5.0: mapred-default.xml"),
        severity=Severity.MAY,
        decide=fixed(0, "0 means twice the CPUs; a connection takes no thread of its own"),
        accepts=lambda value, decision, facts: as_number(value) == 0 or as_number(value) >= 4,
        written=False,
        today="The papers' 120 tasktracker.http.threads held a connection each; today's server is "
        "asynchronous.",
    ),
    mapreduce_rule(
        id="shuffle.readahead",
        file="mapred-site.xml",
        key="mapreduce.ifile.readahead.bytes",
        says="Sorted runs are read 16 MiB ahead.",
        sources=("D0 55",),
        severity=Severity.MAY,
        decide=fixed(16 * MIB, "a merge reads many runs from one disk: long reads, few seeks"),
        accepts=between(4 * MIB, 64 * MIB),
    ),
    mapreduce_rule(
        id="shuffle.serving-readahead",
        file="mapred-site.xml",
        key="mapreduce.shuffle.readahead.bytes",
        says="Map output that is served is read 16 MiB ahead.",
        sources=("D0 55",),
        severity=Severity.MAY,
        decide=fixed(16 * MIB, "what is fetched next is in the page cache by then"),
        accepts=between(4 * MIB, 64 * MIB),
    ),
    mapreduce_rule(
        id="shuffle.page-cache",
        file="mapred-site.xml",
        key="mapreduce.shuffle.manage.os.cache",
        says="Map output is dropped from the page cache once it was fetched.",
        sources=("D0 55", "D0 24"),
        severity=Severity.MAY,
        decide=fixed(True, "the page cache is kept for map output that is still to be fetched"),
        accepts=anything,
        written=False,
    ),
)

"""From map output to reduce input: the sort buffer, compression, fetching and merging."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Input, Value
from howdah.planner.budget import kinds_of
from howdah.planner.conditions import WITH_MAPREDUCE, in_study
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, Decision
from howdah.planner.rules.declare import Rules, anything, as_number, between
from howdah.units import MIB

_EARLY, _LATE, _LATEST = 0.05, 0.8, 0.9
_BLOCK = 256 * MIB
_FEW_WAVES = 2.0
_COPIES = 20
_COPIES_OF_SMALL = 5
_KEPT = 0.7
rules = Rules(file="mapred-site.xml")
mapreduce = rules.under(when=WITH_MAPREDUCE)


@mapreduce.setting(
    "shuffle.slow-start",
    "mapreduce.job.reduce.slowstart.completedmaps",
    MAY,
    sources="D0 52, D0 69, D4 138, howdah",
    accepts=between(0.0, 0.9),
    today="MapReduce 1 had separate slots for reduce tasks; YARN has one pool, sized here for both.",
)
def _slow_start(facts: Facts) -> Decision:
    """Reduce tasks start late; if only TeraSort runs, when one wave of map tasks remains."""
    if in_study(facts):
        return Decision(0.0, "as the study ran: nothing else used the reduce tasks' memory")
    if facts.request.sorts_only and not facts.request.dataset_bytes:
        return Decision(
            _LATEST,
            "how much is sorted is not known; an early start costs more if maps run in many waves than a "
            "late start if they run in few",
        )
    if facts.request.sorts_only:
        waves = (facts.request.dataset_bytes or 0) / _BLOCK / max(1, facts.cluster.map_slots)
        inputs = (Input(name="waves of map tasks", value=round(waves, 1)),)
        if waves < _FEW_WAVES:
            return Decision(
                _EARLY,
                "the last wave begins almost at once: reduce tasks fetch map output while it is in the page "
                "cache",
                inputs,
            )
        return Decision(
            min(_LATEST, round(1 - 1 / waves, 2)),
            "one wave of map tasks remains. YARN serves reduce tasks before map tasks: earlier, up to half "
            "of the containers would wait for map output while map tasks need them",
            inputs,
        )
    return Decision(
        _LATE,
        "jobs share the containers: reduce tasks that wait for the last map task block tasks of other jobs",
    )


@mapreduce.setting(
    "shuffle.copies", "mapreduce.reduce.shuffle.parallelcopies", sources="D0 55", accepts=between(5, 50)
)
def _copies(facts: Facts) -> Decision:
    """A reduce task fetches 20 map outputs at once, 5 if each worker runs one reduce task."""
    kinds = kinds_of(facts)
    slots = max(kind.reduce_slots for kind in kinds)
    inputs = (Input(name="reduce tasks at once on a worker", value=slots),)
    if slots <= 1 and len(kinds) == 1 and facts.cluster.workers > len(kinds):
        return Decision(
            _COPIES_OF_SMALL,
            "one reduce task on each of many small workers: a few fetches fill its link",
            inputs,
        )
    return Decision(_COPIES, "enough concurrent fetches that one slow disk does not stop them all", inputs)


def _of_a_study(paper: Value, production: Value, why: str) -> Callable[[Facts], Decision]:
    """The study's value in the paper profile; in production another, and why."""

    def decide(facts: Facts) -> Decision:
        if in_study(facts):
            return Decision(paper, "as the study ran: nothing else used the reduce tasks' memory")
        return Decision(production, why)

    return decide


mapreduce.setting(
    "shuffle.input-buffer",
    "mapreduce.reduce.shuffle.input.buffer.percent",
    MAY,
    sources="D0 55",
    accepts=between(0.5, 0.8),
).by(
    "Fetched map output may fill 70 % of a reduce task's heap; 75 % in a study.",
    _of_a_study(0.75, 0.7, "the release's default: the rest is for merging and the task itself"),
)
mapreduce.setting(
    "shuffle.merge-share",
    "mapreduce.reduce.shuffle.merge.percent",
    MAY,
    sources="D0 55",
    accepts=between(0.5, 0.95),
).by(
    "Merging to disk begins when two thirds of that buffer are full; 95 % in a study.",
    _of_a_study(0.95, 0.66, "the release's default: fetching goes on while the first two thirds are merged"),
)


@mapreduce.setting(
    "shuffle.kept-in-memory",
    "mapreduce.reduce.input.buffer.percent",
    MAY,
    sources="D0 55, Hadoop 3.5.0: MergeManagerImpl",
    accepts=between(0.0, 0.7),
)
def _kept_in_memory(facts: Facts) -> Decision:
    """Map output is written to disk before the reduce function runs; if only TeraSort runs, it may stay in
    memory."""
    if in_study(facts):
        return Decision(_KEPT, "as the study ran: TeraSort's reduce function needs no memory")
    if facts.request.sorts_only:
        return Decision(
            _KEPT,
            "TeraSort's reduce function keeps nothing, so the last map output that is fetched need not be "
            "written and read again",
        )
    return Decision(0.0, "the release's default: the whole heap is for the reduce function")


mapreduce.fixed(
    "shuffle.server-threads",
    "mapreduce.shuffle.max.threads",
    0,
    MAY,
    accepts=lambda value, decision, facts: as_number(value) == 0 or as_number(value) >= 4,
    written=False,
    today="The papers' 120 tasktracker.http.threads held a connection each; today's server is asynchronous.",
).text(
    "A NodeManager serves map output with two threads for each of its CPUs.",
    "0 means twice the CPUs; a connection needs no separate thread",
    "D0 55, Hadoop 3.5.0: mapred-default.xml",
)
mapreduce.fixed(
    "shuffle.readahead", "mapreduce.ifile.readahead.bytes", 16 * MIB, MAY, accepts=between(4 * MIB, 64 * MIB)
).text(
    "Sorted runs are read 16 MiB ahead.",
    "a merge reads many runs from one disk: long reads, few seeks",
    "D0 55",
)
mapreduce.fixed(
    "shuffle.serving-readahead",
    "mapreduce.shuffle.readahead.bytes",
    16 * MIB,
    MAY,
    accepts=between(4 * MIB, 64 * MIB),
).text(
    "Map output that is served is read 16 MiB ahead.",
    "the data are in the page cache when they are fetched",
    "D0 55",
)
mapreduce.fixed(
    "shuffle.page-cache", "mapreduce.shuffle.manage.os.cache", True, MAY, accepts=anything, written=False
).text(
    "Map output is dropped from the page cache after it is fetched.",
    "the page cache is for map output that has not been fetched yet",
    "D0 55, D0 24",
)

"""From map output to reduce input: the sort buffer, compression, fetching and merging."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Input, Value
from howdah.planner.budget import kinds_of
from howdah.planner.conditions import in_study
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import as_number, read_rules
from howdah.units import MIB

rules = read_rules("shuffle.toml")

_EARLY, _LATE, _LATE_IN_SORTS = 0.05, 0.8, 0.9
_BLOCK = 256 * MIB
_MANY_WAVES = 3.0
_COPIES = 20
_COPIES_OF_SMALL = 5
_KEPT = 0.7


@rules.decides("shuffle.slow-start")
def _slow_start(facts: Facts) -> Decision:
    if in_study(facts):
        return Decision(0.0, "as the study ran: nothing else used the reduce tasks' memory")
    waves = (facts.request.dataset_bytes or 0) / _BLOCK / max(1, facts.cluster.map_slots)
    if facts.request.sorts_only and (facts.cluster.any_spins or waves >= _MANY_WAVES):
        return Decision(
            _LATE_IN_SORTS,
            "YARN serves reduce tasks before map tasks: up to half of the containers would wait for map "
            "output while map tasks need them",
            (Input(name="waves of map tasks", value=round(waves, 1)),),
        )
    if facts.request.sorts_only:
        return Decision(
            _EARLY,
            "reduce tasks fetch map output while it is in the page cache, but hold no containers before "
            "there is any",
        )
    return Decision(
        _LATE,
        "jobs share the containers: reduce tasks that wait for the last map task block tasks of other jobs",
    )


@rules.decides("shuffle.copies")
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
    return Decision(_COPIES, "enough concurrent fetches that one slow disk does not stop them all", inputs)


def _of_a_study(paper: Value, production: Value, why: str) -> Callable[[Facts], Decision]:
    """The study's value in the paper profile; in production another, and why."""

    def decide(facts: Facts) -> Decision:
        if in_study(facts):
            return Decision(paper, "as the study ran: nothing else used the reduce tasks' memory")
        return Decision(production, why)

    return decide


rules.decides("shuffle.input-buffer")(
    _of_a_study(0.75, 0.7, "the release's default: the rest is for merging and the task itself")
)
rules.decides("shuffle.merge-share")(
    _of_a_study(0.95, 0.66, "the release's default: fetching goes on while the first two thirds are merged")
)


@rules.decides("shuffle.kept-in-memory")
def _kept_in_memory(facts: Facts) -> Decision:
    if in_study(facts):
        return Decision(_KEPT, "as the study ran: TeraSort's reduce function needs no memory")
    if facts.request.sorts_only:
        return Decision(
            _KEPT,
            "TeraSort's reduce function keeps nothing, so the last map output that is fetched need not be "
            "written and read again",
        )
    return Decision(0.0, "the release's default: the whole heap is for the reduce function")


rules.accepts("0 or at least 4")(
    lambda value, decision, facts: as_number(value) == 0 or as_number(value) >= 4
)

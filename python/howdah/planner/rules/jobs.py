"""Jobs: what every job is given unless it asks for something else."""

from __future__ import annotations

from howdah.model.plan import Input, Role
from howdah.planner.conditions import in_study
from howdah.planner.facts import Facts
from howdah.planner.heap import (
    HEAP_PER_TASK,
    HISTORY_LEAST,
    TASKS_LEAST,
    cached_tasks,
    heap_options,
    history_heap,
    master_heap,
    size_of,
    sized_heap,
    tasks_in,
)
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules
from howdah.units import format_count, format_memory

rules = read_rules("jobs.toml")

_CACHE = "mapreduce.jobhistory.loadedtasks.cache.size"


@rules.decides("jobs.history-cache")
def _history_cache(facts: Facts) -> Decision:
    size = size_of(facts)
    value = min(cached_tasks(size), tasks_in(master_heap(Role.JOB_HISTORY, facts)))
    return Decision(
        value,
        f"{format_count(size.job_tasks)} tasks of the largest job and a fifth more, at least "
        f"{format_count(TASKS_LEAST)}, limited by its heap; the default is five jobs of any size",
        (Input(name="tasks of the largest job", value=size.job_tasks),),
    )


@rules.decides("jobs.history-heap")
def _history_heap(facts: Facts) -> Decision:
    cache = facts.decided.get(_CACHE)
    if not isinstance(cache, int) or isinstance(cache, bool) or cache <= 0:
        return sized_heap(Role.JOB_HISTORY, facts, "1.2 GB for every 100,000 tasks that it keeps")
    heap = history_heap(cache)
    return Decision(
        heap_options(heap, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
        f"{format_memory(heap)}: {format_memory(HISTORY_LEAST)} and {HEAP_PER_TASK / 1000:g} kB for each "
        f"of {format_count(cache)} tasks that it keeps; a smaller heap ends with the first large job",
        (Input(name="tasks in its cache", value=cache),),
    )


@rules.decides("jobs.timeout")
def _timeout(facts: Facts) -> Decision:
    if in_study(facts):
        return Decision(300_000, "as the study ran")
    return Decision(600_000, "the release's default, ten minutes without progress")

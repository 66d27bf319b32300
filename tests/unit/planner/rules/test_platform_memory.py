"""What the hypervisor keeps of a host's memory, and what a worker needs and has."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.existing import ExistingSystem
from howdah.model.plan import Worker
from howdah.model.request import Demand, PlanRequest
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.platforms.candidates import listed
from howdah.planner.platforms.division import least_worker, memory_for_workers, slots_in
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Inspection
from howdah.planner.rules.catalogue import find_rule
from howdah.units import GIB, MIB, format_gib
from support.machine import host

YCSB = Demand(kind="ycsb")
MAPREDUCE, HBASE, MIX = (
    PlanRequest(),
    PlanRequest(workloads=(YCSB,)),
    PlanRequest(workloads=(Demand(kind="terasuite"), YCSB)),
)

# Shares of memory that virtual machines were given, per cent (RULES X8).
PUBLISHED = {72: 94.4, 80: 92.5, 96: 93.6, 256: 94.1}


@pytest.mark.parametrize("host_gib", PUBLISHED)
def test_the_share_for_workers_is_within_two_points_of_every_published_one(host_gib: int) -> None:
    share = 100 * memory_for_workers(host_gib * GIB) / (host_gib * GIB)
    assert share == pytest.approx(PUBLISHED[host_gib], abs=2)


@pytest.mark.parametrize(("host_gib", "workers_gib"), [(256, 241), (80, 74)])
def test_the_papers_own_gib(host_gib: int, workers_gib: int) -> None:
    assert memory_for_workers(host_gib * GIB) == workers_gib * GIB


@given(st.integers(0, 64 * 1024 * GIB), st.integers(0, 1024 * GIB))
def test_more_memory_leaves_no_less_to_workers_and_no_less_to_the_hypervisor_but_for_rounding(
    size: int, more: int
) -> None:
    before, after = memory_for_workers(size), memory_for_workers(size + more)
    assert before <= after
    assert before % GIB == 0
    assert 0 <= before <= size
    assert (size + more - after) - (size - before) >= -GIB


@given(st.integers(16, 16 * 1024), st.integers(1, 1024))
def test_the_share_grows_with_the_host_but_for_rounding(host_gib: int, more: int) -> None:
    def share(size_gib: int) -> float:
        return memory_for_workers(size_gib * GIB) / (size_gib * GIB)

    assert share(host_gib + more) >= share(host_gib) - 1 / host_gib


@pytest.mark.parametrize("request_", [MAPREDUCE, HBASE, MIX])
def test_the_least_worker_runs_the_least_work(request_: PlanRequest) -> None:
    least = least_worker(request_)
    assert least % MIB == 0
    if request_.mapreduce:
        assert slots_in(least, request_) >= 1
    if request_ is MAPREDUCE:
        assert slots_in(least - MIB, request_) == 0


def test_a_mix_needs_more_than_either_alone() -> None:
    assert least_worker(MIX) > max(least_worker(MAPREDUCE), least_worker(HBASE))


@given(st.integers(0, 4096 * GIB))
def test_heaps_stay_under_half_of_a_workers_memory(memory: int) -> None:
    heaps = (800 + 1200) * MIB * slots_in(memory, MAPREDUCE)
    assert heaps <= memory / 2
    assert slots_in(memory, HBASE) == 0


def _as_planned(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    rule = find_rule("memory.as-planned")
    assert isinstance(rule, Inspection)
    return rule.inspect(reading, facts)


def worker(memory: int) -> Worker:
    return Worker(name="worker", map_slots=1, reduce_slots=1, memory_bytes=memory)


@pytest.mark.parametrize(("planned", "ok"), [(24 * GIB, True), (25 * GIB, True), (32 * GIB, False)])
def test_a_worker_has_the_memory_that_was_planned(planned: int, ok: bool) -> None:
    facts = Facts(request=PlanRequest(), known_worker=worker(planned))
    (seen,) = _as_planned(Inspected(ExistingSystem(host=host())), facts)
    assert seen.ok is ok
    assert seen.found == "24 GiB"
    assert format_gib(planned) in seen.fix


def test_without_a_plan_a_workers_memory_cannot_be_judged() -> None:
    with pytest.raises(MissingFact, match="give a plan"):
        list(_as_planned(Inspected(ExistingSystem(host=host())), Facts(request=PlanRequest())))
    assert list(_as_planned(Inspected(ExistingSystem()), Facts(request=PlanRequest()))) == []


@pytest.mark.parametrize(
    ("size", "text"),
    [(60.25 * GIB, "60.25 GiB"), (241 * GIB, "241 GiB"), (100 * GIB, "100 GiB"), (24678 * MIB, "24.1 GiB")],
)
def test_memory_is_said_with_the_digits_it_needs(size: float, text: str) -> None:
    assert format_gib(size) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [((), ""), ((4,), "4"), ((5, 3), "3, 5"), ((1, 2), "1, 2"), ((9, 5, 6, 7, 2), "2, 5–7, 9")],
)
def test_runs_of_numbers_are_folded(numbers: tuple[int, ...], text: str) -> None:
    assert listed(numbers) == text

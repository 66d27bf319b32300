"""Sizes of YCSB's programs on one machine: a table that is loaded in seconds, and mixes that say much."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.plan import WorkerPlan
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.ycsb import TableShape, Ycsb, YcsbLoad, YcsbMix
from howdah.model.workloads.ycsb_options import Distribution, Durability
from howdah.planner.local_plan import LocalPlanner
from howdah.planner.suite.request import requested_programs
from howdah.units import GIB
from support.local_plans import host, needs, setting
from support.requests import run_request


def plan(suite: str, table: TableShape | None = None, **values: object) -> tuple[WorkerPlan, Suite]:
    request = run_request(suite, **values)
    return LocalPlanner(request, host(threads=2, memory=24 * GIB), needs, table=table).plan()


def test_all_programs_are_of_one_table() -> None:
    made, suite = plan("ycsb")
    load, *mixes = suite.workloads
    assert isinstance(load, YcsbLoad)
    assert (load.records, load.fields, load.field_bytes) == (200_000, 10, 100)
    for mix in mixes:
        assert isinstance(mix, YcsbMix)
        assert (mix.records, mix.threads, mix.durability) == (200_000, 2, Durability.SYNC_WAL)
        assert mix.operations == (40_000 if mix.kind == "ycsb-e" else 400_000)
        assert mix.distribution is (Distribution.LATEST if mix.kind == "ycsb-d" else Distribution.ZIPFIAN)
        assert mix.warm_up_s == 0.5
        assert mix.target is None
    assert setting(made, "records") == 200_000
    assert all(item.reason and item.source for item in made.settings)


def test_what_the_user_says_stays() -> None:
    _, suite = plan("ycsb", records=5, operations=7, threads=3, distribution=Distribution.UNIFORM, target=9)
    for workload in suite.workloads:
        assert isinstance(workload, Ycsb)
        assert (workload.records, workload.threads, workload.target) == (5, 3, 9)
    assert {getattr(each, "operations", 7) for each in suite.workloads} == {7}
    assert {getattr(each, "distribution", "uniform") for each in suite.workloads} == {"uniform"}


def test_a_mix_of_ones_own_has_its_shares() -> None:
    _, suite = plan("ycsb-mix", mix="read=0.7,scan=0.3")
    assert isinstance(suite.workloads[0], YcsbMix)
    assert suite.workloads[0].shares == {"read": 0.7, "scan": 0.3}


def test_a_kept_table_says_how_large_it_is() -> None:
    made, suite = plan("ycsb-b", TableShape(1234, 5, 6))
    mix = suite.workloads[0]
    assert isinstance(mix, YcsbMix)
    assert (mix.records, mix.record_bytes) == (1234, 30)
    assert (
        next(item.reason for item in made.settings if item.key == "records") == "of the table that was kept"
    )
    with pytest.raises(UserError, match="has 1,234, not 99"):
        plan("ycsb-b", TableShape(1234, 5, 6), records=99)


def test_the_memory_is_what_the_table_takes_or_half_of_all() -> None:
    small, _ = plan("ycsb", records=1_000_000)
    large, _ = plan("ycsb", records=1_000_000_000)
    assert 10**9 <= small.workers[0].memory_bytes < 1.3 * 10**9
    assert large.workers[0].memory_bytes == 24 * GIB * 9 // 10 // 2


def test_a_store_without_its_journal_is_refused_here_and_not_on_hbase() -> None:
    request = run_request("ycsb-load", durability=Durability.SKIP_WAL)
    with pytest.raises(UserError, match="always writes its journal"):
        requested_programs(request)
    assert requested_programs(request, "hbase")

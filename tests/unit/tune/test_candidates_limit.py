"""The limit of the hardware: below the simulated time, and nearer to it if a resource is short."""

from __future__ import annotations

from howdah.tune.candidates import Candidates
from howdah.tune.parameters import base_of
from support.lab_runs import lab_plan, laboratory
from support.requests import run_request


def test_the_hardware_needs_less_than_the_suite_takes() -> None:
    plan = lab_plan()
    candidates = Candidates(
        base_of(plan),
        run_request("terasuite", rows=20_000_000),
        None,
        seed=1,
        lab=laboratory(),
    )
    (trial,) = candidates.tried([{}])
    limit = candidates.limit({})
    assert trial.elapsed_s is not None
    # One CPU for each host is the bottleneck of this lab.
    assert max(limit.cpu_s, limit.disk_s, limit.network_s) == limit.cpu_s
    assert limit.cpu_s <= limit.elapsed_s < trial.elapsed_s
    assert limit.cpu_s > trial.elapsed_s / 2


def test_the_limit_is_the_busiest_resource_of_each_phase() -> None:
    plan = lab_plan()
    candidates = Candidates(base_of(plan), run_request("terasuite", rows=20_000_000), None, seed=1)
    limit = candidates.limit({})
    assert max(limit.cpu_s, limit.disk_s, limit.network_s) <= limit.elapsed_s
    assert limit.elapsed_s <= limit.cpu_s + limit.disk_s + limit.network_s

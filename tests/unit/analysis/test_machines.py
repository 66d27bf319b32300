"""A cluster's samples count once: workers within hosts, masters apart."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.machines import Timeline, counted, machines_of, workers_of
from howdah.model.cluster import MemberChange
from howdah.model.plan import Role
from howdah.model.tables import RunData
from support.cluster_records import terasort_on, with_samples
from support.cluster_scene import Scene
from support.plans import kind, master, plan, worker_plan
from support.records import terasuite


def doubled(scene: Scene) -> RunData:
    """The run with every host sampled too: its CPU and uplink as all its workers', and a disk of its own."""
    run = terasort_on(scene)
    extra = []
    for row in run.samples.to_pylist():
        host = row["host"].partition("-")[0]
        extra += (
            [(row["time_s"], host, row["metric"], 2 * row["value"])] if row["host"].endswith("-1") else []
        )
    return with_samples(run, extra)


def test_a_local_run_has_its_host() -> None:
    run = terasuite()
    assert [(each.name, each.level) for each in analyse(run).evidence.machines] == [("host1", "host")]


def test_workers_masters_and_hosts_are_told_apart() -> None:
    virtual = plan(
        kinds=(kind(per_host=2),),
        places=("worker", "worker"),
        masters=(master("nn1", "workers-1", Role.NAMENODE, address="workers-1-nn1"),),
    )
    run = terasort_on(Scene())
    run = run._replace(record=run.record.model_copy(update={"plan": virtual}), tasks=run.tasks.slice(0, 0))
    machines = machines_of(run, Timeline(run.samples.slice(0, 0)))
    levels = {each.name: (each.level, each.host) for each in machines}
    assert levels["workers-1"] == ("host", "workers-1")
    assert levels["workers-1-2"] == ("worker", "workers-1")
    assert levels["workers-1-nn1"] == ("master", "workers-1")


def test_a_native_worker_is_its_own_host() -> None:
    run = terasort_on(Scene(hosts=3, per_host=1))
    assert workers_of(analyse(run).evidence.machines) == {"h1": "h1", "h2": "h2", "h3": "h3"}


def test_a_host_that_carries_only_a_master_does_no_work() -> None:
    alone = plan(
        masters=(
            master("nn1", "workers-1", Role.NAMENODE, address="workers-1").model_copy(
                update={"whole_host": True, "takes": ("worker",)}
            ),
        )
    )
    run = terasort_on(Scene())
    run = run._replace(record=run.record.model_copy(update={"plan": alone}), tasks=run.tasks.slice(0, 0))
    machines = machines_of(run, Timeline(run.samples.slice(0, 0)))
    assert next(each.level for each in machines if each.name == "workers-1") == "master"


def test_without_a_plan_of_the_cluster_tasks_name_its_machines() -> None:
    run = terasort_on(Scene())
    bare = worker_plan(run.record.plan)
    machines = analyse(run._replace(record=run.record.model_copy(update={"plan": bare}))).evidence.machines
    assert {each.name for each in machines if each.level == "worker"} == {"h1-1", "h1-2", "h2-1", "h2-2"}


def test_workers_count_and_their_hosts_do_not() -> None:
    scene = Scene()
    once, twice = terasort_on(scene), doubled(scene)
    assert "h1" in Timeline(twice.samples).hosts
    for subject in ("cpu", "disk", "nic"):
        machines = machines_of(twice, Timeline(twice.samples))
        assert set(counted(machines, Timeline(twice.samples), subject)) == {"h1-1", "h1-2", "h2-1", "h2-2"}
    one, other = analyse(once).evidence, analyse(twice).evidence
    assert other.use[0].cpu_busy == pytest.approx(one.use[0].cpu_busy)
    assert other.accounts == one.accounts
    assert other.flows == one.flows


def test_a_host_counts_where_its_workers_were_not_sampled() -> None:
    run = doubled(Scene())
    keep = [row["host"] in {"h1", "h2"} for row in run.samples.to_pylist()]
    hosts_only = run._replace(samples=run.samples.filter(keep))
    timeline = Timeline(hosts_only.samples)
    assert counted(machines_of(hosts_only, timeline), timeline, "disk") == ("h1", "h2")


def test_the_machine_that_started_the_run_counts_for_nothing() -> None:
    run = terasort_on(Scene())
    more = [(row["time_s"], "admin", row["metric"], row["value"]) for row in run.samples.to_pylist()]
    assert analyse(with_samples(run, more)).evidence.accounts == analyse(run).evidence.accounts


def test_samples_of_daemons_at_times_of_their_own_do_not_blur_the_others() -> None:
    run = terasort_on(Scene())
    odd = [(0.37 + 0.01 * step, "h1-1", "jvm/nodemanager/gc_s", 0.0) for step in range(3000)]
    before, after = Timeline(run.samples), Timeline(with_samples(run, odd).samples)
    assert list(after.times_s) == list(before.times_s)


def test_a_machine_that_joined_is_one_of_the_runs_with_its_host() -> None:
    run = terasort_on(Scene())
    joined = tuple(
        MemberChange(time_s=9, machine=name, what="joined", level=level, host="h3", rack="r1")
        for name, level in (("h3", "host"), ("h3-1", "worker"))
    )
    leaving = MemberChange(time_s=12, machine="h1-1", what="leaving")
    record = run.record.model_copy(update={"members": (*joined, leaving)})
    machines = machines_of(run._replace(record=record), Timeline(run.samples))
    levels = {each.name: (each.level, each.host) for each in machines}
    assert levels["h3"] == ("host", "h3")
    assert levels["h3-1"] == ("worker", "h3")
    assert levels["h1-1"][0] == "worker"

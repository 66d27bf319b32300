"""The study that races a search's candidates, on labs that are built and on a cluster that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.model.engines import CONF, SET
from howdah.model.placement import at_once
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.model.tuning import (
    Finalist,
    KeptRules,
    Narrowing,
    RaceRequest,
    RaceTarget,
)
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.model.workloads.hadoop_programs import SAMPLES
from howdah.model.workloads.option import MAPS, Option
from howdah.model.workloads.terasort import REDUCES, TERA_SCHEDULER
from howdah.planner.cluster import plan_cluster
from howdah.planner.suite.cluster import size_suite
from howdah.session.study_cells import run_request
from howdah.session.tuning import TuningWork, planned_race
from howdah.study.matrix import Cell, cells_of
from howdah.tune.parameters import base_of, is_per_job
from howdah.tune.race import defaults_plan, lab_plans
from howdah.tune.search import space_of
from howdah.units import MIB
from support.raced import finalist, raced, requested, tuning_of
from support.sim_plans import small_plan
from support.studies import EXAMPLES


def properties_of(cell: Cell) -> dict[str, str]:
    """The properties that a cell's jobs are given."""
    given = cell.settings.of(SET)
    return dict(given or ())


def test_a_lab_is_built_for_each_plan_and_the_budget_is_the_studys() -> None:
    study = raced(RaceTarget.LABS)
    assert study.budget.hours == 0.5
    assert study.contenders == ({"plan": "tuned"},)
    rules, tuned, defaults = cells_of(study)
    assert len({cell.lab_key for cell in (rules, tuned, defaults)}) == 3
    assert tuned.settings.plan == "plan-tuned.yaml"


@pytest.mark.parametrize("hadoop", ["3.3.6", "3.5.0"])
def test_labs_are_built_of_the_tuned_plan_the_rules_plan_and_the_releases_defaults(hadoop: str) -> None:
    hosts = read_inventory(EXAMPLES / "hosts-7.yaml")
    plan = plan_cluster(hosts, PlanRequest(hadoop=hadoop, hypervisor=Hypervisor.NONE, overcommit=True))
    request = requested(plan, RaceRequest(target=RaceTarget.LABS, name="", budget_s=1800))
    tuning = tuning_of(finalist(KeptRules.RULES))
    plans = dict(lab_plans(request, tuning, TuningWork(request).candidates))
    assert list(plans) == ["rules", "tuned", "defaults"]
    assert plans["rules"] == plan
    for raced_plan in plans.values():
        other = raced_plan.cluster.request.model_copy(update={"overrides": ()})
        assert other == plan.cluster.request
    blocks = {
        name: next(setting.value for setting in raced_plan.settings if setting.key == "dfs.blocksize")
        for name, raced_plan in plans.items()
    }
    assert (blocks["tuned"], blocks["defaults"]) == (512 * MIB, 128 * MIB)


def test_in_a_short_budget_fewer_candidates_race_on_labs() -> None:
    others = (finalist(KeptRules.RULES, **{"dfs.blocksize": size}) for size in ("64MiB", "256MiB", "1GiB"))
    tuning = tuning_of(finalist(KeptRules.RULES)).model_copy(update={"runners_up": tuple(others)})
    racing = raced(RaceTarget.LABS, tuning=tuning).contenders
    # Three runs of a plan and its lab take 190 s each; the budget is half an hour.
    assert racing == ({"plan": "tuned"},)


def test_on_a_lab_that_is_up_a_plan_differs_in_properties_of_its_jobs_alone() -> None:
    study = raced(RaceTarget.LAB, "here")
    rules, tuned, defaults = cells_of(study)
    assert not properties_of(rules)
    assert {cell.settings.lab for cell in (rules, tuned, defaults)} == {"here"}
    assert all(cell.lab_key is None for cell in (rules, tuned, defaults))
    assert tuned.settings.block_size == 512 * 2**20
    assert tuned.settings.of(REDUCES) == 30
    properties = properties_of(tuned)
    assert properties["mapreduce.map.output.compress.codec"] == "org.apache.hadoop.io.compress.Lz4Codec"
    # What follows from a tuned value is given with it.
    assert "mapreduce.map.java.opts" in properties
    assert all(is_per_job(key) for key in properties)
    assert "mapreduce.reduce.memory.mb" not in properties, "it is as configured"
    released = properties_of(defaults)
    assert released["mapreduce.map.memory.mb"] == "1024"
    assert released["mapreduce.map.java.opts"] == ""
    assert (defaults.settings.block_size, defaults.settings.of(REDUCES)) == (128 * 2**20, 1)


def test_on_a_users_cluster_the_rules_are_given_with_each_job_and_the_configuration_races_too() -> None:
    study = raced(RaceTarget.CLUSTER, "/etc/hadoop/conf")
    configured, rules, tuned, _ = cells_of(study)
    assert configured.name == "configured"
    assert not study.drop_caches, "the client may be on a host of the cluster"
    assert not properties_of(configured)
    assert rules.settings.of(CONF) == Path("/etc/hadoop/conf")
    mine, theirs = properties_of(rules), properties_of(tuned)
    assert set(mine) <= set(theirs)
    assert mine["mapreduce.reduce.memory.mb"] == theirs["mapreduce.reduce.memory.mb"]
    assert mine["mapreduce.map.memory.mb"] != theirs["mapreduce.map.memory.mb"] == "2048"


def test_the_search_for_a_cluster_that_runs_varies_nothing_that_daemons_read() -> None:
    plan = small_plan()
    base = base_of(plan)
    varied, fixed = space_of(base, Narrowing(), "", per_job=True)
    assert {"dfs.blocksize", "mapreduce.task.io.sort.mb"} <= {one.name for one in varied}
    assert all(is_per_job(one.name) for one in varied)
    assert {"slots", "dfs.datanode.readahead.bytes"} <= {one.name for one in fixed}


@pytest.mark.parametrize("search", ["p20M", "20261128-1425-terasuite", "Meiers_Versuch.2", "x" * 80])
def test_a_search_of_any_name_has_a_race(search: str) -> None:
    assert raced(RaceTarget.LABS, search=search).study.startswith("race-")


def test_candidates_beyond_the_rules_race_under_their_own_name() -> None:
    beyond = finalist(KeptRules.LIMITS, **{"dfs.blocksize": "1GiB"})
    study = raced(RaceTarget.LAB, "x", finalists=(finalist(KeptRules.RULES), beyond))
    assert [level.label for level in study.factors[0].levels] == [
        "rules",
        "tuned",
        "beyond-rules",
        "defaults",
    ]


@pytest.mark.parametrize("target", RaceTarget)
def test_without_a_better_candidate_the_rules_race_against_the_defaults(target: RaceTarget) -> None:
    nothing = Finalist(
        kept=KeptRules.RULES, values={}, elapsed_s=90, share=0, interval=None, differs=False, breaks=()
    )
    study = raced(target, "x", finalists=(nothing,))
    assert study.contenders == ({"plan": "rules"},)
    assert not tuning_of(nothing).contenders


@pytest.mark.parametrize("target", RaceTarget)
def test_hadoops_defaults_race_with_terasorts_own_schedule_of_maps(target: RaceTarget) -> None:
    properties = {cell.name: properties_of(cell) for cell in cells_of(raced(target, "x"))}
    assert properties.pop("defaults")[TERA_SCHEDULER] == "true"
    assert not any(TERA_SCHEDULER in own for own in properties.values())


def test_a_mix_of_operations_races_on_labs_with_a_table_and_other_settings_of_regionservers() -> None:
    hosts = read_inventory(EXAMPLES / "hosts-lab-hbase.yaml")
    plan = plan_cluster(hosts, PlanRequest(replication=2, workloads=(Demand(kind="ycsb", records=20_000),)))
    race = RaceRequest(target=RaceTarget.LABS, name="", budget_s=1800)
    request = requested(plan, race).model_copy(update={"suite": "ycsb-b"})
    work = TuningWork(request)
    values = {"HBASE_REGIONSERVER_OPTS": "1024", "hbase.regionserver.handler.count": "16"}
    tuning = tuning_of(finalist(KeptRules.RULES, **values)).model_copy(update={"space": tuple(work.space)})
    study = planned_race(work, tuning)
    assert (study.suite, study.fill) == ("ycsb-b", "ycsb-load")
    rules, tuned, defaults = cells_of(study)
    assert {(cell.settings.engine, cell.settings.records) for cell in (rules, tuned, defaults)} == {
        ("hbase", 20_000)
    }
    assert len({cell.lab_key for cell in (rules, tuned, defaults)}) == 3
    plans = {
        name: {setting.key: setting.value for setting in raced_plan.settings}
        for name, raced_plan in lab_plans(request, tuning, work.candidates)
    }
    tuned_values, released = plans["tuned"], plans["defaults"]
    assert "-Xmx1024m" in str(tuned_values["HBASE_REGIONSERVER_OPTS"])
    assert tuned_values["hbase.regionserver.handler.count"] == 16
    assert (released["hbase.regionserver.handler.count"], released["HBASE_REGIONSERVER_OPTS"]) == (30, "")
    on_lab = request.model_copy(update={"race": race.model_copy(update={"target": RaceTarget.LAB})})
    with pytest.raises(UserError, match="other settings of RegionServers"):
        TuningWork(on_lab)


def test_without_java_options_hbase_has_no_cache_outside_the_heap() -> None:
    hosts = read_inventory(EXAMPLES / "hosts-hbase.yaml")
    plan = plan_cluster(hosts, PlanRequest(workloads=(Demand(kind="ycsb", records=10_000_000),)))
    space, _ = space_of(base_of(plan, operations=True), Narrowing(), "")
    released = {setting.key: setting.value for setting in defaults_plan(plan.cluster, space).settings}
    assert (released["HBASE_REGIONSERVER_OPTS"], released["hbase.bucketcache.ioengine"]) == ("", "")


@pytest.mark.parametrize(("suite", "options"), [("dfsio", (FILES, FILE_SIZE)), ("pi", (MAPS, SAMPLES))])
def test_every_plan_of_a_race_does_the_work_of_the_rules_plan(
    suite: str, options: tuple[Option[int], ...]
) -> None:
    race = RaceRequest(target=RaceTarget.LABS, name="", budget_s=1800)
    request = requested(small_plan(), race).model_copy(update={"suite": suite})
    work = TuningWork(request)
    update = {"suite": suite, "space": tuple(work.space)}
    tuning = tuning_of(finalist(KeptRules.RULES, slots="2")).model_copy(update=update)
    study = planned_race(work, tuning)
    plans = dict(lab_plans(request, tuning, work.candidates))
    assert at_once(plans["tuned"]).maps < at_once(plans["rules"]).maps
    for cell in cells_of(study):
        plan = plans[cell.name]
        sized = size_suite(run_request(study, cell.settings), at_once(plan), plan=plan).suite
        for option in options:
            assert sized.first(option) == work.suite.first(option) is not None


def test_plans_of_a_race_on_a_lab_have_only_options_that_the_suite_has() -> None:
    race = RaceRequest(target=RaceTarget.LAB, name="here", budget_s=1800)
    work = TuningWork(requested(small_plan(), race).model_copy(update={"suite": "dfsio"}))
    update = {"suite": "dfsio", "space": tuple(work.space)}
    tuning = tuning_of(finalist(KeptRules.RULES, **{"dfs.blocksize": "512MiB"})).model_copy(update=update)
    study = planned_race(work, tuning)
    for cell in cells_of(study):
        assert cell.settings.of(REDUCES) is None
        run_request(study, cell.settings)
    assert [cell.settings.block_size for cell in cells_of(study)] == [None, 512 * 2**20, 128 * 2**20]


def test_of_candidates_for_operations_fewer_race_because_each_lab_is_filled() -> None:
    hosts = read_inventory(EXAMPLES / "hosts-lab-hbase.yaml")
    plan = plan_cluster(hosts, PlanRequest(replication=2, workloads=(Demand(kind="ycsb", records=20_000),)))
    race = RaceRequest(target=RaceTarget.LABS, name="", budget_s=3600)
    work = TuningWork(requested(plan, race).model_copy(update={"suite": "ycsb-b"}))
    first, *others = (
        finalist(KeptRules.RULES, **{"hbase.regionserver.handler.count": count})
        for count in ("16", "64", "128")
    )
    tuning = tuning_of(first).model_copy(update={"space": tuple(work.space), "runners_up": tuple(others)})
    # A run takes 100 s, its lab and table three minutes: in an hour, four plans run three times.
    assert planned_race(work, tuning).contenders == ({"plan": "tuned"}, {"plan": "tuned-2"})

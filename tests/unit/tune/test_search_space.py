"""The space of a plan, and what a user's file makes of it."""

from __future__ import annotations

import pytest

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.model.placement import at_once
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, PlanRequest
from howdah.model.run_request import RunRequest
from howdah.model.tuning import Narrowing, TuneParameter
from howdah.planner.cluster import plan_cluster
from howdah.releases.values import direct_bytes, heap_bytes
from howdah.tune.candidates import Candidates, PlannedCandidate
from howdah.tune.parameters import CACHE, SERVER_OPTIONS, Base, base_of, keys_of, parameters
from howdah.tune.search import space_of
from howdah.units import MIB
from support.sim_plans import EXAMPLES, slots_plan, small_plan, study_plan

PLANS = (small_plan, slots_plan, study_plan)


def base(plan: ClusterPlan) -> Base:
    """A plan with what its ranges are derived from."""
    return base_of(plan)


def narrowed(narrowing: Narrowing) -> dict[str, TuneParameter]:
    """The space of seven native hosts, narrowed by a file."""
    varied, _ = space_of(base(small_plan()), narrowing, "space.yaml")
    return {parameter.name: parameter for parameter in varied}


@pytest.mark.parametrize("plan", PLANS)
def test_the_planned_value_is_one_of_several_and_numbers_ascend(plan: object) -> None:
    assert callable(plan)
    varied, _ = parameters(base(plan()))
    for parameter in varied:
        assert parameter.planned in parameter.levels, parameter
        assert len(set(parameter.levels)) == len(parameter.levels) >= 2, parameter


def test_a_job_has_at_most_the_reduces_that_the_tutorial_suggests() -> None:
    made = base(small_plan())
    (reduces,) = (one for one in parameters(made)[0] if one.name == "mapreduce.job.reduces")
    assert int(reduces.levels[-1]) <= 1.75 * at_once(made.plan).reduces
    assert reduces.planned == str(base_of(made.plan, rows=10**12).reduces)


def test_the_planned_number_of_reduces_is_that_of_the_rows() -> None:
    plan = small_plan()
    few = base_of(plan, rows=1_000_000)
    assert few.reduces == 10


@pytest.mark.parametrize("plan", PLANS)
def test_every_parameter_decides_settings_that_the_plan_has_or_its_release_reads(plan: object) -> None:
    assert callable(plan)
    made = plan()
    decided = {setting.key for setting in made.settings}
    written = {key for one in parameters(base(made))[0] for key in keys_of(one.name) if one.name != "workers"}
    # Rules do not write these: the releases' defaults are right.
    assert written - decided <= {
        "dfs.datanode.readahead.bytes",
        "mapreduce.job.reduces",
        "mapreduce.map.sort.spill.percent",
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
        "yarn.scheduler.capacity.node-locality-delay",
        "yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments",
        "yarn.scheduler.capacity.schedule-asynchronously.enable",
    }


def test_virtual_machines_are_varied_only_where_the_plan_weighs_them() -> None:
    assert "workers" in {one.name for one in parameters(base(study_plan()))[0]}
    _, fixed = parameters(base(small_plan()))
    assert "--weigh-virtual" in next(one.why for one in fixed if one.name == "workers")


def test_a_file_narrows_widens_and_fixes() -> None:
    space = narrowed(
        Narrowing(
            parameters={
                "dfs.blocksize": ("2GiB", "planned"),
                "mapreduce.task.io.sort.mb": 400,
                "slots": "planned",
            }
        )
    )
    assert space["dfs.blocksize"].levels == (space["dfs.blocksize"].planned, "2GiB")
    assert space["mapreduce.task.io.sort.mb"].levels == ("400",)
    assert "slots" not in space
    assert "mapreduce.reduce.shuffle.parallelcopies" in space
    alone = narrowed(Narrowing(parameters={"dfs.blocksize": ("128MiB", "1GiB")}, others="planned"))
    assert set(alone) == {"dfs.blocksize"}


def test_codecs_that_a_release_lacks_are_tried_only_if_a_file_names_them() -> None:
    codec = "mapreduce.map.output.compress.codec"
    usual = next(one for one in parameters(base(small_plan()))[0] if one.name == codec)
    assert (usual.levels, usual.others) == (("none", "snappy"), ("lz4", "zstd"))
    named = narrowed(Narrowing(parameters={codec: ("snappy", "lz4")}))
    assert named[codec].levels == ("snappy", "lz4")


@pytest.mark.parametrize(
    ("narrowing", "where", "hint"),
    [
        ({"dfs.blocksiez": "1GiB"}, "parameters.dfs.blocksiez", "did you mean dfs.blocksize?"),
        ({"dfs.blocksize": "large"}, "parameters.dfs.blocksize", "write for instance 64MiB"),
        (
            {"mapreduce.map.output.compress.codec": "gzip"},
            "parameters.mapreduce.map.output.compress.codec",
            "give some of none, snappy, lz4, zstd",
        ),
        ({"dfs.replication": 2}, "parameters.dfs.replication", "leave it out"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(
    narrowing: dict[str, str | int], where: str, hint: str
) -> None:
    with pytest.raises(UserError) as error:
        narrowed(Narrowing.model_validate({"parameters": narrowing}))
    assert error.value.where == f"space.yaml: {where}"
    assert hint in error.value.hint


def test_a_parameter_without_values_is_refused() -> None:
    with pytest.raises(UserError, match=r"parameters\.slots: has no value"):
        narrowed(Narrowing(parameters={"slots": ()}))


@pytest.mark.parametrize("value", ["8B", "8GiB", "8.5"])
def test_a_number_of_tasks_has_no_unit_of_bytes_and_no_fraction(value: str) -> None:
    with pytest.raises(UserError, match=f"'{value}' is not a value of it"):
        narrowed(Narrowing(parameters={"slots": (value,)}))


def test_a_file_that_leaves_nothing_to_vary_is_refused() -> None:
    with pytest.raises(UserError, match="leaves nothing to vary"):
        narrowed(Narrowing(parameters={"slots": 4}, others="planned"))


def hbase_plan() -> ClusterPlan:
    """Three hosts with RegionServers that cache outside their heaps."""
    demand = Demand(kind="ycsb", records=300_000_000)
    return plan_cluster(read_inventory(EXAMPLES / "hosts-hbase.yaml"), PlanRequest(workloads=(demand,)))


def test_a_smaller_heap_leaves_the_rest_to_the_cache_outside_it() -> None:
    plan = hbase_plan()
    of_hbase = base_of(plan, operations=True)
    varied = {one.name: one for one in parameters(of_hbase)[0]}
    assert "mapreduce.task.io.sort.mb" not in varied
    candidates = Candidates(of_hbase, RunRequest(suite="ycsb-a"), None, seed=1)
    sizes = {}
    for heap in varied[SERVER_OPTIONS].levels:
        candidate = candidates.planned({SERVER_OPTIONS: heap})
        assert isinstance(candidate, PlannedCandidate), heap
        settings = {setting.key: setting.value for setting in candidate.plan.settings}
        options = str(settings[SERVER_OPTIONS])
        cache = int(str(settings[CACHE]))
        assert heap_bytes(options) == int(heap) * MIB
        assert "regionserver.cache-size" not in candidate.breaks
        assert (direct_bytes(options) or 0) // MIB >= cache + 2 * 1024
        sizes[int(heap)] = cache
    planned = int(varied[SERVER_OPTIONS].planned)
    assert sizes == {heap: pytest.approx(sizes[planned] + 1.1 * (planned - heap), abs=1024) for heap in sizes}

"""What is varied on a user's own job, and which values race."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from howdah.errors import UserError
from howdah.model.engines import SET
from howdah.model.study import Study
from howdah.model.tuning import DEFAULTS_NAME, Narrowing, RaceRequest, RaceTarget
from howdah.model.user_job import COMBINED_NAME, CONFIGURED_NAME, JobTuningRequest, ValueAlone
from howdah.releases import catalogue
from howdah.releases.values import QUICK_START
from howdah.study.matrix import cells_of
from howdah.tune.job import (
    alone_study,
    configured_heaps,
    default_properties,
    job_properties,
    job_space,
    race_study,
    racing,
    values_alone,
)

JAR = ("hadoop", "jar", "app.jar", "Main", "in", "out")
CODEC = "mapreduce.map.output.compress.codec"
MEMORY, OPTIONS = "mapreduce.map.memory.mb", "mapreduce.map.java.opts"


def default(key: str) -> str:
    """The value without any configuration."""
    return catalogue.default_of(key, catalogue.hadoop()) or ""


def request(
    command: tuple[str, ...] = JAR,
    narrowing: Narrowing | None = None,
    configured: Mapping[str, str] = MappingProxyType({}),
) -> JobTuningRequest:
    def current(key: str) -> str:
        return configured.get(key, default(key))

    space, fixed = job_space(command, current, narrowing or Narrowing(), "space.yaml")
    race = RaceRequest(target=RaceTarget.CLUSTER, name="/etc/hadoop/conf", budget_s=3600)
    defaults = default_properties(command, space)
    heaps = configured_heaps(current)
    return JobTuningRequest(
        command=command, race=race, space=space, fixed=fixed, seed=1, heaps=heaps, defaults=defaults
    )


def alone(name: str, value: str, share: float | None, failed: int = 0) -> ValueAlone:
    return ValueAlone(name=name, value=value, runs=2 - failed, failed=failed, share=share)


def test_values_follow_from_the_configured_ones() -> None:
    space = {one.name: one for one in request().space}
    assert space["mapreduce.job.reduces"].levels == ("1", "2", "4")
    assert space["mapreduce.task.io.sort.mb"].levels == ("100", "200", "400")
    assert space[CODEC].planned == "none"
    assert space["mapreduce.map.java.opts"].levels == ("", QUICK_START)
    assert job_properties({CODEC: "lz4"}, request()) == {
        "mapreduce.map.output.compress": "true",
        CODEC: "org.apache.hadoop.io.compress.Lz4Codec",
    }


def test_the_heap_of_a_container_changes_with_its_memory() -> None:
    parameters = {parameter.name: parameter for parameter in request().space}
    assert parameters[MEMORY].levels == ("-1", "512", "2048")
    configured = {MEMORY: "1024", OPTIONS: "-Xms100m -Xmx400m", "mapreduce.task.io.sort.mb": "100"}
    tuned = request(configured=configured)
    levels = {parameter.name: parameter.levels for parameter in tuned.space}
    assert levels[MEMORY] == ("1024", "512", "2048")
    assert levels["mapreduce.task.io.sort.mb"] == ("100", "200"), "a buffer of 400 MB is the whole heap"
    assert job_properties({MEMORY: "512"}, tuned) == {MEMORY: "512", OPTIONS: "-Xms50m -Xmx200m"}
    quick = f"{configured[OPTIONS]} {QUICK_START}"
    both = job_properties({MEMORY: "2048", OPTIONS: quick}, tuned)
    assert both[OPTIONS] == f"-Xms200m -Xmx800m {QUICK_START}"
    assert job_properties({OPTIONS: quick}, tuned) == {OPTIONS: quick}


def test_a_heap_that_a_file_names_stays() -> None:
    tuned = request(configured={MEMORY: "1024", OPTIONS: "-Xmx400m"})
    named = {MEMORY: "2048", OPTIONS: "-Xmx1500m"}
    assert job_properties(named, tuned) == named


def test_the_memory_of_a_container_stays_if_the_command_sets_its_heap() -> None:
    own = request(("hadoop", "jar", "app.jar", f"-D{OPTIONS}=-Xmx300m", "in"))
    assert (MEMORY, "the command itself sets its heap") in {(one.name, one.why) for one in own.fixed}


def test_a_command_for_spark_gets_properties_of_spark() -> None:
    space = request(("/opt/spark/bin/spark-submit", "app.py")).space
    assert space
    assert all(parameter.name.startswith("spark.") for parameter in space)
    heap = next(parameter for parameter in space if parameter.name == "spark.executor.memory")
    assert heap.levels == ("1g", "512m", "2048m")


def test_a_script_that_starts_spark_gets_properties_of_spark(tmp_path: Path) -> None:
    script, other = tmp_path / "nightly.sh", tmp_path / "other.sh"
    script.write_text("#!/bin/sh\nexec /opt/spark/bin/spark-submit --master yarn app.py\n")
    other.write_text("#!/bin/sh\nhadoop jar app.jar\n")
    assert all(one.name.startswith("spark.") for one in request((str(script),)).space)
    assert all(one.name.startswith("spark.") for one in request(("bash", str(script), "in")).space)
    assert request((str(script),)).defaults == {}
    assert not any(one.name.startswith("spark.") for one in request((str(other),)).space)


def test_what_the_command_itself_sets_is_left_alone() -> None:
    own = request(("hadoop", "jar", "app.jar", "-Dmapreduce.job.reduces=9", "in"))
    assert "mapreduce.job.reduces" not in {one.name for one in own.space}
    assert ("mapreduce.job.reduces", "the command itself sets it") in {
        (one.name, one.why) for one in own.fixed
    }


def test_a_file_may_name_any_property_and_a_space_without_values_is_refused() -> None:
    narrowed = request(narrowing=Narrowing(parameters={"my.own.key": (1, 2)}, others="planned"))
    assert [(one.name, one.levels) for one in narrowed.space] == [("my.own.key", ("", "1", "2"))]
    with pytest.raises(UserError, match="leaves nothing to vary"):
        request(narrowing=Narrowing(others="planned"))


def test_a_configured_number_does_not_race_against_itself_in_other_words() -> None:
    key = "mapreduce.job.reduce.slowstart.completedmaps"
    narrowing = Narrowing(parameters={key: (0.5, 1.0)}, others="planned")
    space, _ = job_space(JAR, {key: "1.0"}.get, narrowing, "space.yaml")  # type: ignore[arg-type]
    assert [parameter.levels for parameter in space] == [("1.0", "0.5")]


def test_the_study_of_values_alone_runs_each_twice_next_to_the_configured_job() -> None:
    tuned = request()
    study = Study.model_validate(alone_study(tuned, "20261128-2100-job").model_dump())
    labels = [cell.levels["plan"] for cell in cells_of(study)]
    assert labels == [CONFIGURED_NAME, *values_alone(tuned)]
    assert (study.repeats.least, study.repeats.most) == (2, 2)


def test_the_best_value_of_each_property_is_combined_and_failing_ones_are_not() -> None:
    tuned = request()
    values = (
        alone("mapreduce.job.reduces", "2", -0.1),
        alone("mapreduce.job.reduces", "4", -0.2),
        alone(CODEC, "lz4", -0.05),
        alone("mapreduce.map.memory.mb", "512", -0.5, failed=1),
        alone("mapreduce.task.io.sort.mb", "200", -0.01),
        alone("mapreduce.job.ubertask.enable", "true", None, failed=2),
    )
    candidates = racing(tuned, values)
    combined = {"mapreduce.job.reduces": "4", CODEC: "lz4"}
    assert candidates[COMBINED_NAME] == combined
    assert list(candidates) == [COMBINED_NAME, "mapreduce.job.reduces=4", f"{CODEC}=lz4"]
    study = race_study(tuned, "search", candidates, spent_s=1200)
    assert study.budget.hours == pytest.approx(2400 / 3600)
    assert len(study.contenders) == 3
    released = next(cell for cell in cells_of(study) if cell.levels["plan"] == DEFAULTS_NAME)
    given = released.settings.of(SET)
    properties = dict(given or ())
    assert properties["mapreduce.job.reduces"] == "1"
    assert properties["mapreduce.map.output.compress"] == "false"
    assert (properties["mapreduce.map.memory.mb"], properties["mapreduce.map.java.opts"]) == ("1024", "")
    assert {DEFAULTS_NAME} & {label["plan"] for label in study.contenders} == set()
    assert racing(tuned, values[-2:]) == {}


def test_a_container_has_no_more_memory_than_yarn_grants() -> None:
    granted = {"mapreduce.map.memory.mb": "2048", "yarn.scheduler.maximum-allocation-mb": "3072"}
    space, _ = job_space(JAR, lambda key: granted.get(key, default(key)), Narrowing(), "")
    (memory,) = (one for one in space if one.name == "mapreduce.map.memory.mb")
    assert memory.levels == ("2048", "1024")


@pytest.mark.parametrize("words", [("--executor-memory", "4g"), ("--executor-memory=4g",)])
def test_a_property_that_a_flag_of_spark_sets_is_not_varied(words: tuple[str, ...]) -> None:
    space, fixed = job_space(("spark-submit", *words, "app.py"), lambda key: "", Narrowing(), "")
    name = "spark.executor.memory"
    assert name not in {parameter.name for parameter in space}
    assert (name, "the command itself sets it") in {(parameter.name, parameter.why) for parameter in fixed}

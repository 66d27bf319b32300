"""The first round of a race: what runs, the cases that it gives, and what the simulator learns from them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import starmap
from statistics import median

from howdah.calibrate.calibrate import calibrate
from howdah.calibrate.case import Case
from howdah.model.calibration import BYTE_CPU, COMPILER, Calibration
from howdah.model.study_settings import Level
from howdah.model.tuning import DEFAULTS_NAME, RULES_NAME, KeptRules, Learned, LearnedTime, RaceTarget
from howdah.simulation.published_studies import simulate_typical
from howdah.tune.candidates import Candidates
from howdah.tune.parameters import base_of
from howdah.tune.race import cases, first_round, free_numbers
from support.lab_runs import lab_plan, laboratory, recorded_runs
from support.raced import finalist, raced, tuning_of
from support.requests import run_request

BUDGET_S = 1800.0


def in_lab() -> Candidates:
    """Candidates of the lab in which the recorded runs were made, with half a CPU for each planned one."""
    plan = lab_plan()
    request = run_request("terasuite", rows=2_000_000)
    return Candidates(base_of(plan), request, None, seed=1, lab=laboratory())


def recorded_cases() -> list[Case]:
    """Real runs of three block sizes as the cases of a first round."""
    records = dict(zip("abc", list(recorded_runs().values())[::2], strict=True))
    levels = [Level(label=name) for name in records]
    return list(cases(levels, records, {name: {} for name in records}, in_lab()))


def error(simulated: Mapping[str, Mapping[str, float]], runs: list[Case]) -> float:
    """Half of the predictions are further off."""
    return median(
        abs(simulated[run.name][quantity] / seconds - 1)
        for run in runs
        for quantity, seconds in run.known.items()
    )


def test_every_plan_runs_once_on_a_quarter_of_the_data_within_part_of_the_budget() -> None:
    several = (finalist(KeptRules.RULES, **{"dfs.blocksize": "512MiB"}), finalist(KeptRules.LIMITS))
    race = raced(RaceTarget.LAB, "here", finalists=several)
    first = first_round(race, BUDGET_S)
    assert (race.settings.dataset, first.settings.dataset) == (22 * 10**9, 22 * 10**9 // 4)
    assert (first.repeats.least, first.repeats.most, first.contenders) == (1, 1, ())
    labels = [level.label for level in first.factors[0].all_levels()]
    assert labels == [RULES_NAME, "tuned", "beyond-rules", DEFAULTS_NAME]
    assert (first.budget.hours or 0) * 3600 < BUDGET_S / 2


def test_runs_are_cases_on_the_hosts_that_the_lab_built() -> None:
    released = {
        "mapreduce.task.io.sort.mb": 64,
        "mapreduce.map.java.opts": "",
        "mapreduce.map.output.compress": "false",
        "mapreduce.map.output.compress.codec": "org.apache.hadoop.io.compress.DefaultCodec",
    }
    level = Level.model_validate({"label": DEFAULTS_NAME, "block_size": "64MiB", "job_settings": released})
    record = next(iter(recorded_runs().values()))
    runs = list(cases([level, Level(label="configured")], {DEFAULTS_NAME: record}, {}, in_lab()))
    (run,) = runs
    settings = {setting.key: setting.value for setting in run.work.plan.settings}
    assert (settings["dfs.blocksize"], settings["mapreduce.task.io.sort.mb"]) == (64 << 20, 64)
    assert settings["mapreduce.map.output.compress"] is False
    assert str(settings["mapreduce.map.java.opts"]).startswith("-Xmx"), "left to the rules"
    # The lab gave each host one CPU, which its two workers share.
    (group,) = run.work.plan.cluster.inventory.worker_groups
    assert group.cpu.speed == 0.5
    assert run.known["terasort"] == record.workloads[1].elapsed_s


def test_real_runs_halve_the_error_of_the_simulator() -> None:
    runs = recorded_cases()
    earlier = in_lab().calibration
    assert earlier is not None
    simulate = partial(simulate_typical, even=32)
    before = {run.name: simulate(run.work, earlier.values, 1) for run in runs}
    fitted = calibrate("first", runs, free_numbers(earlier, on_lab=True), simulate)
    after = {run.name: simulate(run.work, fitted.values, 1) for run in runs}
    assert error(after, runs) < error(before, runs) / 2
    # Both compilers did not run, so nothing is learned of them.
    for parameter in COMPILER:
        assert abs(fitted.values[parameter.name] / parameter.default - 1) < 0.01


def test_numbers_start_where_they_were_before() -> None:
    known = in_lab().calibration
    assert known is not None
    value = known.parameters[0].model_copy(update={"value": 0.9, "low": 0.9, "high": 0.9})
    assert value.name == BYTE_CPU
    free = free_numbers(Calibration(name="mine", parameters=(value,)), on_lab=True)
    assert (free[0].start, free[0].low < 0.9 < free[0].high) == (0.9, True)
    assert "disk_speed" in {number.name for number in free_numbers(None, on_lab=False)}


def test_the_race_has_only_as_many_candidates_as_its_budget_has_room_for() -> None:
    several = (finalist(KeptRules.RULES, **{"dfs.blocksize": "512MiB"}), finalist(KeptRules.LIMITS))
    time = LearnedTime(plan=RULES_NAME, workload="terasort", measured_s=30, before_s=20, after_s=29)

    def contenders(target: RaceTarget, spent_s: float, times: tuple[LearnedTime, ...]) -> int:
        learned = Learned(times=times, values=(), spent_s=spent_s, first={})
        tuning = tuning_of(*several, per_job=True).model_copy(update={"learned": learned})
        study = raced(target, "here", tuning=tuning)
        assert study.budget.hours == (BUDGET_S - spent_s) / 3600
        return len(study.contenders)

    # The simulated suite takes 100 s, so four plans run three times in 20 minutes, but not in 15.
    of_lab, of_cluster = RaceTarget.LAB, RaceTarget.CLUSTER
    several_races = [(of_lab, 600.0, (time,)), (of_lab, 900.0, (time,)), (of_lab, 900.0, ())]
    assert list(starmap(contenders, several_races)) == [2, 1, 2]
    # A cluster's present configuration is one of the four.
    assert contenders(of_cluster, 600.0, (time,)) == 1
    assert contenders(of_cluster, 300.0, (time,)) == 2

"""A search that learns from its first round: real runs in, a calibration and another search out."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from howdah.calibrate.records import as_built
from howdah.documents.files import write_study
from howdah.model.calibration import DISKS
from howdah.model.plan import ClusterPlan
from howdah.model.run import Outcome, RunWarning
from howdah.model.study import StudyRun
from howdah.model.tuning import KeptRules, Narrowing, RaceRequest, RaceTarget, Tuning
from howdah.session import learning
from howdah.session import tuning as session
from howdah.session.learning import CALIBRATION, learn, learned_calibration, learns
from howdah.session.study_running import StudyObserver
from howdah.session.tuning import TuningWork, new_request, planned_race
from howdah.store.predictions import TuningFolder
from howdah.study.directory import StudyDirectory
from howdah.tune.candidates import TuneProgress
from howdah.tune.race import first_round
from support.lab_runs import lab_plan, laboratory, recorded_runs
from support.records import spilled
from support.stored import write_run
from support.studies import Nobody

BUDGET_S = 1200.0
SPACE = {"dfs.blocksize": ("64MiB", "128MiB", "256MiB"), "jvm": ("default", "quick-start")}


@contextmanager
def no_runs() -> Iterator[StudyObserver]:
    yield Nobody()


@contextmanager
def silent() -> Iterator[Callable[[TuneProgress], None]]:
    yield lambda progress: None


def searched(directory: Path, target: RaceTarget = RaceTarget.LAB) -> tuple[TuningFolder, Tuning]:
    """A search for a lab or a cluster, which has ended."""
    race = RaceRequest(target=target, name="gone", budget_s=BUDGET_S)
    lab = laboratory() if target is RaceTarget.LAB else None
    request = new_request(
        "lab", lab_plan(), suite="terasuite", rows=8_000_000, calibration=None, space=None, allowed=(),
        keep=KeptRules.RULES, trials=20, replications=3, seed=1, race=race, laboratory=lab,
    ).model_copy(update={"narrowing": Narrowing(parameters=SPACE, others="planned")})  # fmt: skip
    folder = session.start(request, directory, "t")
    return folder, session.search(folder, lambda progress: None).tuning


def run_first_round(folder: TuningFolder, tuning: Tuning, count: int) -> None:
    """Put recorded runs of that lab where the first round has its own."""
    study = first_round(planned_race(TuningWork(folder.request), tuning), BUDGET_S)
    there = StudyDirectory(folder.path / "first-round")
    there.path.mkdir(exist_ok=True)
    shutil.rmtree(there.runs, ignore_errors=True)
    there.begin(study, write_study(study))
    (factor,) = study.factors
    recorded = list(recorded_runs().values())
    for number in range(1, len(factor.all_levels()) + 1):
        record = recorded[2 * (number % 3)].model_copy(update={"id": f"{number:03}-01"})
        if number > count:
            record = record.model_copy(update={"outcome": Outcome.FAILED})
        write_run(there.runs, spilled()._replace(record=record))


def test_runs_calibrate_the_simulator_and_the_search_continues(tmp_path: Path) -> None:
    folder, first = searched(tmp_path)
    with folder:
        assert learns(folder, first)
        run_first_round(folder, first, count=9)
        second = learn(folder, first, no_runs, silent)
        assert second.learned is not None
        assert {time.workload for time in second.learned.times} == {"teragen", "terasort", "teravalidate"}
        assert second.id == "t"
        assert second.trials > first.trials
        assert second.planned_s != first.planned_s, "simulated with other parameters"
        calibration = learned_calibration(folder)
        assert calibration is not None
        assert {value.name for value in second.learned.values} < set(calibration.values)
        # The lab's part of a CPU is in the file, so that others can use it.
        assert calibration.values["core_speed"] == 0.5
        assert not learns(folder, second)
        # Killed before the result was stored: what the calibration and the search have is used again.
        again = learn(folder, first, no_runs, silent)
        assert again.model_copy(update={"elapsed_s": second.elapsed_s}) == second


def test_before_a_cluster_is_measured_its_disks_are_as_fast_as_the_inventory_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(
        requested: object, directory: StudyDirectory, observer: object, *, tunes: bool
    ) -> tuple[StudyRun, ...]:
        return directory.done()

    monkeypatch.setattr(learning, "make_runs", made)
    monkeypatch.setattr(learning, "only_race_on", lambda race: nullcontext())
    folder, first = searched(tmp_path, RaceTarget.CLUSTER)
    with folder:
        run_first_round(folder, first, count=9)
        learned = learn(folder, first, no_runs, silent).learned
    assert learned is not None
    assert {value.name: value.before for value in learned.values}[DISKS.name] == 1.0


def test_too_few_runs_change_nothing(tmp_path: Path) -> None:
    folder, first = searched(tmp_path)
    with folder:
        run_first_round(folder, first, count=1)
        same = learn(folder, first, no_runs, silent)
        assert same.learned is not None
        assert not same.learned.times
        assert same.finalists == first.finalists
        assert not (folder.path / CALIBRATION).exists()


def test_after_the_calibration_the_first_round_has_no_further_runs(tmp_path: Path) -> None:
    folder, first = searched(tmp_path)
    with folder:
        run_first_round(folder, first, count=2)
        second = learn(folder, first, no_runs, silent)
        assert second.learned is not None
        assert len({time.plan for time in second.learned.times}) == 2
        # Killed during the search, and continued with more time: the lab is gone, so no run could start.
        for run in (folder.path / "first-round" / "runs").glob("0*"):
            if run.name not in ("001-01", "002-01"):
                shutil.rmtree(run)
        again = learn(folder, first, no_runs, silent)
        assert again.learned is not None
        assert again.learned.times == second.learned.times
        # Nor does it count runs that an earlier version of howdah made after the calibration.
        run_first_round(folder, first, count=9)
        again = learn(folder, first, no_runs, silent)
        assert again.learned is not None
        assert again.learned.times == second.learned.times


def test_a_search_warns_of_the_hosts_that_the_lab_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[ClusterPlan] = []

    def warnings(plan: ClusterPlan, *work: object) -> tuple[RunWarning, ...]:
        plans.append(plan)
        return ()

    monkeypatch.setattr(session, "calibration_warnings", warnings)
    with searched(tmp_path)[0]:
        assert plans == [as_built(lab_plan(), laboratory())]
        assert plans != [lab_plan()]

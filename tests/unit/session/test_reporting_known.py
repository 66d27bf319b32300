"""What is known of a simulated run's work: figures of the study that ran it, and measured runs beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from howdah.analysis.analyse import analyse
from howdah.calibrate.case import Case
from howdah.calibrate.tables import named_run
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import KnownTimes
from howdah.model.request import Protection
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.model.tables import RunData
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROWS, TERAGEN, TERASORT
from howdah.report.run import run_report
from howdah.session.reporting import known_times
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.published_studies import case_of, plan_of, studies
from howdah.units import MIB
from support import records
from support.predicted import measured_after
from support.sim_plans import slots_plan
from support.sim_runs import small_run
from support.stored import write_run

TIMES = [one for one in load_calibration(PUBLISHED).cells if one.unit == "s"]
PUBLISHED_RUNS = tuple(dict.fromkeys(one.case for one in TIMES))
FOUR = "vsphere6 4 VMs 30 TB r3"


@cache
def _case(name: str) -> Case:
    run = named_run(name)
    assert run is not None
    return case_of(next(one for one in studies() if one.study == run.study), run.setting, {})


def _record(plan: ClusterPlan, suite: Suite) -> RunRecord:
    """A simulated run's record of that work; its times are another's."""
    return small_run().record.model_copy(update={"plan": plan, "suite": suite})


def _planned(name: str) -> ClusterPlan:
    """The plan of a published run, with its masters protected or not as the run's name says."""
    run = named_run(name)
    assert run is not None
    study = next(one for one in studies() if one.study == run.study)
    platform = study.platform(run.setting.platform)
    assert platform is not None
    if run.setting.protected is False:
        platform = platform.model_copy(update={"protection": Protection.NONE})
    return plan_of(study, platform, run.setting)


@pytest.mark.parametrize("name", PUBLISHED_RUNS)
def test_every_published_run_is_known_again(name: str, tmp_path: Path) -> None:
    (found,) = known_times(_record(_planned(name), _case(name).work.suite), tmp_path)
    assert found.origin == "published"
    assert found.source.removesuffix(", best of 3") == name
    assert found.times == {one.quantity: one.known for one in TIMES if one.case == name}
    # Without protection no room is kept for the masters' shadows; the study kept it both times.
    assert bool(found.differs) == name.endswith("no FT")


def _with_rows(suite: Suite, times: int) -> Suite:
    workloads = tuple(one.model_copy(update={"rows": times * (ROWS.of(one) or 0)}) for one in suite.workloads)
    return suite.model_copy(update={"workloads": workloads})


def _with(suite: Suite, kind: str, **update: object) -> Suite:
    workloads = tuple(one.model_copy(update=update) if one.kind is kind else one for one in suite.workloads)
    return suite.model_copy(update={"workloads": workloads})


def _one_disk_less(plan: ClusterPlan) -> ClusterPlan:
    inventory = plan.cluster.inventory
    (group,) = inventory.groups
    first, *rest = group.disks
    fewer = group.model_copy(update={"disks": (first.model_copy(update={"count": first.count - 1}), *rest)})
    cluster = plan.cluster.model_copy(update={"inventory": inventory.model_copy(update={"groups": (fewer,)})})
    return plan.model_copy(update={"cluster": cluster})


OTHERWISE: dict[str, Callable[[ClusterPlan, Suite], RunRecord]] = {
    "twice the data": lambda plan, suite: _record(plan, _with_rows(suite, 2)),
    "one replica sorted": lambda plan, suite: _record(plan, _with(suite, TERASORT, replication=1)),
    "two replicas generated": lambda plan, suite: _record(plan, _with(suite, TERAGEN, replication=2)),
    "other blocks": lambda plan, suite: _record(plan, _with(suite, TERAGEN, block_bytes=64 * MIB)),
    "other disks": lambda plan, suite: _record(_one_disk_less(plan), suite),
    "ten per host": lambda plan, suite: _record(plan.model_copy(update={"platform": "10 per host"}), suite),
    "other hosts": lambda plan, suite: _record(slots_plan(), suite),
}


@pytest.mark.parametrize("otherwise", OTHERWISE)
def test_nothing_is_known_of_other_work_or_other_hosts(otherwise: str, tmp_path: Path) -> None:
    work = _case(FOUR).work
    assert known_times(OTHERWISE[otherwise](work.plan, work.suite), tmp_path) == ()


def test_what_else_differs_is_told(tmp_path: Path) -> None:
    work = _case(FOUR).work
    workers = tuple(one.model_copy(update={"map_slots": 5}) for one in work.plan.workers)
    settings = tuple(
        one.model_copy(update={"value": 99}) if one.key == "mapreduce.task.io.sort.factor" else one
        for one in work.plan.settings
    )
    plan = work.plan.model_copy(update={"workers": workers, "settings": settings})
    (found,) = known_times(_record(plan, work.suite), tmp_path)
    assert found.differs == (
        "630 + 756 tasks at once instead of 756 + 756",
        "other values of mapreduce.task.io.sort.factor",
    )


def test_a_measured_run_stands_beside_nothing(tmp_path: Path) -> None:
    work = _case(FOUR).work
    measured = _record(work.plan, work.suite).model_copy(update={"origin": Origin.MEASURED})
    assert known_times(measured, tmp_path) == ()


def _kept(runs_dir: Path, run_id: str, **update: object) -> None:
    record = measured_after().model_copy(update={"id": run_id, **update})
    write_run(runs_dir, small_run()._replace(record=record))


def test_measured_runs_of_the_same_work_stand_beside_a_simulated_one_newest_first(tmp_path: Path) -> None:
    record = small_run().record
    assert known_times(record, tmp_path) == ()
    for number in range(5):
        _kept(tmp_path, f"good-{number}", created=f"2030-01-0{number + 1}T00:00:00+00:00")
    _kept(tmp_path, "failed", outcome=Outcome.FAILED, error="it did")
    _kept(tmp_path, "simulated", origin=Origin.SIMULATED)
    _kept(tmp_path, "elsewhere", plan=record.plan.model_copy(update={"workers": ()}))
    _kept(tmp_path, "more", suite=_with_rows(record.suite, 2))
    found = known_times(record, tmp_path)
    assert [(one.origin, one.source) for one in found] == [
        ("measured", f"good-{number}") for number in (4, 3, 2)
    ]
    measured = measured_after()
    assert found[0].times["terasort"] == pytest.approx(measured.workloads[1].elapsed_s)
    phases = [found[0].times[f"terasort/{name}"] for name in ("map-shuffle", "reduce-merge")]
    assert sum(phases) == pytest.approx(found[0].times["terasort"])


def _known(run: RunData, *, terasort: float, phase: float) -> KnownTimes:
    """TeraSort as published, and its first phase, as multiples of what was simulated."""
    sort = run.record.workloads[1]
    return KnownTimes(
        origin="published",
        source="a paper",
        times={
            "terasort": terasort * sort.elapsed_s,
            "terasort/map-shuffle": phase * (sort.phases[0].end_s - sort.phases[0].start_s),
            "pi": 1.0,
        },
        differs=("other blocks",),
    )


def test_the_page_has_both_times_and_the_error_of_each() -> None:
    run = small_run()
    known = _known(run, terasort=0.8, phase=1.25)
    said = run_report(run, analyse(run, references=(known,)))
    (one,) = [one for one in said.tables().values() if one.title.startswith("Compared")]
    assert one.title == "Compared with the published run a paper"
    assert one.about.endswith("divided in the same way, but with other blocks.")
    assert one.columns == ("of", "simulated", "published", "error")
    rows = {row[0]: row for row in one.rows}
    assert list(rows) == ["terasort", "terasort map-shuffle"]
    assert rows["terasort"][3] == "+25 %"
    assert rows["terasort map-shuffle"][3] == "\N{MINUS SIGN}20 %"


@pytest.mark.parametrize("run", [small_run(), records.terasuite()], ids=["simulated", "measured"])
def test_where_nothing_is_known_nothing_is_shown(run: RunData) -> None:
    said = run_report(run, analyse(run))
    assert not any(title.startswith("Compared") for title in said.tables())

"""What others used of the machine beneath a run: told, and counted as none of the plan's."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.comparing.compare import compare, group_repeats
from howdah.analysis.comparing.figures import figures_of
from howdah.analysis.machines import workers_of
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.report.document import Figure
from howdah.report.drawing import drawn
from howdah.report.vega import LIGHT, coloured
from support.cluster_records import attempts_in, terasort_on, with_attempts
from support.cluster_scene import Scene
from support.figures import report_figures
from support.findings import found, value
from support.records import terasuite
from support.shared import BENEATH, CPUS, shared_lab, shared_local


def answer(run: RunData) -> str:
    return analyse(run).findings[0].text


def figures(run: RunData) -> dict[str, Figure]:
    return {one.id: one for one in report_figures(run)}


def test_what_others_used_is_what_neither_the_laboratory_nor_the_kernel_did() -> None:
    (use,) = (one for one in analyse(shared_lab(0.5)).evidence.others if one.phase is None)
    assert (use.workload, use.machine, use.cpus) == ("terasort", BENEATH, CPUS)
    assert use.others == pytest.approx(0.5, abs=0.01)
    assert use.own == pytest.approx(0.21, abs=0.01)
    assert use.kernel == pytest.approx(0.05, abs=0.01)
    assert use.idle == pytest.approx(0.24, abs=0.01)
    assert use.runnable == pytest.approx(12)
    assert use.waited == pytest.approx(0.7, abs=0.01)


def test_a_laboratory_on_a_busy_machine_is_warned_of_first_and_in_the_answer() -> None:
    run = shared_lab(0.7)
    warning = next(one for one in analyse(run).findings if one.severity == "warning")
    assert warning.id == "others"
    assert warning.text == (
        "others used 70 % of the CPU time of big while terasort ran; the lab used 21 %, 4.0 % was idle "
        "and 12 tasks at a time ran or waited for its 4 CPUs: times of this run are not the lab's own"
    )
    assert warning.sure == "measured"
    assert value(warning, "others, terasort") == pytest.approx(0.7, abs=0.01)
    assert answer(run).endswith("; others used 70 % of big's CPU time meanwhile")


def test_where_cpus_were_left_idle_it_is_likely_and_no_more() -> None:
    (warning,) = found(shared_lab(0.3), "others")
    assert warning.text.endswith("are not the lab's own, as far as it waited for CPUs")
    assert warning.sure == "likely"


def test_a_quiet_machine_is_not_told_of_and_a_little_is_no_warning() -> None:
    assert found(shared_lab(0.01), "others") == []
    (note,) = found(shared_lab(0.05), "others")
    assert note.severity == "note"
    assert "not the lab's own" not in note.text
    assert "others used" not in answer(shared_lab(0.05))


def test_a_disk_that_others_keep_busy_is_told_and_ones_own_use_is_not() -> None:
    (warning,) = found(shared_lab(0.0, disk=0.6), "others-disk")
    assert "nvme0 of big was 90 % busy, and 60 % of what it moved was others'" in warning.text
    assert found(shared_lab(0.0, disk=0.1), "others-disk") == []


def test_what_a_hypervisor_took_from_the_machine_beneath_is_told() -> None:
    (warning,) = found(shared_lab(0.0, steal=0.2), "steal")
    assert "the hypervisor gave 20 % of big's CPU time to others" in warning.text


def test_the_machine_beneath_is_none_of_the_plans() -> None:
    """Sums, pictures and accounts are as if it had not been sampled."""
    scene = Scene(rows=4_000_000)
    run, without = shared_lab(0.5, scene), terasort_on(scene)
    one, other = analyse(run).evidence, analyse(without).evidence
    assert [each.level for each in one.machines if each.name == BENEATH] == ["beneath"]
    assert workers_of(one.machines) == workers_of(other.machines)
    assert (one.data_disks, one.accounts, one.flows) == (other.data_disks, other.accounts, other.flows)
    assert [use.cpu_busy for use in one.use] == [use.cpu_busy for use in other.use]
    drawings, before = figures(run), figures(without)
    for name in ("cpu", "cpu-machines", "storage-machines", "topology"):
        assert BENEATH not in str(drawings[name].spec), name
        assert drawings[name].table == before[name].table


def slowed(run: RunData) -> RunData:
    """Every task but those of one worker takes a third of the time, and nothing of its own shows why."""
    attempts = [
        one if one.worker == "h1" else one._replace(end_s=one.start_s + (one.end_s - one.start_s) / 3)
        for one in attempts_in(run)
    ]
    return with_attempts(run, attempts)


NATIVE = Scene(hosts=4, per_host=1, maps=16, rows=8_000_000, noise=0.01)


@pytest.mark.parametrize(
    ("others", "cause"), [(0.7, "contended machine"), (0.0, "cannot tell")], ids=["contended", "quiet"]
)
def test_a_slow_worker_without_a_cause_of_its_own_is_held_against_the_machine(
    others: float, cause: str
) -> None:
    run = slowed(shared_lab(others, NATIVE))
    (straggler,) = analyse(run).evidence.stragglers
    assert (straggler.worker, straggler.cause) == ("h1", cause)
    (finding,) = found(run, "straggler")
    assert ("neither telemetry nor tasks show why" in finding.text) == (others == 0.0)
    assert finding.sure == "guess"
    if others:
        assert "CPU time of big that others used 70 % against a quiet machine's 0 %" in finding.text


def test_a_cause_that_is_found_is_less_sure_on_a_busy_machine() -> None:
    scene = Scene(injected="slow disk")
    (quiet, *_), (busy, *_) = (found(shared_lab(others, scene), "straggler") for others in (0.0, 0.7))
    assert "waited for a slow disk" in quiet.text
    assert "waited for a slow disk" in busy.text
    assert "others used 70 % of big's CPU time meanwhile, which makes this less sure" in busy.text
    assert (quiet.sure, busy.sure) == ("likely", "guess")


@pytest.mark.parametrize("others", [0.0, 0.5])
def test_a_long_task_is_told_with_what_others_used_meanwhile(others: float) -> None:
    (pole,) = found(shared_local(others, terasuite(pole=4.0)), "long-pole", "terasort")
    assert ("of host1's CPU time meanwhile" in pole.text) == (others > 0)


def test_a_local_run_is_told_of_by_the_same_means() -> None:
    (warning,) = found(shared_local(0.5), "others")
    assert "of the CPU time of host1 while" in warning.text
    assert "howdah used" in warning.text
    assert "are not its own" in warning.text
    assert found(shared_local(0.0), "others") == []
    assert found(terasuite(), "others") == [], "records of before say nothing"


def test_without_the_laboratorys_own_use_nobody_is_accused() -> None:
    run = shared_lab(0.5)
    lost = run._replace(
        samples=run.samples.filter(
            [not str(name).startswith("own/lab") for name in run.samples["metric"].to_pylist()]
        )
    )
    assert analyse(lost).evidence.others == ()
    assert found(lost, "others") == []


def test_a_comparison_says_which_runs_were_disturbed() -> None:
    quiet, busy = figures_of(shared_lab(0.01)), figures_of(shared_lab(0.7))
    assert busy.remarks == ("other processes used CPU time on big: 70 % in terasort",)
    assert quiet.remarks == ()
    base, other = group_repeats([quiet])[0], group_repeats([busy.model_copy(update={"run": "busy"})])[0]
    (against,) = compare([base, other]).against
    (remark,) = (one for one in against.remarks if "a difference in times may be due to them" in one)
    assert remark.startswith("others used 70 % of the machine's CPU time in terasort of busy, 1.0 %")


def test_who_had_the_cpus_is_drawn_of_laboratories_and_of_disturbed_local_runs() -> None:
    drawing = figures(shared_lab(0.5))["others"]
    assert [key.name for key in drawing.keys] == ["the lab", "kernel", "others"]
    assert "others had up to 50 %" in drawing.caption
    assert drawn(coloured(drawing.spec, LIGHT)).startswith("<svg")
    assert "others" in figures(shared_local(0.5))
    assert "others" not in figures(shared_local(0.0))
    assert "others" not in figures(terasort_on(Scene()))


def test_records_of_before_are_read_without_it() -> None:
    record = shared_lab(0.0).record
    assert record.cluster is not None
    text = record.model_dump_json().replace(f',"machine":"{BENEATH}"', "")
    before = RunRecord.model_validate_json(text)
    assert before.cluster is not None
    assert before.cluster.lab is not None
    assert before.cluster.lab.machine is None

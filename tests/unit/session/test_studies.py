"""A study from its file to its paper, on simulated runs of a moment."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from howdah.analysis.comparing.readings import ELAPSED
from howdah.analysis.wording import percent
from howdah.errors import UserError
from howdah.model.comparison import Measure, Reading
from howdah.model.study import StudyRun
from howdah.model.tables import Progress
from howdah.report.figures.timeline import LABEL_PITCH
from howdah.report.study.cells import CellRuns
from howdah.report.study.masters import loads, saturation_table
from howdah.report.study.results import conclusions, unanswered_figure
from howdah.session.studies import dry_run, local, make_runs, read, run
from howdah.session.study_paper import export_study, find, verify_study, write_study_paper
from howdah.study.directory import KEPT, StudyDirectory
from howdah.study.schedule import Due
from support.studies import EXAMPLES, SIMULATED

pytestmark = pytest.mark.slow

PLANNED = f"""\
howdah: 1
study: hbase
question: What do virtual machines cost HBase?
suite: ycsb
settings: {{engine: plan, inventory: {EXAMPLES / "hosts-hbase.yaml"}, records: 300000000}}
factors:
  - vary: platform
    levels:
      - {{label: native, hypervisor: none}}
      - {{label: 1 VM, hypervisor: vsphere, workers_per_host: 1}}
baseline: {{platform: native}}
published:
  - source: text
    ratios:
      - {{of: ycsb, slow: {{platform: 1 VM}}, fast: {{platform: native}}, ratio: 1.07}}
    platforms:
      - {{at: {{platform: 1 VM}}, cpus: 22, memory: 74GiB}}
"""
_LOADS = ("NameNode, one core", "NameNode per 100 blocks/s")
_ONE_BLOCK_SIZE = (
    "  - {vary: block_size, values: [64MiB, 256MiB]}\n  - {vary: dataset, values: [10GB, 20GB]}\n"
    "baseline: {block_size: 64MiB}\n",
    "  - {vary: dataset, values: [10GB, 20GB]}\n",
)


class Watcher:
    """Remembers what it was told, and stops the study after so many runs."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.begun: list[str] = []
        self.ends: list[str] = []
        self._stop_after = stop_after

    def begins(self, one: Due, done: int, remaining: int, expected_s: float | None) -> None:
        assert remaining > 0
        if len(self.ends) == self._stop_after:
            raise KeyboardInterrupt
        self.begun.append(one.run_id)

    def report(self, text: str) -> None:
        pass

    def progress(self, progress: Progress) -> None:
        pass

    def ended(self, one: Due, run: StudyRun) -> None:
        self.ends.append(one.run_id)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "study.yaml"
    path.write_text(SIMULATED)
    return path


@pytest.fixture(scope="module")
def whole(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that has run."""
    place = tmp_path_factory.mktemp("study") / "blocks"
    run(read(file), place, Watcher())
    return place


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """One that a test may spoil."""
    return Path(shutil.copytree(whole, tmp_path / "blocks"))


def test_its_paper_answers_for_each_size_and_has_every_cell(whole: Path) -> None:
    text = (whole / "paper" / "study.md").read_text()
    assert text.startswith("# Do larger blocks sort faster?\n")
    assert "\n**Dataset 10GB: " in text
    assert "\n**Dataset 20GB: " in text
    rows = [line for line in text.splitlines() if line.startswith(("| 64MiB", "| 256MiB"))]
    assert sum("| 2 simulated |" in row for row in rows) == 4
    (published,) = (row for row in rows if "simulated" not in row)
    assert published.startswith("| 64MiB | 10GB | 12.0 s (")
    assert "| 34.0 s (" in published
    assert published.endswith("%) | Table 1 |")
    assert "No published time can be compared with block size 64MiB, dataset 20GB" in text
    assert "All numbers were simulated" in text
    assert text.split("\n\n")[2].endswith(" · simulated")


def test_every_picture_and_table_is_there(whole: Path) -> None:
    text = (whole / "paper" / "study.md").read_text()
    linked = {line.split("(")[1].split(")")[0] for line in text.splitlines() if line.startswith("![")}
    assert {
        "figures/scaling.svg",
        "figures/masters-0.svg",
        "figures/masters-1.svg",
        "figures/1-ratios.svg",
        "figures/2-over-time-0.svg",
    } <= linked
    for one in linked:
        picture = whole / "paper" / one
        assert picture.exists()
        assert picture.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert (whole / "paper" / "data" / f"{picture.stem}.csv").read_text().count("\n") > 1
    assert (whole / "paper" / "data" / "results.csv").read_text().startswith("block size,dataset,runs,")
    published = (whole / "paper" / "data" / "published.csv").read_text()
    assert '"block size 64MiB, dataset 10GB",terasort map-shuffle,34.0 s,' in published
    assert (whole / "paper" / "study.html").stat().st_size < 3_000_000


def test_names_at_the_ends_of_lines_lie_apart_and_the_axes_are_told(whole: Path) -> None:
    html = (whole / "paper" / "study.html").read_text()
    held = json.loads(html.partition('id="data">')[2].partition("</script>")[0])
    (spec,) = (one["spec"] for one in held["figures"] if one["id"] == "scaling")
    names = spec["layer"][-1]
    ys = sorted(row[names["data"]["values"]["columns"].index("y")] for row in names["data"]["values"]["rows"])
    assert len(ys) == 2
    assert ys[1] - ys[0] >= LABEL_PITCH
    points = next(layer for layer in spec["layer"] if layer.get("name") == "data")
    assert points["encoding"]["x"]["axis"]["values"] == [10, 20]
    assert points["encoding"]["y"]["axis"]["values"]


def test_every_platform_has_its_place_and_its_parameters(whole: Path) -> None:
    text = (whole / "paper" / "study.md").read_text()
    assert "| all | 7 | 24 | 96 GiB | 10 | 13 | 13 | shared with workers on 2 |" in text
    assert "| dfs.blocksize | block size 64MiB | 67108864 (64MiB) | given by the study | its file |" in text
    assert (
        "| dfs.blocksize | block size 256MiB | 268435456 (256MiB) | given by the study | its file |" in text
    )
    assert "| dfs.replication | all | 2 |" in text


def test_a_load_is_told_for_as_many_blocks_a_second(whole: Path) -> None:
    rows = csv.DictReader((whole / "paper" / "data" / "masters.csv").open())
    (load,) = (
        one for one in rows if (one["cell"], one["workload"]) == ("block size 64MiB, dataset 10GB", "teragen")
    )
    study_md = (whole / "paper" / "data" / "results.csv").open()
    (cell,) = (
        one for one in csv.DictReader(study_md) if one["dataset"] == "10GB" and "64" in one["block size"]
    )
    elapsed_s = float(cell["teragen"].partition(" s")[0])
    assert float(load["blocks/s"]) == pytest.approx(10e9 / 2**26 / elapsed_s, rel=0.02)
    busy, normalised = (float(load[name].removesuffix("%")) for name in _LOADS)
    assert normalised == pytest.approx(100 * busy / float(load["blocks/s"]), rel=0.05)


def test_a_master_with_hardly_a_block_to_see_to_is_not_told_by_its_blocks(whole: Path) -> None:
    """What an idle master does anyway would make thousands of per cent of a core for 100 blocks a second."""
    directory = StudyDirectory(whole)
    load = loads(find(directory))[0]
    assert load.normalised(0) is not None
    assert load._replace(blocks_per_s=0.5).normalised(0) is None
    assert load._replace(blocks_per_s=None).normalised(0) is None


def _with_readings(cell: CellRuns, measure: Measure, values: Sequence[float]) -> CellRuns:
    """A cell whose runs measured this as well, a value for each run."""
    return cell._replace(
        runs=tuple(
            run.model_copy(update={"readings": (*run.readings, Reading(measure=measure, value=value))})
            for run, value in zip(cell.runs, values, strict=True)
        )
    )


def test_where_masters_and_journals_are_full_is_told_in_hosts(whole: Path) -> None:
    """A load of 0.1 % of a core a block a second is full at 1,000 of them, whatever makes them."""
    directory = StudyDirectory(whole)
    findings = find(directory)
    rows = saturation_table(findings).rows
    assert {(row[1], row[2]) for row in rows} >= {("teragen", "NameNode")}
    assert not any(row[2] == "JournalNode" for row in rows)
    measure = Measure(workload="teragen", kind="resource", name="NameNode busy", unit="share")

    def loaded(cell: CellRuns) -> CellRuns:
        assert cell.blocks
        times = cell.values(ELAPSED, "teragen", None)
        runs = tuple(
            run.model_copy(
                update={"readings": tuple(each for each in run.readings if each.measure.name != measure.name)}
            )
            for run in cell.runs
        )
        loads = [0.001 * cell.blocks / time for time in times]
        return _with_readings(cell._replace(runs=runs), measure, loads)

    table = saturation_table(findings._replace(cells=tuple(map(loaded, findings.cells))))
    for row in (row for row in table.rows if row[1:3] == ("teragen", "NameNode")):
        assert row[4:6] == (percent(0.1), "1,000 (1,000 to 1,000)")
    assert table.columns[-2:] == ("hosts, 256MiB blocks", "hosts, 64MiB blocks")


def test_times_without_an_answer_are_a_point_for_each_run(whole: Path) -> None:
    directory = StudyDirectory(whole)
    findings = find(directory)
    assert unanswered_figure(findings) is None

    def faulted(cell: CellRuns, seconds: float) -> CellRuns:
        measure = Measure(workload="terasort", kind="resource", name="no answer to write", unit="s")
        return _with_readings(cell, measure, [seconds] * len(cell.runs))

    first, second, *others = findings.cells
    some = findings._replace(cells=(faulted(first, 15.0), faulted(second, 0.0), *others))
    drawn = unanswered_figure(some)
    assert drawn is not None
    assert drawn.marks == len(first.runs) + len(second.runs)
    assert [(row[0], row[1], row[-1]) for row in drawn.table.rows] == [
        (first.cell.name, "write", "15.0 s"),
        (second.cell.name, "write", "less than 1 s"),
    ]
    assert not any("no answer" in conclusion.answer for conclusion in conclusions(findings))
    # What faults are studied for comes first.
    before, after = (tuple(one.answer for one in conclusions(each)) for each in (findings, some))
    assert after[-len(before) :] == before
    assert [re.sub(r" \(.+?\)", "", answer) for answer in after[: -len(before)]] == [
        "simulated: No answer for 15.0 s.",
        "simulated: No answer for less than 1 s.",
    ]
    # An outage of a second is no answer to a question about times.
    short = findings._replace(cells=(faulted(first, 1.5), faulted(second, 0.0), *others))
    assert tuple(one.answer for one in conclusions(short))[: len(before)] == before


def test_what_is_only_planned_says_its_platforms_and_what_was_published(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(PLANNED)
    watcher = Watcher()
    finished = run(read(tmp_path / "study.yaml"), tmp_path / "hbase", watcher)
    assert (watcher.begun, finished.done) == ([], ())
    assert finished.paper.conclusions[1].startswith("1 VM: Make each of 3 hosts a worker of 22 vCPUs, 74 GiB")
    text = finished.paper.page.with_name("study.md").read_text()
    assert "only planned" in text
    assert "| 1 VM over native | ycsb | 1.07 | – | – | text |" in text
    assert "| 1 VM | memory | 74 GiB | 74 GiB | text |" in text
    assert "How fast any of these platforms is: none of it ran" in text
    assert "## Results" not in text


def test_the_study_of_hbase_has_its_one_published_ratio_beside_what_is_simulated(tmp_path: Path) -> None:
    finished = run(read(EXAMPLES.parent / "studies/hbase.yaml"), tmp_path / "hbase", Watcher())
    text = finished.paper.page.with_name("study.md").read_text()
    said = re.findall(
        r"\| 1 VM over native \| ycsb-(read|update)-heavy \| 1\.07 \| ([\d.]+) \| (.+?) \|", text
    )
    assert [name for name, *_ in said] == ["read", "update"]
    # No parameter was fitted to it: virtual machines cost operations what they cost MapReduce's tasks.
    assert all(1.0 < float(found) < 1.14 for _, found, _ in said)
    assert "| native | workers | 3 | 3 | text |" in text
    assert "The masters' load" not in text


def test_the_figure_of_the_only_answer_stands_beside_it(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(SIMULATED.replace("[10GB, 20GB]", "[10GB]"))
    page = run(read(tmp_path / "study.yaml"), tmp_path / "one", Watcher()).paper.page
    text = page.with_name("study.md").read_text()
    assert text.count("figures/1-ratios.svg") == 1
    assert text.index("figures/1-ratios.svg") < text.index("## Platforms")
    html = page.read_text()
    assert html.count('<figure id="1-ratios">') == 1
    assert html.index('<figure id="1-ratios">') < html.index('<section id="platforms"')


def test_how_sorting_grew_is_the_answer_where_nothing_else_varies(file: Path, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(SIMULATED.partition("published:")[0].replace(*_ONE_BLOCK_SIZE))
    finished = run(read(tmp_path / "study.yaml"), tmp_path / "sizes", Watcher())
    (said,) = finished.paper.conclusions
    assert re.match(
        r"simulated: Compared with n log n, terasort grew from 10.0 GB to 20.0 GB 0\.\d\d times as much", said
    )


def test_a_study_that_has_run_makes_no_run_again(file: Path, copy: Path) -> None:
    watcher = Watcher()
    make_runs(read(file), StudyDirectory(copy), watcher)
    assert watcher.begun == []


def test_a_stopped_study_goes_on_with_what_is_left(file: Path, tmp_path: Path) -> None:
    place, first, second = tmp_path / "blocks", Watcher(stop_after=3), Watcher()
    with pytest.raises(KeyboardInterrupt):
        make_runs(read(file), StudyDirectory(place), first)
    assert [len(dry_run(read(file), place).done), len(dry_run(read(file), place).remaining)] == [3, 5]
    before = {path: path.stat().st_mtime_ns for path in place.glob("runs/*/run.json")}
    make_runs(read(file), StudyDirectory(place), second)
    assert len(first.ends) == 3
    assert len(second.ends) == 5
    assert not set(first.ends) & set(second.ends)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_run_that_ended_before_it_was_kept_is_not_lost(file: Path, copy: Path) -> None:
    kept = copy / "runs" / "002-01" / KEPT
    before = json.loads(kept.read_text())
    kept.unlink()
    watcher = Watcher()
    make_runs(read(file), StudyDirectory(copy), watcher)
    assert watcher.begun == []
    assert json.loads(kept.read_text())["figures"] == before["figures"]


def test_a_run_that_was_killed_is_made_again(file: Path, copy: Path) -> None:
    record = copy / "runs" / "002-01" / "run.json"
    text = record.read_text()
    whole_text = text.replace('"outcome": "succeeded"', '"outcome": "running"')
    assert whole_text != text
    record.write_text(whole_text)
    watcher = Watcher()
    make_runs(read(file), StudyDirectory(copy), watcher)
    assert watcher.ends == ["002-01"]


def test_two_cannot_run_in_one_directory(file: Path, copy: Path) -> None:
    with StudyDirectory(copy).locked(), pytest.raises(UserError, match="another study is running here"):
        run(read(file), copy, Watcher())


def test_another_study_is_refused_where_one_lives(copy: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(SIMULATED.replace("20GB", "30GB"))
    with pytest.raises(UserError, match="contains another study, or an earlier version of this study"):
        make_runs(read(other), StudyDirectory(copy), Watcher())


def test_other_things_are_left_alone(file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match=r"contains other files \(thesis.txt\)"):
        make_runs(read(file), StudyDirectory(tmp_path / "mine"), Watcher())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("suite: terasuite", "suite: terasuit", "'terasuit' is not a suite"),
        ("hosts-7.yaml", "hosts-8.yaml", "no such file"),
        ("  replication: 2", "  replication: 2\n  memory: 1GiB", "--memory: --engine sim does not use it"),
        ("  replication: 2", "  replication: 2\n  workers_per_host: 5", "impossible on the hosts"),
        ("  engine: sim\n", "", "is not used by its engine"),
    ],
)
def test_what_cannot_run_is_told_before_anything_runs(old: str, new: str, says: str, tmp_path: Path) -> None:
    file, place = tmp_path / "study.yaml", tmp_path / "blocks"
    file.write_text(SIMULATED.replace(old, new))
    with pytest.raises(UserError) as caught:
        make_runs(read(file), StudyDirectory(place), Watcher())
    assert says in f"{caught.value} {caught.value.hint}"
    assert not (place / "study.yaml").exists()
    assert not (place / "runs").exists()


def test_the_same_records_make_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    write_study_paper(StudyDirectory(whole), tmp_path)
    for made in tmp_path.rglob("*.*"):
        if made.is_file():
            assert made.read_bytes() == (whole / "paper" / made.relative_to(tmp_path)).read_bytes()


def test_a_bundle_is_verified_and_any_change_in_it_is_found(copy: Path, tmp_path: Path) -> None:
    bundle = export_study(copy, tmp_path / "a.tar.gz")
    verified = verify_study(bundle)
    assert verified.runs == 8
    assert verified.made > 20
    again = export_study(copy, tmp_path / "b.tar.gz")
    assert bundle.read_bytes() == again.read_bytes()
    with pytest.raises(UserError, match="already exists"):
        export_study(copy, bundle)
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(bundle.read_bytes()[:-100])
    with pytest.raises(UserError, match="or damaged"):
        verify_study(cut)


@pytest.mark.parametrize(
    ("dataset", "repeats", "message"),
    [
        ("0", None, "--dataset 0: 0 has no unit"),
        ("0GB", None, "--dataset 0GB: 0GB is zero"),
        ("4GB", 0, "--repeats 0: is out of range"),
        ("4GB", 10**6, "--repeats 1000000: is out of range"),
    ],
)
def test_sizes_and_repeats_of_a_local_study_are_checked_before_it_runs(
    dataset: str, repeats: int | None, message: str
) -> None:
    with pytest.raises(UserError) as refused:
        local([], [dataset], repeats)
    assert str(refused.value) == message

"""``howdah jobs`` as users run it: import, ranking, one application, page, browser, and mistakes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from support.command import howdah
from support.recorded_jobs import recorded_job
from support.spark_logs import SPARK_EVENTS

YARN = "application_1628109047826_1317105"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    logs = tmp_path / "logs"
    shutil.copytree(SPARK_EVENTS, logs)
    job = recorded_job("terasort")
    assert job.file is not None
    (logs / f"{job.id}-1-me-TeraSort-2-8-2-SUCCEEDED-default.jhist").write_bytes(job.file)
    return tmp_path


def test_jobs_are_imported_ranked_and_shown(work: Path) -> None:
    imported = howdah("jobs", "import", "logs", cwd=work)
    assert imported.returncode == 0
    # Spark's logs without their README, and a job of MapReduce.
    count = len(list(SPARK_EVENTS.iterdir()))
    assert f"imported  {count} applications into jobs" in imported.stdout
    again = json.loads(howdah("jobs", "import", "logs", "--json", cwd=work).stdout)
    assert again == {"added": 0, "replaced": 0, "known": count, "unreadable": []}
    ranked = howdah("jobs", "--top", "3", cwd=work).stdout
    assert "unused" in ranked
    assert "spark.dynamicAllocation.enabled=true" in ranked
    content = json.loads(
        howdah("jobs", "--json", "--by", "time", "--queue", "spark_default", cwd=work).stdout
    )
    assert (content["count"], content["stored"], content["origin"]) == (1, count, "imported")
    [application] = content["applications"]
    assert application["id"] == YARN
    assert application["origin"] == "imported"
    shown = howdah("jobs", "show", "1317105", cwd=work).stdout
    assert "john, spark_default" in shown
    assert "spark.executor.memory=512m (now 4096m)" in shown


def test_a_page_and_the_browser_show_the_same(work: Path) -> None:
    howdah("jobs", "import", "logs", cwd=work)
    page = howdah("jobs", "--report", cwd=work)
    assert page.returncode == 0
    text = (work / "jobs/report/jobs.html").read_text()
    assert "spark_default" in text
    assert (work / "jobs/report/data/applications.csv").read_text().startswith("id,attempt,kind")
    served = howdah("serve", "--export", "public", cwd=work)
    assert served.returncode == 0, served.stderr
    ranking = (work / "public/jobs/index.html").read_text()
    assert "spark_default" in ranking
    # Names in the ranking lead to the applications' pages; the page on its own has none next to it.
    links = re.findall(r'<th scope="row"[^>]*><a href="([^"]+)"', ranking)
    assert f"{YARN}/index.html" in links
    assert all((work / "public/jobs" / link).is_file() for link in links)
    assert f'href="{YARN}' not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("import", "missing"), "no such file or directory"),
        (("import", "."), "contains no history"),
        (("show", "nothing"), "no such application"),
        (("--by", "colour"), "unknown order 'colour'"),
        (("--since", "yesterday"), "is not a time"),
        (("--jobs-dir", "file"), "is a file"),
    ],
)
def test_mistakes_end_with_one_message(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = howdah("jobs", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_command_is_refused_where_it_makes_no_sense(tmp_path: Path) -> None:
    for words, message in (
        (("run", "terasuite", "--", "ls"), "terasuite takes no command"),
        (("run", "command", "--engine", "local"), "its applications need YARN"),
    ):
        done = howdah(*words, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert message in done.stderr


LAB = "application_1795899041776_0002"


def test_a_job_is_replayed_on_other_clusters_and_compared_with_a_second_run(work: Path) -> None:
    howdah("jobs", "import", "logs", cwd=work)
    howdah("jobs", "import", "logs", "--jobs-dir", "elsewhere", cwd=work)
    usual = howdah("jobs", "--jobs-dir", "elsewhere", "what-if", LAB, cwd=work)
    assert usual.returncode == 0, usual.stderr
    assert "simulated" in usual.stdout
    assert "executors=x2" in usual.stdout
    done = howdah("jobs", "what-if", LAB, "hosts=8", "hosts=8,disks=x2", "--report", "--json", cwd=work)
    content = json.loads(done.stdout)
    assert (content["origin"], content["kind"], content["hosts"]) == ("simulated", "spark", 4)
    assert [time["change"] for time in content["times"]] == ["hosts=8", "hosts=8,disks=x2"]
    assert all(time["low_s"] < time["elapsed_s"] < time["high_s"] for time in content["times"])
    assert content["measured_s"] / content["replayed_s"] == pytest.approx(1 / (1 + content["own_error"]))
    assert "hosts=8,disks" in Path(work, content["page"]).read_text()
    # No second run of it is recorded: another job shows that the comparison reports what differs.
    scored = json.loads(
        howdah("jobs", "what-if", LAB, "--against", "1553914137147_0018", "--json", cwd=work).stdout
    )
    assert scored["score"]["time"]["hosts"] == 3
    time, measured_s = scored["score"]["time"], scored["score"]["measured_s"]
    assert scored["score"]["inside"] is (time["low_s"] <= measured_s <= time["high_s"])
    assert scored["score"]["error"] == pytest.approx(time["elapsed_s"] / measured_s - 1)
    assert any("it did other work" in line for line in scored["assumptions"])


def test_a_mapreduce_job_is_replayed_on_a_plan(work: Path) -> None:
    howdah("jobs", "import", "logs", cwd=work)
    hosts = Path(__file__).parents[2] / "examples/hosts-7.yaml"
    assert howdah("plan", str(hosts), "-o", "plan.yaml", "-q", cwd=work).returncode == 0
    job = recorded_job("terasort").id.removeprefix("job_")
    words = ("jobs", "what-if", job, "--on", "plan.yaml", "--ran-on", "plan.yaml", "disks=12", "--json")
    content = json.loads(howdah(*words, cwd=work).stdout)
    assert [time["change"] for time in content["times"]] == ["on plan.yaml", "disks=12"]
    assert content["times"][0]["hosts"] == 7


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing",), "no such application"),
        (("1795899041776_0005",), "has not succeeded"),
        ((LAB, "colour=2"), "colour=2: unknown name 'colour'"),
        ((LAB, "disks=8"), "--ran-on with the plan"),
        ((LAB, "--on", "missing.yaml"), "missing.yaml"),
        ((LAB, "--on", "storage.yaml"), "has no room for the job's containers"),
        ((LAB, "--against", LAB), "is the job itself"),
        ((LAB, "--against", recorded_job("terasort").id.removeprefix("job_")), "is a job of MapReduce"),
        ((LAB, "--seed", "x"), "is not a seed"),
    ],
)
def test_jobs_that_cannot_be_replayed_end_with_one_message(
    words: tuple[str, ...], message: str, work: Path
) -> None:
    howdah("jobs", "import", "logs", cwd=work)
    hosts = Path(__file__).parents[2] / "examples/hosts-7.yaml"
    howdah("plan", str(hosts), "--workload", "storage", "-o", "storage.yaml", "-q", cwd=work)
    done = howdah("jobs", "what-if", *words, cwd=work)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_history_that_has_moved_is_named(work: Path) -> None:
    howdah("jobs", "import", "logs", cwd=work)
    shutil.rmtree(work / "logs" / f"eventlog_v2_{LAB}")
    done = howdah("jobs", "what-if", LAB, cwd=work)
    assert done.returncode == 2
    assert "its history cannot be read again" in done.stderr

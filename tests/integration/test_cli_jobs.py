"""``howdah jobs`` as users run it: import, ranking, one application, page, browser, and mistakes."""

from __future__ import annotations

import json
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
    assert "without use" in ranked
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
    assert "spark_default" in (work / "public/jobs/index.html").read_text()


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

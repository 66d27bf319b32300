"""``howdah runs attach`` as a user runs it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from howdah.model.run import Sample
from howdah.model.tables import SAMPLES_SCHEMA
from howdah.store.reader import read_run
from support import records
from support.command import howdah, tree
from support.stored import write_run

DATA = Path(__file__).parents[1] / "data"
DAY = DATA / "sysstat/sadf-12.6.1.json"
ESX = DATA / "esxtop/esx01.csv"
DAY_BEGINS = "2026-11-21T16:38:21+00:00"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run on host1, without samples of its own, during which sysstat recorded."""
    data = records.pi()
    record = data.record.model_copy(update={"created": DAY_BEGINS})
    return write_run(tmp_path / "runs", data._replace(record=record, samples=SAMPLES_SCHEMA.empty_table()))


def of_host1(file: Path, folder: Path) -> Path:
    path = folder / "host1.json"
    path.write_text(file.read_text().replace('"nodename": "w1"', '"nodename": "host1.example.com"'))
    return path


def test_attach_and_report_anew(run: Path, tmp_path: Path) -> None:
    file = of_host1(DAY, tmp_path)
    done = howdah("runs", "attach", "last", file, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"runs/{run.name}/report.html\n"
    assert (run / "report.html").exists()
    after = read_run(run)
    rows = [Sample(**row) for row in after.samples.to_pylist()]
    metrics = {row.metric for row in rows}
    assert metrics >= {"cpu/1/idle_s", "disk/vda/busy_s", "memory/dirty_bytes", "pressure/io_some_s"}
    assert f"attached {len(metrics)} metrics of host1" in done.stderr
    assert "not imported, howdah has no metric for: " in done.stderr
    assert [one.text for one in after.record.warnings] == [f"samples were attached from {file}"]
    assert {row.host for row in rows} == {"host1"}
    assert all(0 <= row.time_s <= after.record.elapsed_s for row in rows)


def test_names_are_said_as_they_are(run: Path, tmp_path: Path) -> None:
    file = of_host1(DAY, tmp_path)
    # To the terminal's own language the brackets would be an order for a style.
    file.write_text(file.read_text().replace('"queue"', '"[red]queue"'))
    done = howdah("runs", "attach", "last", file, cwd=tmp_path)
    assert "[red]queue" in done.stderr


def test_twice_adds_nothing(run: Path, tmp_path: Path) -> None:
    file = of_host1(DAY, tmp_path)
    howdah("runs", "attach", "last", file, cwd=tmp_path)
    before = read_run(run)
    done = howdah("runs", "attach", "last", file, cwd=tmp_path)
    assert done.returncode == 0
    assert "attached" not in done.stderr
    assert "already in the run: " in done.stderr
    after = read_run(run)
    assert after.record == before.record
    assert after.samples.equals(before.samples)


def test_esxtop_of_a_host_with_another_name(run: Path, tmp_path: Path) -> None:
    created = datetime.fromisoformat("2026-11-20T16:14:00+00:00") + timedelta(seconds=1)
    content = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**content, "created": created.isoformat()}))
    refused = howdah("runs", "attach", "last", ESX, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"{ESX}: describes esx01.example.com, which is not a machine of the run" in refused.stderr
    assert "name the machine with --host NAME: host1" in refused.stderr
    done = howdah("runs", "attach", "last", ESX, "--host", "host1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "nic/vmnic0/tx_bytes" in read_run(run).samples.column("metric").to_pylist()


def test_an_error_is_two_lines_and_changes_nothing(run: Path, tmp_path: Path) -> None:
    before = tree(tmp_path)
    done = howdah("runs", "attach", "last", tmp_path / "none.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"error: {tmp_path / 'none.json'}: cannot be read: No such file or directory",
        "       give a file that exists",
    ]
    assert tree(tmp_path) == before


def test_it_is_listed_with_its_examples(tmp_path: Path) -> None:
    assert "\n  attach " in howdah("runs", "--help", cwd=tmp_path).stdout
    assert "esxtop -b -a" in howdah("runs", "attach", "--help", cwd=tmp_path).stdout

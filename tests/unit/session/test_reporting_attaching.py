"""Attaching what others measured: whose it is, of when, and what is told of what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import HowdahError, UserError
from howdah.model.cluster import ClusterState
from howdah.services.errors import NotReachable
from howdah.session.reporting import attach
from howdah.store.reader import read_run, write_run_json
from support import records
from support.stored import write_run

DAY = Path(__file__).parents[2] / "data/sysstat/sadf-12.6.1.json"
BEGINS = "2026-11-21T16:38:21+00:00"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run on host1 during which sysstat recorded."""
    data = records.pi()
    record = data.record.model_copy(update={"created": BEGINS})
    return write_run(tmp_path / "runs", data._replace(record=record))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """What sysstat recorded, of host1."""
    path = tmp_path / "host1.json"
    path.write_text(DAY.read_text().replace('"nodename": "w1"', '"nodename": "host1"'))
    return path


def refused(run: Path, *files: Path, host: str | None = None, **options: str) -> HowdahError:
    """The error of an attempt that must change nothing."""
    before = (run / "run.json").read_bytes()
    queries = [options["query"]] if "query" in options else []
    with pytest.raises(HowdahError) as caught:
        attach(
            run.parent,
            run.name,
            files=files,
            prometheus=options.get("prometheus"),
            queries=queries,
            host=host,
        )
    assert (run / "run.json").read_bytes() == before
    return caught.value


def test_metrics_are_counted_by_machine(run: Path, file: Path) -> None:
    done = attach(run.parent, run.name, files=[file], prometheus=None, queries=[], host=None)
    own = set(records.pi().samples.column("metric").to_pylist())
    now = set(read_run(run).samples.column("metric").to_pylist())
    assert done.new == {"host1": len(now - own)}
    assert done.kept.keys() == {"host1"}
    assert any(name.startswith("memory (") for name in done.left_out)


def test_nothing_to_attach(run: Path) -> None:
    error = refused(run)
    assert str(error) == "FILE: is missing"
    assert "--prometheus URL" in error.hint


def test_a_file_of_something_else(run: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("nothing of the kind\n")
    error = refused(run, notes)
    assert str(error) == f"{notes}: is not output of `sadf -j` or `esxtop -b`"


def test_sysstats_own_file(run: Path, tmp_path: Path) -> None:
    own = tmp_path / "sa21"
    own.write_bytes(bytes(range(256)) * 10)
    error = refused(run, own)
    assert str(error) == f"{own}: is not text"
    assert "`sadf -j FILE -- -A`" in error.hint


def test_one_broken_file_among_good_ones(run: Path, file: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    cut.write_text(file.read_text()[:3000])
    assert str(refused(run, file, cut)).startswith(f"{cut}: is truncated or not JSON, in line ")


def test_another_time(run: Path, file: Path) -> None:
    file.write_text(file.read_text().replace("2026-11-21", "2026-11-23"))
    error = refused(run, file)
    assert str(error).startswith(
        f"{file}: covers 2026-11-23 16:38:20 to 16:38:25 UTC, the run lasted from 2026-11-21 16:38:21 to "
    )
    assert "clocks" in error.hint


def test_nothing_that_has_a_metric(run: Path, file: Path) -> None:
    file.write_text('{"sysstat": {"hosts": [{"nodename": "host1", "statistics": []}]}}')
    assert "contains no value that howdah has a metric for" in str(refused(run, file))


def test_another_machine(run: Path) -> None:
    assert "describes w1, which is not a machine of the run" in str(refused(run, DAY))
    assert str(refused(run, DAY, host="w7")) == "--host: 'w7' is not a machine of the run"
    attach(run.parent, run.name, files=[DAY], prometheus=None, queries=[], host="host1")


def test_a_machine_of_a_cluster_that_was_found_running(run: Path) -> None:
    cluster = ClusterState(
        hadoop_version="3.5.0",
        client_version="3.5.0",
        default_fs="hdfs://nn:8020",
        work_dir="/user/me/howdah",
        free_bytes=1,
        capacity_bytes=1,
        datanodes=("w1.example.com",),
        nodemanagers=("w1.example.com", "w2.example.com"),
        queue="default",
    )
    write_run_json(run, read_run(run).record.model_copy(update={"cluster": cluster}))
    done = attach(run.parent, run.name, files=[DAY], prometheus=None, queries=[], host=None)
    assert done.new.keys() == {"w1.example.com"}
    assert done.kept == {}


def test_a_query_without_a_server(run: Path, file: Path) -> None:
    error = refused(run, file, query="namenode/blocks=up")
    assert isinstance(error, UserError)
    assert str(error) == "--query: has no effect without a server"


def test_a_server_that_is_not_there(run: Path) -> None:
    assert isinstance(refused(run, prometheus="http://127.0.0.1:9"), NotReachable)

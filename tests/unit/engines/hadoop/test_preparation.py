"""What a run on a cluster is refused for before the cluster is asked anything, or because it is silent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from howdah.engines.hadoop.preparation import kept, prepare_cluster
from howdah.engines.hadoop.reached import Reached, open_telemetry
from howdah.engines.hadoop.target import HadoopTarget
from howdah.errors import UserError
from howdah.installation.installation import Installation
from howdah.model.plan import WorkerPlan
from howdah.model.tables import Job
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.session.runs import prepare
from support import records
from support.daemons import LIB
from support.hadoop_cluster import needs_hadoop
from support.ports import free_ports
from support.recorded import Recorded, in_json
from support.requests import run_request


@pytest.fixture
def silent(tmp_path: Path) -> Path:
    """The configuration of a cluster of which no daemon runs."""
    (port,) = free_ports(1)
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "core-site.xml").write_text(
        "<configuration><property><name>fs.defaultFS</name><value>hdfs://127.0.0.1:8020</value></property>"
        f"<property><name>dfs.namenode.http-address</name><value>127.0.0.1:{port}</value></property>"
        "</configuration>"
    )
    return conf


def refused(
    conf: Path, runs_dir: Path, settings: Mapping[str, str] | None = None, **asked: object
) -> UserError:
    request = run_request(**{"suite": "pi", "conf": conf, "set": tuple((settings or {}).items()), **asked})
    with pytest.raises(UserError) as caught:
        prepare_cluster(request, runs_dir=runs_dir, command=(), seed=None, keep_data=False)
    assert not runs_dir.exists()
    return caught.value


@needs_hadoop
def test_a_cluster_that_does_not_answer_is_the_users_to_mend(
    silent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    monkeypatch.setenv("HOWDAH_CACHE", str(LIB.parents[2]))
    error = refused(silent, tmp_path / "runs")
    assert error.where.startswith("NameNode http://127.0.0.1:")
    assert "dfs.namenode.http-address" in error.hint


def test_what_no_cluster_runs_is_refused_before_any_is_asked(silent: Path, tmp_path: Path) -> None:
    assert refused(silent, tmp_path / "runs", suite="pie").where == "SUITE"
    assert refused(silent, tmp_path / "runs", rows=10).where == "--rows"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("fs.s3a.secret.key", "wJalr"),
        ("ssl.server.keystore.password", "changeit"),
        ("mapreduce.map.java.opts", "-Xmx1g -Djavax.net.ssl.trustStorePassword=changeit"),
    ],
)
def test_a_secret_is_refused_where_others_would_see_it(
    silent: Path, tmp_path: Path, key: str, value: str
) -> None:
    request = run_request("pi", conf=silent, set=((key, value),))
    with pytest.raises(UserError, match="is a secret") as caught:
        prepare_cluster(request, runs_dir=tmp_path / "runs", command=(), seed=None, keep_data=False)
    assert caught.value.where == f"--set {key}"
    assert value not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("mapreduce.job.queuename", "--queue"),
        ("mapreduce.job.reduces", "--reduces"),
        ("mapred.reduce.tasks", "--reduces"),
        ("dfs.block.size", "--block-size"),
        ("mapreduce.job.tags", "leave it out"),
    ],
)
def test_a_property_that_would_make_the_record_lie_is_refused(
    silent: Path, tmp_path: Path, key: str, hint: str
) -> None:
    error = refused(silent, tmp_path / "runs", {"mapreduce.task.io.sort.mb": "99", key: "1"})
    assert error.where == f"--set {key}"
    assert hint in error.hint


def test_maps_are_not_to_be_chosen_where_hadoop_has_one_for_each_block(silent: Path, tmp_path: Path) -> None:
    assert refused(silent, tmp_path / "runs", suite="terasort", maps=4).where == "--maps"


def test_a_value_that_hadoop_cannot_read_is_refused(silent: Path, tmp_path: Path) -> None:
    error = refused(silent, tmp_path / "runs", {"mapreduce.map.memory.mb": "lots"})
    assert str(error) == "--set mapreduce.map.memory.mb: 'lots' is not a whole number"


@pytest.mark.parametrize(
    ("field", "value", "flag"),
    [("lab", "lab", "--lab"), ("deadline_s", 30.0, "--deadline"), ("queue", "low", "--queue")],
)
def test_what_belongs_to_a_cluster_is_refused_without_one(
    tmp_path: Path, field: str, value: object, flag: str
) -> None:
    with pytest.raises(UserError, match="--engine local does not use it") as caught:
        prepare(
            "local",
            run_request("pi", **{field: value}),
            runs_dir=tmp_path / "runs",
            command=(),
            seed=None,
            keep_data=False,
        )
    assert caught.value.where == flag


def test_a_history_server_without_an_address_is_found_before_a_job_has_run(
    silent: Path, tmp_path: Path
) -> None:
    (silent / "mapred-site.xml").write_text(
        "<configuration><property><name>mapreduce.jobhistory.webapp.address</name><value>history</value>"
        "</property></configuration>"
    )
    error = refused(silent, tmp_path / "runs")
    assert error.where == "mapreduce.jobhistory.webapp.address"


def test_a_cluster_that_is_gone_after_a_run_takes_nothing_from_it(silent: Path, tmp_path: Path) -> None:
    record = records.pi().record
    job = Job(
        run_id=record.id,
        command=record.command,
        host=record.host,
        plan=record.plan,
        suite=record.suite,
        seed=record.seed,
        keep_data=True,
        sample_interval_s=1.0,
        results_dir=tmp_path,
    )
    installation = Installation(tmp_path, "3.5.0", (), None, tmp_path, tmp_path, fetched=True)
    with Web(user="me") as web:
        conf = ClientConf.read(silent)
        target = HadoopTarget(installation, silent, conf, web, work_dir="/user/me/howdah", queue="default")
        assert kept(target, job) == {}


def test_a_plan_that_cannot_be_read_is_refused_before_the_cluster_is_asked(
    silent: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("cluster: [")
    request = run_request("pi", conf=silent, plan=plan)
    with pytest.raises(UserError, match=r"plan\.yaml"):
        prepare_cluster(request, runs_dir=tmp_path / "runs", command=(), seed=None, keep_data=False)


def test_what_was_opened_to_reach_a_cluster_is_closed(silent: Path) -> None:
    conf = ClientConf.read(silent)
    with Recorded({"GET /jmx": in_json({})}) as server:
        installation = Installation(silent, "3.5.0", (), None, silent, silent, fetched=True)
        reached = Reached(
            HadoopTarget(installation, silent, conf, Web(kerberos=conf.secure)),
            plan=WorkerPlan(platform="unknown", workers=(), settings=()),
            line="",
            telemetry=open_telemetry(conf),
        )
        webs = (reached.target.web, reached.telemetry)
        for web in webs:
            web.get_json(f"{server.url}/jmx")
        reached.close()
        for web in webs:
            with pytest.raises(RuntimeError, match="closed"):
                web.get_json(f"{server.url}/jmx")


def test_an_option_of_clusters_alone_chooses_the_engine(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such lab is up") as caught:
        prepare(
            None,
            run_request("terasuite", lab="nowhere"),
            runs_dir=tmp_path / "runs",
            command=(),
            seed=None,
            keep_data=False,
        )
    assert caught.value.where == "--lab nowhere"

"""What howdah adds to a user's command: a tag and event logging, and nothing in the user's own files."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from howdah.engines.hadoop.overlay import additions, environment, spark_defaults
from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.hadoop.user_command import added_to
from howdah.errors import UserError
from howdah.installation.installation import java_home
from howdah.model.engines import all_options
from howdah.model.workloads.hadoop_programs import COMMAND_LINE
from support.daemons import change_properties
from support.recorded_jobs import target as recorded_target

LOGS = "/user/me/howdah/run/spark-logs"


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HadoopTarget:
    for name in ("SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    found = recorded_target("http://127.0.0.1:1", tmp_path / "conf")
    change_properties(tmp_path / "conf/mapred-site.xml", {"mapreduce.framework.name": "yarn"})
    return found


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _options(words: tuple[str, ...]) -> dict[str, str]:
    pairs = [b for a, b in pairwise(words) if a == "--conf"]
    return dict(pair.split("=", 1) for pair in pairs)


def test_a_spark_submit_gets_options_before_its_own(target: HadoopTarget) -> None:
    words = ("/opt/spark/bin/spark-submit", "--master", "yarn", "app.py", "--conf", "mine=1")
    added = additions(target, words, "howdah-run", LOGS)
    assert added.words[0] == words[0]
    assert added.words[-5:] == words[1:]
    assert _options(added.words) == {
        "spark.yarn.tags": "howdah-run",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"hdfs://127.0.0.1:8020{LOGS}",
        "mine": "1",
    }
    assert "spark.yarn.tags=howdah-run" in added.lines()


def test_the_users_tags_and_event_logs_stay(target: HadoopTarget) -> None:
    words = (
        "spark-submit", "--conf", "spark.yarn.tags=nightly", "--conf=spark.eventLog.enabled=true",
        "-c", "spark.eventLog.dir=hdfs:///logs", "app.jar",
    )  # fmt: skip
    added = additions(target, words, "howdah-run", LOGS)
    assert _options(added.words)["spark.yarn.tags"] == "nightly,howdah-run"
    assert sum("spark.yarn.tags" in word for word in added.words) == 1
    assert "spark.eventLog.dir" not in added.spark
    assert added.logs is None


def test_other_commands_keep_their_words(target: HadoopTarget) -> None:
    for words in (("hadoop", "jar", "a.jar"), ("hive", "-f", "q.sql"), ("./nightly.sh",)):
        assert additions(target, words, "t", LOGS).words == words


def test_copies_of_the_configuration_have_the_tag_and_the_users_files_stay(
    target: HadoopTarget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_properties(target.conf_dir / "mapred-site.xml", {"mapreduce.job.tags": "team"})
    spark = tmp_path / "spark" / "conf"
    spark.mkdir(parents=True)
    (spark / "spark-defaults.conf").write_text(
        "# ours\nspark.executor.memory  4g\nspark.yarn.queue=etl\nspark.eventLog.enabled: false\n"
    )
    monkeypatch.setenv("SPARK_HOME", str(spark.parent))
    before = _contents(tmp_path)
    added = additions(target, ("./script.sh",), "howdah-run", LOGS)
    folder = tmp_path.parent / f"{tmp_path.name}-overlay"
    folder.mkdir()
    variables = environment(target, added, folder)
    assert _contents(tmp_path) == before
    conf = Path(variables["HADOOP_CONF_DIR"])
    assert conf == folder / "hadoop-conf"
    assert {path.name for path in target.conf_dir.iterdir()} <= {path.name for path in conf.iterdir()}
    root = ElementTree.parse(conf / "mapred-site.xml").getroot()
    values = {entry.findtext("name"): entry.findtext("value") for entry in root.iter("property")}
    assert values["mapreduce.framework.name"] == "yarn"
    assert spark_defaults(Path(variables["SPARK_CONF_DIR"])) == {
        "spark.executor.memory": "4g",
        "spark.yarn.queue": "etl",
        "spark.yarn.tags": "howdah-run",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"hdfs://127.0.0.1:8020{LOGS}",
    }


def test_hadoops_missing_scripts_are_replaced_and_say_what_they_lack(
    target: HadoopTarget, tmp_path: Path
) -> None:
    folder = tmp_path / "overlay"
    folder.mkdir()
    variables = environment(target, additions(target, ("x",), "t", LOGS), folder)
    done = subprocess.run(["hadoop", "distcp"], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "only jar, fs" in done.stderr


@pytest.fixture
def spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The jars of a Spark without its scripts, as they are fetched."""
    jars = tmp_path / "spark/jars"
    jars.mkdir(parents=True)
    for name in ("spark-core_2.13-4.3.0", "scala-library-2.13.18", "spark-yarn_2.13-4.3.0"):
        (jars / f"{name}.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(jars.parent))
    return jars


def test_a_missing_spark_submit_is_replaced(target: HadoopTarget, tmp_path: Path, spark: Path) -> None:
    folder = tmp_path / "overlay"
    folder.mkdir()
    added = additions(target, ("./nightly.sh",), "howdah-run", LOGS)
    assert added.spark["spark.yarn.tags"] == "howdah-run"
    variables = environment(target, added, folder)
    script = folder / "bin/spark-submit"
    script.write_text(script.read_text().replace(str(java_home() / "bin/java"), "/bin/echo"))
    words = ["spark-submit", "--conf", "spark.driver.memory=3g", "--class", "Main", "my app.jar"]
    done = subprocess.run(words, env=variables, capture_output=True, text=True, check=True)
    assert " -Xmx3g " in done.stdout
    assert f"-Dspark.yarn.jars=file:{spark}/* " in done.stdout
    class_path = f"{variables['SPARK_CONF_DIR']}:{variables['HADOOP_CONF_DIR']}:{spark}/*"
    assert f" -cp {class_path} " in done.stdout
    assert done.stdout.rstrip().endswith("SparkSubmit " + " ".join(words[1:]))


def test_spark_submit_of_a_distribution_is_called(target: HadoopTarget, tmp_path: Path, spark: Path) -> None:
    own = spark.parent / "bin/spark-submit"
    own.parent.mkdir()
    own.write_text('#!/bin/sh\necho own "$@"\n')
    own.chmod(0o755)
    folder = tmp_path / "overlay"
    folder.mkdir()
    variables = environment(target, additions(target, ("spark-submit",), "t", LOGS), folder)
    done = subprocess.run(["spark-submit", "a b"], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout == "own a b\n"


def test_a_secret_in_a_command_is_refused(target: HadoopTarget) -> None:
    with pytest.raises(UserError, match="contains a secret"):
        added_to(target, ("spark-submit", "--conf", "spark.hadoop.fs.s3a.secret.key=abc"), "run")


def test_a_command_line_is_split_as_a_shell_does() -> None:
    option = all_options()[COMMAND_LINE.name]
    assert option.parse("hadoop jar 'my app.jar' -x", "--command-line") == (
        "hadoop",
        "jar",
        "my app.jar",
        "-x",
    )
    for text, what in (("'", "unbalanced"), ("", "is empty")):
        with pytest.raises(UserError, match=what):
            option.parse(text, "--command-line")


def test_properties_that_are_set_go_to_the_copies_and_replace_the_commands_own(target: HadoopTarget) -> None:
    given = {"mapreduce.job.reduces": "4", "spark.sql.shuffle.partitions": "8"}
    varied = replace(target, job_settings=given)
    words = ("spark-submit", "--conf", "spark.sql.shuffle.partitions=200", "--conf=mine=1", "app.jar")
    added = additions(varied, words, "t", LOGS)
    assert added.properties["mapreduce.job.reduces"] == "4"
    assert sum("spark.sql.shuffle.partitions" in word for word in added.words) == 1
    assert _options(added.words)["spark.sql.shuffle.partitions"] == "8"
    assert added.words[-2:] == ("--conf=mine=1", "app.jar")

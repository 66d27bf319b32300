"""Why jobs failed, in one sentence: real failures of real clusters, and whatever else Java may print."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.engines.base import RunClock
from howdah.engines.hadoop.failure import client_error, innermost, short_cause
from howdah.engines.hadoop.reporters import report_job
from howdah.hadoop.config_files import without_secrets
from howdah.model.plan import WorkerPlan
from howdah.model.workloads.hadoop_programs import Pi
from howdah.model.workloads.terasort import TeraSort
from howdah.services.history import MOST_LOG_BYTES, TaskLogs, contents
from support.recorded import Answer, Recorded
from support.recorded_jobs import DATA, recorded_job, serving, target

PLAN = WorkerPlan(platform="unknown", workers=(), settings=())

SENTENCES = {
    "codec": "map 0 failed 2 times, last on w1-1 (attempt_1795279700344_0002_m_000000_1): "
    "ClassNotFoundException: Class no.such.Codec not found (at Configuration.java:2628)",
    "heap": "map 0 failed 2 times, last on w1-1 (attempt_1795279700344_0003_m_000000_1): "
    "OutOfMemoryError: Java heap space (at MapTask.java:1012); "
    "give it more heap with mapreduce.map.java.opts, or lower mapreduce.task.io.sort.mb",
    "quota": "map 0 failed on w1-2 (attempt_1795279700344_0006_m_000000_0): DSQuotaExceededException: "
    "The DiskSpace quota of /q is exceeded: quota = 20971520 B = 20 MB but diskspace consumed = "
    "33554432 B = 32 MB (at DirectoryWithQuotaFeature.java:185)",
    "limit": "map 0 failed on w1-1 (attempt_1795280641770_0001_m_000000_0): "
    "its container used 125.1 MB of 64 MB of physical memory and was killed; "
    "mapreduce.map.memory.mb is too small, or its heap too large",
    "shot": "map 0 failed on w1-2 (attempt_1795279996021_0005_m_000000_0): "
    "its process was ended by SIGKILL (exit code 137); "
    "a user ended it, or the kernel did because memory ran out (see dmesg)",
    "jvm": "map 0 failed on w1-1 (attempt_1795279996021_0004_m_000000_0): "
    "Error occurred during initialization of VM; "
    "Could not reserve enough space for 104856551424KB object heap (it ended with exit code 1)",
    "am2": "its application master failed on w2-1: Error occurred during initialization of VM; "
    "Could not reserve enough space for 104856551424KB object heap (it ended with exit code 1)",
    "killed": "Application application_1795279700344_0007 was killed by user root",
}


def _why(name: str, folder: Path, *, history: bool = True) -> str | None:
    job = recorded_job(name)
    with serving(job, folder, server=history, file=False) as cluster:
        error = report_job(cluster, job.id, RunClock(), workload=Pi(), plan=PLAN, printed=job.client)
    return error.job.diagnostics


@pytest.mark.parametrize(("name", "sentence"), SENTENCES.items(), ids=SENTENCES)
def test_a_failed_job_is_told_with_its_cause(name: str, sentence: str, tmp_path: Path) -> None:
    assert _why(name, tmp_path / "conf") == sentence


def test_a_job_that_lost_a_node_and_succeeded_has_no_cause(tmp_path: Path) -> None:
    assert _why("lost", tmp_path / "conf") is None


def test_where_only_the_client_tells_it_names_the_attempt_and_the_cause(tmp_path: Path) -> None:
    assert _why("codec", tmp_path / "conf", history=False) == (
        "map 0 failed (attempt_1795279700344_0002_m_000000_0): "
        "ClassNotFoundException: Class no.such.Codec not found (at Configuration.java:2628)"
    )


def test_where_logs_cannot_be_had_what_hadoop_said_counts(tmp_path: Path) -> None:
    job = recorded_job("heap")
    with serving(job._replace(logs={}), tmp_path / "conf", file=False) as cluster:
        error = report_job(cluster, job.id, RunClock(), workload=TeraSort(), plan=PLAN)
    assert error.job.diagnostics is not None
    assert error.job.diagnostics.endswith("Java heap space")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "missing",
            "IOException: Input path does not exist: hdfs://master:9820/nowhere "
            "(at FileInputFormat.java:316)",
        ),
        (
            "exists",
            "FileAlreadyExistsException: Output directory hdfs://master:9820/in already exists "
            "(at TeraOutputFormat.java:130)",
        ),
        (
            "full",
            "IOException: File /tmp/hadoop-yarn/staging/root/.staging/job_1795280363794_0004/job.jar could "
            "only be written to 0 of the 1 minReplication nodes. There are 3 datanode(s) running and 3 "
            "node(s) are excluded in this operation. (at BlockManager.java:2487); "
            "are enough DataNodes alive, and do they have room?",
        ),
    ],
)
def test_a_client_that_submitted_nothing_says_why(name: str, sentence: str) -> None:
    assert client_error((DATA / f"client-{name}.log").read_text().splitlines()) == sentence


@pytest.mark.parametrize(
    "line",
    [
        'Exception in thread "main" java.lang.NoSuchMethodError: '
        "'scala.collection.mutable.ArrayOps scala.Predef$.refArrayOps(java.lang.Object[])'",
        'Exception in thread "main" java.lang.NoClassDefFoundError: scala/Serializable',
        "Caused by: java.lang.ClassNotFoundException: scala.Product$class",
        "2026-11-29T00:06:41,224 ERROR o.a.spark.deploy.SparkSubmit: Failed to load Old: scala/Serializable",
    ],
)
def test_a_program_for_another_scala_is_named_as_such(line: str) -> None:
    frame = "\tat com.example.Main.main(Main.java:1)"
    later = "org.apache.spark.SparkUserAppException: User application exited with 101"
    for lines in ([line, frame], [line, later]):
        assert "compiled for another version of Scala" in client_error(lines)


def test_other_missing_classes_are_not_scalas() -> None:
    line = 'Exception in thread "main" java.lang.NoClassDefFoundError: com/example/scalable/Thing'
    assert "Scala" not in client_error([line])


def test_a_client_may_say_nothing_or_nothing_of_java() -> None:
    assert client_error([]) == "the client ended without a message"
    assert client_error(["Usage: teragen <rows> <dir>", ""]) == "Usage: teragen <rows> <dir>"
    waiting = (
        "2026-11-21 18:05:33,439 INFO org.apache.hadoop.ipc.Client: Retrying connect to server: rm:8032."
    )
    assert client_error([waiting]) == "Retrying connect to server: rm:8032."


NESTED = """\
Error: java.lang.RuntimeException: outer
\tat java.base/java.lang.Thread.run(Thread.java:840)
\tat org.example.Outer.run(Outer.java:1)
\tSuppressed: java.io.IOException: while closing
\t\tat org.example.Closing.close(Closing.java:9)
Caused by: org.apache.hadoop.ipc.RemoteException(java.io.IOException): the server's words
\tat java.base/java.util.HashMap.get(HashMap.java:3)
\tat org.example.Inner.ask(Inner.java:7)
\t... 9 more
"""


def test_the_innermost_exception_counts_with_its_first_frame_outside_the_jdk() -> None:
    assert innermost(NESTED) == "IOException: the server's words (at Inner.java:7)"


def test_what_was_suppressed_is_not_the_cause() -> None:
    assert innermost(NESTED.partition("Caused by")[0]) == "RuntimeException: outer (at Outer.java:1)"


def test_of_several_traces_in_a_log_the_last_counts() -> None:
    assert innermost(f"{NESTED}2026 WARN java.io.IOException: later\n") == "IOException: later"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            "Container exited with a non-zero exit code 143. ",
            "its process was ended by SIGTERM (exit code 143)",
        ),
        ("Container killed on request. Exit code is 137", "its process was ended by SIGKILL (exit code 137)"),
        ("exitCode: 1 ", "it ended with exit code 1"),
        (
            "Container [pid=1] is running 5B beyond the 'VIRTUAL' memory limit. Current usage: 1 GB of 2 GB "
            "physical memory used; 5 GB of 4.2 GB virtual memory used. Killing container. -Dpassword=x",
            "its container used 5 GB of 4.2 GB of virtual memory and was killed",
        ),
        ("AttemptID:attempt_1_0001_m_000000_0 Timed out after 600 secs", None),
        (
            "TaskAttempt killed because it ran on unusable node w1-1:8041\n"
            "cleanup failed for container container_1_0001_01_000002 : java.net.ConnectException: Call From "
            "w2-1/10.0.0.2 to w1-1:8041 failed\n\tat java.base/jdk.Direct.new(Direct.java:62)",
            "TaskAttempt killed because it ran on unusable node w1-1:8041",
        ),
        (
            "java.net.ConnectException: Call From w1-1/10.0.0.3 to m1:8020 failed on connection exception: "
            "java.net.ConnectException: Connection refused; For more details see: http://wiki\n"
            "\tat org.apache.hadoop.ipc.Client.call(Client.java:1)\n"
            "Caused by: java.net.ConnectException: Connection refused\n"
            "\tat org.apache.hadoop.net.NetUtils.connect(NetUtils.java:205)",
            "ConnectException: Connection refused (at NetUtils.java:205), calling m1:8020",
        ),
        ("\n\n", None),
    ],
)
def test_causes_that_are_no_exceptions(text: str, cause: str | None) -> None:
    assert short_cause(text) == (cause or text.strip() or None)


@pytest.mark.parametrize(
    "text",
    [
        "cannot read with -Djavax.net.ssl.keyStorePassword=hunter2",
        "fs.s3a.secret.key = hunter2, fs.defaultFS=hdfs://master",
        "sasl.token: hunter2",
        "dfs.private-key=hunter2",
    ],
)
def test_what_looks_like_a_secret_is_left_out(text: str) -> None:
    assert "hunter2" not in without_secrets(text)
    assert "hunter2" not in (short_cause(f"Error: java.io.IOException: {text}") or "")
    assert without_secrets("fs.defaultFS=hdfs://master") == "fs.defaultFS=hdfs://master"


_LINES = st.sampled_from(
    [*NESTED.splitlines(), "", "Error: ", "\tat (", "Caused by: ", "exit code 99999", "é: \x00"]
)


@settings(max_examples=200)
@given(st.lists(_LINES | st.text(max_size=60), max_size=12).map("\n".join))
def test_whatever_is_said_comes_to_one_short_line_or_none(text: str) -> None:
    cause = short_cause(text)
    if cause is None:
        assert not text.strip()
    else:
        assert cause == cause.splitlines()[0]
        assert 0 < len(cause) <= 400


LOCAL = """\
Container: container_1_0001_01_000002 on w1-1:8041
LogAggregationType: LOCAL
==============================================================
LogType:stdout
LogLength:6
LogContents:
first
End of LogType:stdout.
***********************************************************************

"""
AGGREGATED = LOCAL.replace("LOCAL", "AGGREGATED").replace(
    "\nEnd of LogType:stdout.", "\n\nEnd of LogType:stdout"
)


@pytest.mark.parametrize("answer", [LOCAL, AGGREGATED], ids=["NodeManager", "history server"])
def test_a_log_comes_without_what_servers_put_around_it(answer: str) -> None:
    assert contents(answer) == "first"


@pytest.mark.parametrize(
    "answer", ["", "Can not find logs for container:container_1_0001_01_000002", "<html>"]
)
def test_an_answer_without_a_log_holds_none(answer: str) -> None:
    assert contents(answer) == ""


def test_only_the_end_of_a_log_is_asked_for_and_the_history_server_has_those_gathered(tmp_path: Path) -> None:
    container = ("container_1_0001_01_000002", "gone:1")
    gathered = f"GET /ws/v1/history/containerlogs/{container[0]}/stdout"
    with Recorded({gathered: Answer(AGGREGATED.encode(), kind="text/plain")}) as server:
        cluster = target(server.url, tmp_path / "conf")
        logs = TaskLogs(cluster.web, cluster.conf)
        assert logs.tail(*container, "stdout") == "first"
        assert logs.tail(*container, "stderr") == ""
    assert {one.query["size"] for one in server.asked} == {str(-MOST_LOG_BYTES)}

"""Every test meets the Hadoop that `make test` fetched, and no cluster of whoever runs it."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from exams.outcomes import write_unstable
from exams.parts import PARTS
from support.daemons import FETCH, LIB
from support.hadoop_cluster import SHARED, HadoopCluster, hadoop_cluster
from support.java import use_brief_java
from support.needs import needs_text

os.environ["HOWDAH_CACHE"] = str(Path(__file__).parents[1] / "build")
for variable in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_USER_NAME", "SPARK_HOME"):
    os.environ.pop(variable, None)

# How long an example takes depends on what else the machine does, and tests do not judge speed. Every change
# is judged by the same examples; the exam of laws looks for new ones, and its seed repeats what it finds.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None, print_blob=True)

use_brief_java(Path(os.environ["HOWDAH_CACHE"]) / "java-of-tests")

# What a shell starts in the background ignores the one, and what nohup starts the other; what tests start and
# send these to would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

EXAMS = Path(__file__).parents[1] / "docs/exams.md"
EXAM_PARTS = {part.name for part in PARTS}
LONGEST = (
    # Files whose tests build laboratories: two at once would be short of CPUs, and wait for each other.
    "laboratory",
    # Files whose tests ask the one cluster that they share.
    "cluster",
    # Hosts of this machine with a systemd of their own, which come one test after another.
    "hosts",
    # Pages of servers, and pages of files, each in one browser for all their tests.
    "served pages",
    "pages",
    "tests/integration/test_run_network.py",
    # Two clusters with HBase.
    "hbase",
)
"""The groups that take longest, in the order they begin, so that the workers end at about the same time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """A part of the exam in place of the tests of ``make test``."""
    parser.addoption("--exam", metavar="PART", help="run the tests of this part of the exam, and no others")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every worker read a folder from a different file on.

    To import a test for the first time, pytest rewrites its assertions, which takes most of what collecting
    takes, and caches them. So each worker of a new clone rewrites different files and reads the others'.
    """
    report = yield
    if isinstance(collector, pytest.Dir) and report.result:
        worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        first = len(report.result) * worker // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        report.result = report.result[first:] + report.result[:first]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the exam's tests out, keep a file's tests on one worker, and begin with what takes longest."""
    part = config.getoption("exam")
    kept = [item for item in items if _part(item) == part]
    config.hook.pytest_deselected(items=[item for item in items if _part(item) != part])
    items[:] = kept
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    items.sort(key=lambda item: (_turn(item), item.path))


def _part(item: pytest.Item) -> str | None:
    """The part of the exam that a test is of; none if it is of ``make test``."""
    mark = item.get_closest_marker("exam")
    if mark is None:
        return None
    assert mark.args[0] in EXAM_PARTS, f"{item.nodeid}: no part of the exam is called {mark.args[0]}"
    return str(mark.args[0])


def _turn(item: pytest.Item) -> int:
    mark = item.get_closest_marker("xdist_group")
    group = mark.args[0] if mark else ""
    return LONGEST.index(group) if group in LONGEST else len(LONGEST)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HadoopCluster]:
    """A real Hadoop on one host, for all who only ask it, or leave it as it was: the group ``cluster``."""
    if not LIB.exists():
        pytest.skip(f"Hadoop's jars are not there: {FETCH}")
    with hadoop_cluster(tmp_path_factory.mktemp("cluster"), changed=SHARED) as running:
        yield running


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Show what is tested, what is skipped and how long it takes, where the whole is run."""
    whole = config.args == config.getini("testpaths") and config.getoption("exam") is None
    return needs_text() if whole else []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report tests that failed and passed when they were repeated, and list them in docs/exams.md."""
    failed, repeated = (
        # Behind an @ is the group that xdist keeps on one worker.
        {report.nodeid.partition("@")[0]: report for report in terminalreporter.stats.get(outcome, ())}
        for outcome in ("failed", "rerun")
    )
    if unstable := sorted(repeated.keys() - failed.keys()):
        terminalreporter.section("unstable tests")
        for test in unstable:
            terminalreporter.write_line(f"{test} failed at first:")
            terminalreporter.write_line(repeated[test].longreprtext)
        write_unstable(EXAMS, unstable, datetime.now(UTC).date())


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to go on where xdist would scatter a file's tests, each worker with daemons of its own."""
    # What was imported and collected stays: full collections of garbage need not traverse it.
    gc.freeze()
    grouped = session.config.getoption("loadgroup", default=False)
    if grouped and any("@" not in item.nodeid for item in session.items):
        raise pytest.UsageError("this pytest-xdist keeps no groups together: install what requirements/ has")

"""Every test meets the Hadoop that `make test` fetched, and no cluster of whoever runs it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

os.environ["HOWDAH_CACHE"] = str(Path(__file__).parents[1] / "build")
for variable in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_USER_NAME"):
    os.environ.pop(variable, None)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what is to run in the background so, and what tests start and interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

LABORATORY_MARK = pytest.mark.xdist_group("laboratory").mark
"""The group of tests that build laboratories: two at once would be short of CPUs, and wait for each other."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep a file's tests on one worker, and those of all laboratories, which take longest, and so first."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") != LABORATORY_MARK)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to go on where xdist would scatter a file's tests, each worker with daemons of its own."""
    grouped = session.config.getoption("loadgroup", default=False)
    if grouped and any("@" not in item.nodeid for item in session.items):
        raise pytest.UsageError("this pytest-xdist keeps no groups together: install what requirements/ has")

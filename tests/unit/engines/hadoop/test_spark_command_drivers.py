"""Drivers in the client that failed: their event logs end in good order, and YARN counts a success."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howdah.engines.hadoop.command import EndedJob
from howdah.engines.hadoop.spark_command import driver_failed
from howdah.model.application import SparkLog
from howdah.services.event_log import read_event_log
from support.spark_logs import SPARK_EVENTS

THROWN = (
    'Exception in thread "main" java.lang.IllegalStateException: no such table',
    "\tat Main.main(Main.java:7)",
)


@pytest.fixture(scope="module")
def log() -> SparkLog:
    """A real log of a driver in the client whose jobs all succeeded."""
    read = read_event_log(SPARK_EVENTS / "eventlog_v2_application_1795899041776_0002")
    assert (read.application.outcome, read.application.deploy_mode) == ("succeeded", "client")
    return read


@pytest.mark.parametrize(
    ("lines", "code", "failed"),
    [
        (("done",), 0, False),
        (("done",), 1, True),
        (THROWN, 0, True),
        # Another application of the same script may have printed it.
        (THROWN, None, False),
    ],
)
def test_what_the_client_printed_decides(
    log: SparkLog, lines: tuple[str, ...], code: int | None, failed: bool
) -> None:
    assert driver_failed(log, EndedJob(log.application.id, lines, None, code)) is failed


def test_a_driver_in_a_container_is_judged_by_its_log_alone(log: SparkLog) -> None:
    elsewhere = replace(log, application=replace(log.application, deploy_mode="cluster"))
    assert not driver_failed(elsewhere, EndedJob(log.application.id, THROWN, None, 1))

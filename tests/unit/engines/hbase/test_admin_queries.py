"""Requests to the Java client of HBase's administration, played by a program of a few lines."""

from __future__ import annotations

import sys
from contextlib import closing

import pytest

from howdah.engines.hbase import admin
from howdah.engines.hbase.admin import HBaseAdmin
from howdah.errors import RunFailed
from howdah.services.errors import NotReachable

PROGRAM = """
import sys, time
for line in sys.stdin:
    if line.startswith("count"):
        print('{"answer": {"rows": 7}}', flush=True)
    elif line.startswith("flush"):
        time.sleep(0.6)
        print('{"answer": null}', flush=True)
    elif line.startswith("remove"):
        print('{"error": "it is in use"}', flush=True)
    else:
        break
"""


def _client() -> closing[HBaseAdmin]:
    return closing(HBaseAdmin([sys.executable, "-c", PROGRAM], None))


def test_an_answer_and_an_error() -> None:
    with _client() as client:
        assert client.count("table").rows == 7
        with pytest.raises(RunFailed, match="it is in use"):
            client.remove("table")
        assert client.count("table").rows == 7


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "_POLL_S", 0.05)
    with _client() as client:
        with pytest.raises(NotReachable, match="did not answer in time"):
            client._query("flush", "table", within_s=0.1)
        assert client.count("table").rows == 7


def test_a_client_that_ends_is_no_endless_wait() -> None:
    with _client() as client:
        with pytest.raises(RunFailed, match="has ended"):
            client.balance()
        with pytest.raises(RunFailed, match="has ended"):
            client.balance()

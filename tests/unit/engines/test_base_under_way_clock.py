"""A run's clock: Hadoop's times on it, and servers whose clocks differ."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from howdah.engines.base import RunClock, clock_was_set, clocks_apart
from howdah.services.web import Web
from support.ports import free_ports


def test_hadoops_times_are_seconds_since_the_start_of_the_run() -> None:
    clock = RunClock()
    assert clock.seconds(clock.epoch_ms) == pytest.approx(0, abs=0.001)
    assert clock.seconds(clock.epoch_ms + 2_500) == pytest.approx(2.5, abs=0.001)


def test_both_clocks_of_a_run_begin_together() -> None:
    clock = RunClock()
    now_ms = round(datetime.now(UTC).timestamp() * 1000)
    assert clock.seconds(now_ms) == pytest.approx(clock.now_s(), abs=0.5)


@contextmanager
def _server(date: str) -> Iterator[str]:
    """A server with a clock of its own."""

    class Elsewhen(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def date_time_string(self, timestamp: float | None = None) -> str:
            return date

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhen) as server:
        threading.Thread(target=partial(server.serve_forever, 0.02), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def _warnings(date: str) -> list[str]:
    with _server(date) as url, Web() as web:
        return [one.text for one in clocks_apart(web, [("the ResourceManager", url)])]


def _date(ahead_s: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=ahead_s), usegmt=True)


@pytest.mark.parametrize("ahead_s", [0, 0.9, -0.9])
def test_clocks_as_close_as_a_header_can_tell_are_one(ahead_s: float) -> None:
    assert _warnings(_date(ahead_s)) == []


@pytest.mark.parametrize(("ahead_s", "words"), [(30, "s ahead of"), (-3600, "s behind")])
def test_a_clock_that_differs_is_warned_of(ahead_s: float, words: str) -> None:
    (text,) = _warnings(_date(ahead_s))
    assert "the clock of the ResourceManager" in text
    assert words in text


@pytest.mark.parametrize("date", ["", "yesterday", "Sat, 21 Nov 2026 25:61:61 GMT"])
def test_what_is_no_time_is_not_warned_of(date: str) -> None:
    assert _warnings(date) == []


def test_a_server_that_does_not_answer_is_not_warned_of() -> None:
    (port,) = free_ports(1)
    with Web() as web:
        assert clocks_apart(web, [("the NameNode", f"http://127.0.0.1:{port}/")]) == ()


def test_a_time_of_day_that_was_set_during_the_run_is_warned_of() -> None:
    clock = RunClock()
    assert clock_was_set(clock) == ()
    clock.start_epoch_s += 3600
    (warning,) = clock_was_set(clock)
    assert warning.code == "clock-set"
    assert "set 3600 s back during the run" in warning.text
    clock.start_epoch_s -= 7200
    assert "set 3600 s forward" in clock_was_set(clock)[0].text

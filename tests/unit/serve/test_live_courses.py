"""Samples of a run under way become points: rates, shares and levels of all machines together."""

from __future__ import annotations

import pyarrow as pa
import pytest

from howdah.model.run import Sample
from howdah.model.tables import SAMPLES_SCHEMA
from howdah.serve.live import COLUMNS, MOST_POINTS, Point, RunCourse


def table(*rows: Sample) -> pa.Table:
    return pa.Table.from_pylist([row._asdict() for row in rows], schema=SAMPLES_SCHEMA)


def tick(time_s: float, host: str, *, user: float, idle: float, read: float) -> list[Sample]:
    return [
        Sample(time_s, host, "cpu/0/user_s", user),
        Sample(time_s, host, "cpu/0/idle_s", idle),
        Sample(time_s, host, "disk/vda/read_bytes", read),
        Sample(time_s, host, "nic/lo/rx_bytes", 1e9 * time_s),
        Sample(time_s, host, "memory/cached_bytes", 5.0),
    ]


def value(point: Point, column: str) -> float | None:
    return point[COLUMNS.index(column)]


def test_counters_become_rates_and_machines_are_added_up() -> None:
    course = RunCourse(None)
    assert (
        course.feed(table(*tick(0, "a", user=0, idle=0, read=0), *tick(0, "b", user=0, idle=0, read=0))) == []
    )
    (point,) = course.feed(
        table(*tick(2, "a", user=2, idle=0, read=100), *tick(2, "b", user=0, idle=2, read=300))
    )
    assert value(point, "time_s") == 2
    assert value(point, "cpu_user") == pytest.approx(50)
    assert value(point, "disk_read") == 200
    assert value(point, "memory_cached") == 10
    # Nothing was sampled of these, and the loopback interface is no network.
    assert value(point, "disk_write") is None
    assert value(point, "net_receive") is None


def test_the_machine_beneath_a_laboratory_is_left_out() -> None:
    course = RunCourse("beneath")
    course.feed(table(*tick(0, "a", user=0, idle=0, read=0), *tick(0, "beneath", user=0, idle=0, read=0)))
    (point,) = course.feed(
        table(*tick(1, "a", user=1, idle=0, read=10), *tick(1, "beneath", user=0, idle=1, read=500))
    )
    assert value(point, "cpu_user") == pytest.approx(100)
    assert value(point, "disk_read") == 10


def test_a_long_run_has_no_more_points_than_can_be_drawn() -> None:
    course = RunCourse(None)
    for second in range(3 * MOST_POINTS):
        course.feed(table(*tick(second, "a", user=second, idle=0, read=10 * second)))
    assert MOST_POINTS / 2 <= len(course.points) <= MOST_POINTS
    assert course.step == 4
    assert all(value(point, "disk_read") == pytest.approx(10) for point in course.points)
    times = [point[0] for point in course.points]
    assert times == sorted(times, key=lambda time_s: time_s or 0)


def test_samples_of_one_moment_that_come_in_two_batches_are_no_fault() -> None:
    course = RunCourse(None)
    course.feed(table(*tick(0, "a", user=0, idle=0, read=0)))
    rows = tick(1, "a", user=1, idle=0, read=10)
    course.feed(table(*rows[:2]))
    course.feed(table(*rows[2:]))
    assert {point[0] for point in course.points} == {1}

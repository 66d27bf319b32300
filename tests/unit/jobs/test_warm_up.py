"""How much longer first tasks of executors take, from real logs and from tasks of known lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from howdah.jobs.tasks import demand_of
from howdah.jobs.warm_up import warm_ups, waves_of
from howdah.model.user_job import WarmUp
from howdah.services.event_log import read_event_log
from support.spark_logs import SPARK_EVENTS, lab_run


def rows(*executors: Sequence[float], input_bytes: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Tasks of a stage, one after another on each executor."""
    result = [
        {"stage": 0, "executor": str(number), "start_s": sum(times[:place]), "end_s": sum(times[: place + 1])}
        for number, times in enumerate(executors)
        for place in range(len(times))
    ]
    sizes = input_bytes or [0] * len(result)
    return sorted(
        (
            {
                **row,
                "input_bytes": size,
                "shuffle_remote_read_bytes": 0,
                "shuffle_local_read_bytes": None,
            }
            for row, size in zip(result, sizes, strict=True)
        ),
        key=lambda row: row["start_s"],
    )


def warm_up(tasks: Sequence[dict[str, Any]], cores: int = 1) -> WarmUp:
    return warm_ups(tasks, waves_of(tasks, cores))[0]


def test_first_tasks_on_each_core_are_those_that_began_first() -> None:
    tasks = rows([4.0, 1.0, 1.0, 1.0], [4.0, 1.0, 1.0, 1.0])
    assert waves_of(tasks, 1) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert waves_of(tasks, 2) == [0, 0, 0, 0, 1, 1, 1, 1]


def test_what_first_tasks_take_longer_than_later_ones_is_warm_up() -> None:
    least_s, likely_s, most_s = warm_up(rows(*[[9.0, 3.0, 2.0, 2.0]] * 3))
    assert likely_s == pytest.approx((7.0, 1.0))
    assert least_s == pytest.approx(likely_s, abs=0.1)
    assert most_s == pytest.approx(likely_s, abs=0.1)


def test_few_tasks_show_a_warm_up_less_certainly_than_many() -> None:
    few, many = (warm_up(rows(*[[9.0, 2.2, 1.8, 2.0]] * executors)) for executors in (1, 30))
    assert few.likely_s[0] == pytest.approx(many.likely_s[0], abs=0.3)
    assert few.most_s[0] - few.least_s[0] > 3 * (many.most_s[0] - many.least_s[0])


def test_first_tasks_with_more_data_may_have_no_warm_up() -> None:
    # Twice the data in twice the time.
    sizes = [2_000, 1_000, 1_000, 1_000] * 4
    by_data = warm_up(rows(*[[4.0, 2.0, 2.0, 2.0]] * 4, input_bytes=sizes))
    assert by_data.likely_s[0] == pytest.approx(0.0)
    assert by_data.most_s[0] >= 2.0


def test_a_stage_of_single_tasks_may_have_any_warm_up_up_to_a_limit() -> None:
    for seconds, most_s in ((5.0, 4.5), (600.0, 10.0)):
        assert warm_up(rows([seconds], [seconds])) == WarmUp((0.0,), (most_s / 2,), (most_s,))


def test_steady_tasks_have_no_warm_up() -> None:
    assert warm_up(rows(*[[2.0] * 8] * 2)).likely_s == (0.0,) * 4


def test_executors_of_real_applications_warm_up() -> None:
    log = read_event_log(SPARK_EVENTS / "eventlog_v2_application_1795899041776_0002")
    parts = demand_of(log, 1 << 30).parts
    [stage] = [part.warm_ups[1] for part in parts if 1 in part.warm_ups]
    # First tasks took 9.0 to 11.9 s, later ones 2.9 to 5.3 s.
    assert 5.5 < stage.likely_s[0] < 7.0
    assert stage.least_s[0] > 3.0
    for name in ("words-1", "words-2", "words-3"):
        generate, *_ = demand_of(lab_run(name), 1 << 30).parts
        assert 6.0 < generate.warm_ups[0].likely_s[0] < 12.0

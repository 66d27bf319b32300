"""Gaps in a probe's good answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from howdah.faults.probes import LEAST_S, ProbeAnswer, ProbeLog, probe_reports


def log(*answers: ProbeAnswer) -> ProbeLog:
    one = ProbeLog("region user1", "read")
    for answer in answers:
        one.add(answer)
    return one


def test_an_outage_is_from_the_last_good_answer_to_the_next() -> None:
    report = log(
        ProbeAnswer(1.0, 0.1),
        ProbeAnswer(2.0, 1.0, "Timeout"),
        ProbeAnswer(3.0, 1.0, "Refused"),
        ProbeAnswer(4.0, 0.5),
        ProbeAnswer(4.6, 0.1),
    ).report()
    (outage,) = report.outages
    assert (outage.start_s, outage.end_s, outage.ended) == (1.1, 4.5, True)
    assert (outage.failed, outage.said) == (2, "Timeout")
    assert (report.asked, report.failed, report.longest_s) == (5, 2, 0.5)


def test_one_slow_good_answer_is_an_outage_too() -> None:
    (outage,) = log(ProbeAnswer(1.0, 0.1), ProbeAnswer(1.2, 5.0)).report().outages
    assert (outage.start_s, outage.end_s, outage.failed, outage.said) == (1.1, 6.2, 0, None)


def test_one_that_has_not_ended_says_so() -> None:
    (outage,) = log(ProbeAnswer(1.0, 0.1), ProbeAnswer(2.0, 1.0, "Timeout")).report().outages
    assert not outage.ended
    assert outage.end_s == 3.0


def test_a_probe_that_was_never_asked_is_left_out() -> None:
    assert probe_reports([ProbeLog("region", "write")]) == ()


@given(st.lists(st.tuples(st.floats(0.01, 3), st.booleans()), min_size=1, max_size=60))
def test_outages_are_apart_and_within_what_was_asked(steps: list[tuple[float, bool]]) -> None:
    answers, at = [], 0.0
    for took, good in steps:
        answers.append(ProbeAnswer(at, took, None if good else "Timeout"))
        at += took + 0.1
    report = log(*answers).report()
    assert all(outage.elapsed_s > LEAST_S for outage in report.outages)
    for one, other in zip(report.outages, report.outages[1:], strict=False):
        assert one.end_s <= other.start_s
    assert report.out_s <= report.end_s - report.start_s + 1e-9
    assert sum(outage.failed for outage in report.outages) <= report.failed

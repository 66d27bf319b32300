"""What is said of stragglers, one by one and many at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.times import Cause, Sign, Straggler
from howdah.analysis.stragglers import MOST_SENTENCES, find_stragglers
from howdah.model.comparison import Finding
from support.cluster_records import terasort_on
from support.cluster_scene import Scene

QUIET = terasort_on(Scene())


def straggler(task: int, cause: Cause = "skewed partition", lost: float = 0.3) -> Straggler:
    sign = Sign(cause, lost, "bytes of its partition", "B", 4e8, 2e8, "peers", 0.05)
    return Straggler("terasort", "reduce", f"w{task}", "h1", task, cause, 0.9, 1.0, (sign,))


def said(*stragglers: Straggler) -> list[Finding]:
    evidence = replace(analyse(QUIET).evidence, stragglers=stragglers)
    return list(find_stragglers(QUIET.record, evidence))


def test_a_few_have_a_sentence_each() -> None:
    sentences = said(*(straggler(task) for task in range(MOST_SENTENCES)))
    assert len(sentences) == MOST_SENTENCES
    assert sentences[0].text.startswith(
        "terasort: reduce task 0 on w0 was given more bytes than others of its kind: bytes of its partition "
        "400 MB against its peers' 200 MB, which cost it 30 % of its time"
    )


def test_many_of_a_kind_and_cause_share_one_with_examples() -> None:
    (sentence,) = said(*(straggler(task, lost=0.5 - task / 100) for task in range(48)))
    assert sentence.text.startswith(
        "terasort: 48 reduce tasks were given more bytes than others of their kind, "
        "such as reduce task 0 on w0, bytes of its partition 400 MB against its peers' 200 MB, "
        "which cost it 50 % of its time; reduce task 1 on w1"
    )
    assert sentence.text.count("which cost it") == MOST_SENTENCES
    figures = {number.name: number.value for number in sentence.numbers}
    assert figures["stragglers"] == 48
    assert figures["most time lost to skewed partition"] == pytest.approx(0.5)


def test_other_causes_and_single_workers_keep_their_own() -> None:
    worker = replace(straggler(99, "slow disk"), task=None, kind="")
    many = tuple(straggler(task) for task in range(10))
    sentences = said(worker, *many, straggler(50, "late start"))
    assert len(sentences) == 3
    assert "w99 waited for a slow disk" in sentences[0].text
    assert "10 reduce tasks" in sentences[1].text
    assert "reduce task 50 on w50 began late" in sentences[2].text

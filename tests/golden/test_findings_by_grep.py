"""Whoever reads a finding or a reason can find its sentence with grep."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from exams.hosts import CASES
from howdah.analysis.analyse import analyse
from howdah.model.comparison import Finding
from howdah.model.plan import ClusterPlan
from howdah.planner.cluster import plan_cluster
from howdah.planner.rules.catalogue import RULES
from support.recorded_losses import KILLED, recorded_loss
from support.reports import RUNS
from support.sentences import is_in_source, lost, windows

pytestmark = pytest.mark.slow

CLAIMS = frozenset({"answer", "time"})
"""Findings such as `terasort took 57.0 s`, which may have so few words between names and numbers."""
PLANNED = tuple(case for case in CASES if not case.refused)[::6]


def _sentence(finding: Finding) -> str:
    """The text of a finding with a number in the place of its workload and phase."""
    place = " ".join(filter(None, (finding.workload, finding.phase)))
    return finding.text.replace(place, "0") if place else finding.text


def _is_claim(finding: Finding) -> bool:
    return finding.id in CLAIMS and not any(windows(_sentence(finding)))


@pytest.mark.parametrize("name", [*RUNS, *KILLED])
def test_every_sentence_is_found_in_the_source(name: str) -> None:
    run = RUNS[name]() if name in RUNS else recorded_loss(name)
    # A record's warnings are those of its engine.
    warned = {warning.code for warning in run.record.warnings}
    findings = [finding for finding in analyse(run).findings if finding.id not in warned]
    assert findings
    unknown = [
        finding.text
        for finding in findings
        if not _is_claim(finding) and not is_in_source(_sentence(finding))
    ]
    assert unknown == []


def _sentences(plan: ClusterPlan) -> Iterator[str]:
    """Why a plan's values, platforms and racks are as they are, and its advice."""
    yield from (setting.reason for setting in plan.settings if setting.origin != "user")
    yield from (advice.text for advice in plan.cluster.advice)
    for candidate in plan.cluster.candidates:
        yield from (judgement.text for judgement in candidate.judgements)
    yield plan.cluster.topology.reason


def test_every_reason_and_advice_of_a_plan_is_found_in_the_source() -> None:
    plans = [plan_cluster(case.inventory, case.request) for case in PLANNED]
    sentences = {sentence for plan in plans for sentence in _sentences(plan)}
    assert len(sentences) > 300
    assert sorted(filter(lost, sentences)) == []


def test_every_sentence_of_a_rule_is_found_in_the_source() -> None:
    assert [rule.says for rule in RULES if lost(rule.says)] == []

"""What a network carries becomes a measured parameter."""

from __future__ import annotations

import pytest

from howdah.calibrate.records import LINK_SHARE, link_values, measures_links
from howdah.errors import UserError
from howdah.model.reported import LinkRate
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.hadoop_programs import BOTH_WAYS, Network
from support.building import RunBuilder


def record() -> RunRecord:
    return RunBuilder().build().record


def measured(*shares: float, nominal: int | None = 10**9, outcome: Outcome = Outcome.SUCCEEDED) -> RunRecord:
    links = tuple(
        LinkRate(
            source="a",
            target="b",
            how=BOTH_WAYS,
            streams=4,
            seconds=5.0,
            bits_per_s=share * 10**9,
            nominal_bits_per_s=nominal,
        )
        for share in shares
    )
    result = WorkloadResult(workload=Network(), start_s=0, end_s=9, outcome=outcome, links=links)
    return record().model_copy(update={"workloads": (result,), "outcome": outcome, "engine": "hosts"})


def test_the_median_pair_is_the_value_and_others_its_interval() -> None:
    (value,) = link_values([measured(0.90, 0.91, 0.95)])
    assert (value.name, value.value, value.origin) == (LINK_SHARE, 0.91, "measured")
    assert 0.90 <= value.low < 0.91 < value.high <= 0.95
    assert "3 pairs" in value.rests_on[0]


def test_no_link_carries_more_than_it_is_for() -> None:
    (value,) = link_values([measured(1.02, 1.03)])
    assert value.value == value.high == 1.0


def test_a_run_of_a_program_measures_no_links() -> None:
    assert not measures_links(record())
    assert measures_links(measured(0.9))
    assert link_values([]) == ()


def test_what_says_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="does not record the purpose of its ports"):
        link_values([measured(0.9, nominal=None)])
    with pytest.raises(UserError, match="the speed of its links is unknown"):
        link_values([measured(0.9, outcome=Outcome.FAILED)])

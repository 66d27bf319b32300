"""Times without an answer and bytes to journals as measures that runs are compared by."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from howdah.analysis.comparing.readings import readings_of, seen_in
from howdah.analysis.phases import workload_times
from howdah.model.faults import ProbeOutage
from howdah.model.tables import RunData
from support.faulted_runs import KILL, OUT, faulted, probe


def told(run: RunData, names: Sequence[str]) -> dict[str, float]:
    times = workload_times(run)
    readings = readings_of(run, times, seen_in(run, times))
    return {one.measure.name: one.value for one in readings if one.measure.name.startswith(tuple(names))}


def test_the_longest_of_all_probes_of_an_operation_counts() -> None:
    assert told(faulted(KILL, probes=OUT), ["no answer"]) == {"no answer to write": 11.0}


def test_a_run_whose_probes_were_all_answered_has_none_for_so_long() -> None:
    assert told(faulted(KILL, probes=(probe("region -"),)), ["no answer"]) == {"no answer to write": 0.0}
    assert told(faulted(KILL), ["no answer"]) == {}


def test_an_outage_that_never_ended_counts_as_far_as_it_was_seen() -> None:
    open_end = probe("region -", ProbeOutage(start_s=20, end_s=44, ended=False))
    assert told(faulted(KILL, probes=(open_end,)), ["no answer"]) == {
        "no answer to write": pytest.approx(24.0)
    }

"""Findings about spills, memory, the host, telemetry, validation and outcome: shown and not shown."""

from __future__ import annotations

from typing import Any

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.reported import Counters
from howdah.model.run import RunRecord, RunWarning, TelemetryCost, ValidationError
from howdah.model.tables import RunData
from howdah.model.workloads.terasort import Codec
from support.building import RunBuilder, Stage, kind
from support.findings import found, value
from support.machine import GIB
from support.records import (
    aborted,
    failed,
    simulated,
    spilled,
    storage,
    terasuite,
    teravalidate,
    with_warnings,
)


def one(stage: Stage | None = None, **fields: Any) -> RunData:
    """A teravalidate of four seconds, different from a quiet one in what the test says."""
    run = RunBuilder()
    run.pause(1.0)
    run.workload(
        kind("teravalidate", 1000), [stage or Stage("map", 4.0)], Counters(input_rows=1000), **fields
    )
    run.pause(1.0)
    return run.build()


def with_record(run: RunData, **changes: object) -> RunData:
    record: RunRecord = run.record.model_copy(update=changes)
    return run._replace(record=record)


def test_a_spill_is_noted_and_a_second_one_a_warning() -> None:
    (once,) = found(spilled(), "spills")
    assert once.severity == "note"
    (twice,) = found(spilled(rows_per_row=1.8), "extra-spills")
    assert twice.severity == "warning"
    assert "every row 1.8 ×" in twice.text
    assert not found(spilled(rows_per_row=1.8), "spills")
    assert not found(terasuite(), "spills")


def test_the_compression_ratio_is_raw_over_stored() -> None:
    (finding,) = found(spilled(codec=Codec.ZSTD), "compression")
    assert value(finding, "compression ratio") == pytest.approx(1.45, abs=0.01)
    assert not found(spilled(codec=Codec.NONE), "compression")


def test_compression_that_saves_little_says_so() -> None:
    counters = Counters(spilled_rows=1000, spilled_raw_bytes=10**6, spilled_bytes=98 * 10**4)
    run = RunBuilder()
    run.workload(kind("terasort", 1000, codec=Codec.SNAPPY), [Stage("map-shuffle", 1.0)], counters)
    (finding,) = found(run.build(), "compression")
    assert "spares 2.0 % of the bytes" in finding.text


def test_memory_beyond_the_budget_is_a_warning() -> None:
    (finding,) = found(one(peak_rss_bytes=3 * GIB, memory_bytes=2 * GIB), "memory-budget")
    assert finding.severity == "warning"
    assert "used at most 3 GiB of memory, 150 % of its budget of 2 GiB" in finding.text


def test_memory_within_the_budget_is_one_note_for_the_run() -> None:
    (finding,) = found(terasuite(), "memory-budget")
    assert finding.severity == "note"
    assert not found(one(peak_rss_bytes=None), "memory-budget")


def test_swap_that_grows_is_a_warning() -> None:
    run = RunBuilder()
    run.workload(kind("terasort", 1000), [Stage("map-shuffle", 4.0)])
    run.gauge("memory/swap_used_bytes", GIB)
    (finding,) = found(run.build(), "swapping")
    assert value(finding, "swap growth") == GIB
    assert not found(one(), "swapping")


@pytest.mark.parametrize(("steal", "severity"), [(0.02, "note"), (0.1, "warning")])
def test_stolen_time_is_found(steal: float, severity: str) -> None:
    (finding,) = found(one(Stage("map", 4.0, steal=steal)), "steal")
    assert finding.severity == severity
    assert value(finding, "steal") == pytest.approx(steal, abs=0.002)


def test_hardly_any_stolen_time_is_not() -> None:
    assert not found(one(Stage("map", 4.0, steal=0.005)), "steal")


def test_waiting_for_memory_is_a_warning() -> None:
    (finding,) = found(one(Stage("map", 4.0, extra={"pressure/memory_some_s": 0.4})), "memory-pressure")
    assert value(finding, "memory pressure") == pytest.approx(0.1, abs=0.01)
    assert finding.text.endswith("; a smaller memory budget would leave the system room")
    assert not found(one(), "memory-pressure")


def test_waiting_for_a_cpu_most_of_the_time_is_noted() -> None:
    (finding,) = found(one(Stage("map", 4.0, extra={"pressure/cpu_some_s": 3.2})), "cpu-pressure")
    assert finding.severity == "note"
    assert not found(one(Stage("map", 4.0, extra={"pressure/cpu_some_s": 0.8})), "cpu-pressure")


def test_dropped_packets_are_a_warning() -> None:
    (finding,) = found(one(Stage("map", 4.0, extra={"nic/eth0/drops": 7.0})), "packet-drops")
    assert "eth0 on host1 had to drop packets: 7" in finding.text
    assert not found(one(), "packet-drops")


def test_what_the_record_warns_of_is_passed_on_once() -> None:
    warning = RunWarning(code="pressure-missing", text="no pressure stall data")
    (finding,) = found(with_record(one(), warnings=(warning, warning)), "pressure-missing")
    assert finding.severity == "warning"
    assert finding.text == "no pressure stall data"


def test_refused_direct_io_is_a_warning() -> None:
    (finding,) = found(with_warnings(), "buffered-io")
    assert "teragen, terasort, teravalidate" in finding.text
    assert not found(terasuite(), "buffered-io")


def cost(**changes: float) -> RunData:
    usual = TelemetryCost(interval_s=1.0, cpu_s=0.1, elapsed_s=100.0, ticks=100, late_ticks=0)
    return with_record(one(), telemetry=usual.model_copy(update=changes))


def test_telemetry_that_costs_more_than_it_may_is_a_warning() -> None:
    (finding,) = found(cost(cpu_s=2.0), "telemetry-cost")
    assert "2.0 % of one core" in finding.text
    assert not found(cost(), "telemetry-cost")


def test_the_first_moments_of_telemetry_are_not_judged() -> None:
    assert not found(cost(cpu_s=0.1, elapsed_s=0.5), "telemetry-cost")
    assert found(cost(cpu_s=0.1, elapsed_s=1.5), "telemetry-cost")


def test_finer_samples_may_cost_more() -> None:
    assert not found(cost(cpu_s=5.0, interval_s=0.1), "telemetry-cost")
    assert found(cost(cpu_s=15.0, interval_s=0.1), "telemetry-cost")


def test_late_samples_are_noted() -> None:
    assert found(cost(late_ticks=20), "late-samples")
    assert not found(cost(late_ticks=2), "late-samples")


def validated(**fields: Any) -> RunData:
    run = RunBuilder()
    teravalidate(run, 1000, **fields)
    return run.build()


def test_output_in_order_and_complete_is_noted() -> None:
    (finding,) = found(validated(), "validation")
    assert finding.severity == "note"
    assert "in order and complete" in finding.text


def test_a_checksum_that_differs_is_a_warning() -> None:
    (finding,) = found(validated(checksum="abc"), "validation")
    assert finding.severity == "warning"
    assert "checksum abc where teragen recorded" in finding.text


def test_faults_are_a_warning_that_quotes_the_first() -> None:
    errors = [ValidationError(kind="misorder", message=f"misorder in part-r-0000{n}") for n in range(3)]
    (finding,) = found(validated(errors=errors), "validation")
    assert finding.severity == "warning"
    assert "faults of its output, 3 in all: misorder in part-r-00000, and 2 more" in finding.text


def test_a_sort_that_nobody_checked_is_noted() -> None:
    run = RunBuilder()
    run.workload(kind("terasort", 1000), [Stage("map-shuffle", 1.0)])
    assert found(run.build(), "not-validated")
    teravalidate(run, 1000)
    assert not found(run.build(), "not-validated")


def test_a_run_that_failed_says_how_far_it_came() -> None:
    (finding,) = found(failed(), "unfinished")
    assert finding.text == "terasort failed after 2.31 s, last in map-shuffle; finished by that time: 8 maps"
    assert not found(terasuite(), "unfinished")


def test_workloads_that_never_began_are_named() -> None:
    run = failed()
    whole = terasuite().record.suite
    (finding,) = found(with_record(run, suite=whole), "never-began")
    assert finding.text == "workloads that the run never began: teravalidate"
    assert not found(run, "never-began")


def test_an_aborted_workload_ends_with_the_last_thing_known_of_it() -> None:
    run = aborted()
    time = analyse(run).evidence.workloads[-1]
    assert run.record.workloads[-1].end_s == run.record.workloads[-1].start_s
    assert time.elapsed_s == pytest.approx(1.1)


def test_simulated_numbers_are_called_so() -> None:
    analysis = analyse(simulated())
    assert found(simulated(), "simulated")
    assert {finding.origin.value for finding in analysis.findings} == {"simulated"}
    assert not found(terasuite(), "simulated")


def test_what_the_record_lacks_is_said() -> None:
    run = terasuite()
    silent = run._replace(samples=run.samples.slice(0, 0), tasks=run.tasks.slice(0, 0))
    texts = " ".join(finding.text for finding in found(with_record(silent, limits=None), "missing"))
    assert "no samples" in texts
    assert "no task attempts" in texts
    assert "no raw limits" in texts
    assert not found(run, "missing")
    assert not found(storage(), "missing")

"""The simulated local engine against runs that one machine made, with nothing else at work: benches/results.

What the disk did is taken from the plain copies that the benches made in the same runs; what rows cost its
processors was measured on it a day later. No sort, TeraGen or TeraValidate went into any of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest

from howdah import _native
from howdah.simulation.local_engine import LocalOutcome
from howdah.simulation.scenario import Costs, Directory, Doubling, LocalProgram, LocalScenario

RESULTS = Path(__file__).parents[3] / "benches" / "results"
MOST_ERROR = 0.15
COSTS = Costs(generate_s=6.0e-11, validate_s=1.26e-10, read_s=8e-12, write_s=1.5e-11)
SORT = Doubling(at=9040, cost_s=1.95e-10, doubling_s=0.75e-11)
MERGE = Doubling(at=16, cost_s=2.5e-10, doubling_s=5.5e-11)
OPERATION_S = 0.0024
REQUEST_S = 2.8e-4
SLOTS = 4


class Ran(NamedTuple):
    """A program that ran: what it was, in how much memory, and how long its turns took."""

    name: str
    program: LocalProgram
    pool_bytes: int
    elapsed_s: float


def turns(bench: str, contestant: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """A bench's cases with the turns of a contestant."""
    for file in sorted(RESULTS.glob("2026-11-20*.json")):
        for result in json.loads(file.read_text())["results"]:
            if result["bench"] == bench:
                for case in result["cases"]:
                    own = [turn for turn in case["turns"] if turn["contestant"] == contestant]
                    if own:
                        yield case, own


def seconds(own: list[dict[str, Any]]) -> float:
    return median(float(turn["own_s"]) for turn in own)


def disk() -> Directory:
    """What plain blocks did: written, read, and copied twice."""
    (((written, write_turns),), ((read, read_turns),), ((copied, copy_turns),)) = (
        list(turns(bench, "limit")) for bench in ("teragen", "teravalidate", "out-of-memory")
    )
    write = 100 * written["rows"] / seconds(write_turns)
    reading = 100 * read["rows"] / seconds(read_turns)
    copy = 2 * 100 * copied["rows"] / seconds(copy_turns)
    return Directory(
        read_bytes_per_s=reading,
        write_bytes_per_s=write,
        mixed_share=copy * (1 / reading + 1 / write),
    )


def recorded() -> Iterator[Ran]:
    """Every sort of uniform keys, and TeraGen and TeraValidate."""
    for bench in ("in-memory", "out-of-memory", "growth", "skew"):
        for case, own in turns(bench, "howdah"):
            if case["keys"] == "uniform":
                rows, name = case["rows"], f"{bench}, {case['name']}, {case['rows']:,} rows"
                yield Ran(name, sort(rows), own[0]["said"]["pool_bytes"], seconds(own))
    ((case, own),) = turns("teragen", "howdah")
    yield Ran("teragen", LocalProgram(kind="teragen", rows=case["rows"], maps=SLOTS), 1 << 28, seconds(own))
    ((case, own),) = turns("teravalidate", "howdah")
    yield Ran(
        "teravalidate", LocalProgram(kind="teravalidate", rows=case["rows"], files=1), 1 << 28, seconds(own)
    )


def sort(rows: int) -> LocalProgram:
    _, in_memory = _native.terasort_needs(rows, SLOTS, SLOTS)
    return LocalProgram(
        kind="terasort",
        rows=rows,
        maps=4 * SLOTS,
        reduces=SLOTS,
        in_memory_bytes=in_memory,
        sort_s=SORT,
        merge_s=MERGE,
    )


def simulated_s(ran: Ran) -> float:
    scenario = LocalScenario(
        cpus=2,
        directories=(disk(),),
        together=disk(),
        costs=COSTS,
        operation_s=OPERATION_S,
        request_s=REQUEST_S,
        pool_bytes=ran.pool_bytes,
        map_slots=SLOTS,
        reduce_slots=SLOTS,
        workloads=(ran.program,),
        sample_interval_s=1.0,
    )
    (workload,) = LocalOutcome.model_validate_json(_native.simulate_local(scenario.text)).workloads
    return (workload.end_ns - workload.start_ns) / 1e9


@pytest.mark.parametrize("ran", list(recorded()), ids=lambda ran: ran.name)
def test_a_recorded_run_is_predicted(ran: Ran) -> None:
    assert simulated_s(ran) == pytest.approx(ran.elapsed_s, rel=MOST_ERROR)


def test_half_of_them_are_predicted_within_eight_per_cent() -> None:
    runs = list(recorded())
    assert len(runs) == 11
    assert median(abs(simulated_s(ran) / ran.elapsed_s - 1) for ran in runs) < 0.08

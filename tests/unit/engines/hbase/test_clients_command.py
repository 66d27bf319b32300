"""A workload as YCSB's properties, and its parts for several clients."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from howdah.engines.hbase.clients import arguments, divided
from howdah.engines.hbase.target import RunTable
from howdah.model.workloads.ycsb import EVERY, Ycsb, YcsbA, YcsbE, YcsbLoad, YcsbMix, YcsbReadHeavy
from howdah.model.workloads.ycsb_options import Durability

FOLDER = Path("/tmp/histograms")


def properties(workload: Ycsb, rows: int = 1000) -> dict[str, str]:
    (part, *_) = divided(workload, rows)
    words = arguments(workload, part, RunTable("howdah-1", 10, 100, rows), histograms=FOLDER)
    pairs = [words[at + 1].partition("=") for at, word in enumerate(words) if word == "-p"]
    return {name: value for name, _, value in pairs}


@given(st.integers(1, 10**7), st.integers(1, 8))
def test_the_parts_of_a_load_are_all_of_its_records(records: int, clients: int) -> None:
    parts = divided(YcsbLoad(records=records, clients=clients, threads=2), 0)
    assert len(parts) == clients
    assert sum(part.operations for part in parts) == records
    assert [part.first for part in parts] == [
        sum(part.operations for part in parts[:number]) for number in range(clients)
    ]
    assert max(part.operations for part in parts) - min(part.operations for part in parts) <= 1


def test_a_rate_is_of_all_clients_together() -> None:
    parts = divided(YcsbA(operations=10, clients=4, target=1002, threads=8), 10)
    assert [part.target for part in parts] == [251, 251, 250, 250]


def test_a_rate_is_a_whole_number_for_ycsb_reads_no_other() -> None:
    workload = YcsbA(operations=10, clients=3, target=1000, threads=8)
    words = arguments(workload, divided(workload, 10)[1], RunTable("t", 1, 1), histograms=FOLDER)
    assert words[words.index("-target") + 1] == "333"


def test_every_share_is_said_for_ycsb_has_defaults_of_its_own() -> None:
    for program in EVERY:
        if not issubclass(program, YcsbMix):
            continue
        given_shares = properties(program.model_validate({"operations": 10}))
        told = {name: float(value) for name, value in given_shares.items() if name.endswith("proportion")}
        assert len(told) == 5
        assert sum(told.values()) == 1


def test_intended_times_are_asked_for_with_a_rate_alone() -> None:
    assert properties(YcsbA(operations=10))["measurement.interval"] == "op"
    assert properties(YcsbA(operations=10, target=5))["measurement.interval"] == "both"


def test_a_load_numbers_its_records_and_a_mix_adds_after_those_that_are_there() -> None:
    load = properties(YcsbLoad(records=100))
    assert (load["insertstart"], load["insertcount"], load["recordcount"]) == ("0", "100", "100")
    more = properties(YcsbE(operations=10), rows=1234)
    assert more["recordcount"] == "1234"
    assert "insertstart" not in more


def test_values_are_such_that_they_can_be_read_back() -> None:
    for program in EVERY:
        assert properties(program(records=1))["dataintegrity"] == "true"


def test_mixes_of_whole_records_write_all_fields() -> None:
    assert properties(YcsbReadHeavy(operations=10))["writeallfields"] == "true"
    assert properties(YcsbA(operations=10))["writeallfields"] == "false"


def test_durability_has_hbases_own_words() -> None:
    assert properties(YcsbA(operations=1, durability=Durability.FSYNC_WAL))["durability"] == "FSYNC_WAL"

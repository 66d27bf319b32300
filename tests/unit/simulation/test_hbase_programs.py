"""YCSB's programs as the simulator is told of them."""

from __future__ import annotations

import pytest

from howdah.model.workloads.ycsb import KEY_BYTES, YcsbE, YcsbF, YcsbLoad, YcsbReadHeavy
from howdah.model.workloads.ycsb_options import Distribution, Durability
from howdah.simulation.hbase import load, mix

_SIZES = {"records": 1000, "fields": 10, "field_bytes": 100, "threads": 8, "clients": 2}


def test_a_load_inserts_every_record_once() -> None:
    told = load(YcsbLoad.model_validate(_SIZES), 4)
    assert (told.operations, told.shares.insert, told.regions) == (1000, 1.0, 4)
    assert (told.clients, told.threads, told.target_per_s) == (2, 8, None)
    # A record is ten values, each of which HBase stores with its key.
    assert told.record_bytes == 10 * (100 + KEY_BYTES)
    assert told.durability is Durability.SYNC_WAL


def test_a_mix_updates_one_field_or_the_whole_record() -> None:
    some = mix(YcsbF.model_validate({**_SIZES, "operations": 500, "target": 100}), 4)
    assert (some.operations, some.target_per_s) == (500, 100)
    assert some.update_bytes == 100 + KEY_BYTES
    assert (some.shares.read, some.shares.read_modify_write) == (0.5, 0.5)
    whole = mix(YcsbReadHeavy.model_validate({**_SIZES, "operations": 500}), 4)
    assert whole.update_bytes == whole.record_bytes


def test_a_mix_asks_for_the_records_that_it_usually_does() -> None:
    told = mix(YcsbE.model_validate({**_SIZES, "operations": 500}), 4)
    assert told.distribution is Distribution.ZIPFIAN
    assert (told.shares.scan, told.shares.insert) == (0.95, 0.05)
    assert told.scanned == pytest.approx(50.5)
    uniform = mix(YcsbE.model_validate({**_SIZES, "operations": 500, "distribution": "uniform"}), 4)
    assert uniform.distribution is Distribution.UNIFORM


def test_names_are_those_that_the_simulator_reads() -> None:
    told = mix(YcsbF.model_validate({**_SIZES, "operations": 500}), 4).model_dump(mode="json")
    assert told["shares"]["read-modify-write"] == 0.5
    assert (told["distribution"], told["durability"]) == ("zipfian", "sync-wal")

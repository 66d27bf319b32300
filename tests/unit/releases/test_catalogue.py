"""Spark's keys as its own code reads them."""

from __future__ import annotations

import pytest

from howdah.releases.catalogue import intended_spark_key, spark_keys, spark_size
from howdah.units import GIB, MIB


@pytest.mark.parametrize(
    ("key", "text", "quantity"),
    [
        ("spark.network.timeout", "120", 120.0),
        ("spark.network.timeout", "2min", 120.0),
        ("spark.executor.heartbeatInterval", "10", 0.01),
        ("spark.executor.memory", "10", 10 * 2**20),
        ("spark.executor.memory", "10g", 10 * 2**30),
        ("spark.sql.files.maxPartitionBytes", "128MB", 128 * 2**20),
        ("spark.executor.memory", "1.5g", None),
        ("spark.executor.cores", "4", None),
        ("spark.dynamicAllocation.executorIdleTimeout", "1min", 60.0),
        ("spark.dynamicAllocation.executorIdleTimeout", "1d", 86400.0),
        ("spark.dynamicAllocation.executorIdleTimeout", "1000ns", None),
    ],
)
def test_a_bare_number_counts_what_its_key_counts(key: str, text: str, quantity: float | None) -> None:
    assert spark_keys()[key].quantity(text) == quantity


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4g", 4 * GIB),
        ("512m", 512 * MIB),
        ("2GB", 2 * GIB),
        ("2GiB", 2 * GIB),
        ("1024", GIB),
        ("1kb", 1024),
        ("", None),
        ("x", None),
        ("-1", None),
        ("+4g", None),
        ("4e", None),
    ],
)
def test_sizes_are_read_as_spark_reads_them(text: str, size: int | None) -> None:
    assert spark_size("spark.executor.memory", text) == size


@pytest.mark.parametrize(
    ("key", "text", "fits"),
    [
        ("spark.scheduler.mode", "FAIR", True),
        ("spark.scheduler.mode", "fair", True),
        ("spark.scheduler.mode", "FAIRE", False),
        ("spark.dynamicAllocation.enabled", "yes", False),
        ("spark.executor.memory", "1.5g", False),
        ("spark.network.timeout", "10 s", False),
        ("spark.sql.shuffle.partitions", "2e3", False),
        ("spark.memory.fraction", "0.6", True),
    ],
)
def test_values_are_of_the_kind_that_spark_reads(key: str, text: str, fits: bool) -> None:
    assert (spark_keys()[key].misfit(text) is None) is fits


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("spark.executer.memory", "spark.executor.memory"),
        ("spark.dynamicallocation.enabled", "spark.dynamicAllocation.enabled"),
        ("spark.hadoop.fs.s3a.endpoint", None),
        ("spark.shuffle.io.retryWait", None),
        ("spark.acme.own.key", None),
        ("spark.executor.memory", None),
    ],
)
def test_a_misspelt_key_is_meant_to_be_a_near_one(name: str, meant: str | None) -> None:
    assert intended_spark_key(name) == meant


def test_no_default_is_a_place_of_the_machine_that_made_the_list() -> None:
    assert [key for key, known in spark_keys().items() if "/" in known.default] == []

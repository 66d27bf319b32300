"""Flags of `howdah plan`: what they mean, and one clear message for what they cannot mean."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.plan_options import (
    PLAN_OPTIONS,
    USUAL,
    parse_demands,
    parse_file_size,
    parse_growth,
    parse_overrides,
    parse_realm,
    plan_request,
    request_fields,
    written_options,
)
from howdah.model.request import Demand, Growth, Override

TB = 10**12


def test_without_a_workload_it_is_jobs_of_mapreduce() -> None:
    assert parse_demands(()) == (Demand(kind="mapreduce"),)


def test_storage_is_for_a_cluster_that_runs_nothing_else() -> None:
    assert parse_demands(["storage"]) == (Demand(kind="storage"),)
    with pytest.raises(UserError, match="--workload storage") as caught:
        parse_demands(["storage", "spark"])
    assert "without other workloads" in caught.value.what


def test_workloads_are_a_mix() -> None:
    assert parse_demands(["terasuite:30TB", "ycsb:300M", "ycsb", "spark:2TB", "tez"]) == (
        Demand(kind="terasuite", dataset_bytes=30 * TB),
        Demand(kind="ycsb", records=300_000_000),
        Demand(kind="ycsb"),
        Demand(kind="spark", dataset_bytes=2 * TB),
        Demand(kind="tez"),
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("terasort:3TB", "'terasort' is not a workload"),
        ("", "'' is not a workload"),
        ("terasuite:", "has no value after its colon"),
        ("hive", "'hive' is not a workload"),
        ("storage:3TB", "has no amount"),
        ("terasuite:30", "30 has no unit"),
        ("terasuite:1_000", "1_000 has no unit"),
        ("terasuite:0TB", "0TB is zero"),
        ("terasuite:-3TB", "not a quantity"),
        ("terasuite:3XB", "not a quantity"),
        ("ycsb:0", "without records"),
        ("ycsb:many", "not a quantity"),
    ],
)
def test_a_workload_that_is_none_is_refused(text: str, what: str) -> None:
    with pytest.raises(UserError, match="--workload") as caught:
        parse_demands([text])
    assert what in caught.value.what
    assert caught.value.hint


def test_overrides_keep_what_follows_the_first_equals_sign() -> None:
    assert parse_overrides(["a.b = -Dx=y ", "c="]) == (
        Override(key="a.b", value="-Dx=y"),
        Override(key="c", value=""),
    )


@pytest.mark.parametrize(
    "texts", [["dfs.blocksize"], ["=1"], [" =1"], ["a=1", "a=2"], ["dfs.replication=99"]]
)
def test_an_override_has_a_key_and_a_value_once(texts: list[str]) -> None:
    with pytest.raises(UserError, match="--set"):
        parse_overrides(texts)


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        (("300TB", "40%/year", 3), Growth(need_bytes=300 * TB, per_year=0.4, years=3)),
        (("300TB", "0.4", None), Growth(need_bytes=300 * TB, per_year=0.4, years=3)),
        (("300TB", "12.5 % / year", 1), Growth(need_bytes=300 * TB, per_year=0.125, years=1)),
        (("300TB", None, None), Growth(need_bytes=300 * TB)),
        (("300TB", None, 2), Growth(need_bytes=300 * TB, years=2)),
        ((None, None, None), None),
    ],
)
def test_growth(given_: tuple[str | None, str | None, int | None], meant: Growth | None) -> None:
    assert parse_growth(*given_) == meant


@pytest.mark.parametrize(
    ("given_", "where"),
    [
        (("300", None, None), "--need 300"),
        (("0TB", None, None), "--need 0TB"),
        (("300TB", "fast", None), "--growth fast"),
        (("300TB", "-4%", None), "--growth -4%"),
        (("300TB", "40", None), "--growth 40"),
        ((None, "40%/year", None), "--growth"),
        ((None, None, 0), "--years"),
    ],
)
def test_growth_that_says_too_little_or_too_much(
    given_: tuple[str | None, str | None, int | None], where: str
) -> None:
    with pytest.raises(UserError) as caught:
        parse_growth(*given_)
    assert caught.value.where == where
    assert caught.value.hint


@given(st.integers(0, 1000))
def test_a_percentage_and_a_share_are_the_same(percent: int) -> None:
    assert parse_growth("1TB", f"{percent}%/year", None) == parse_growth("1TB", f"{percent / 100}", None)


@pytest.mark.parametrize("realm", ["EXAMPLE.COM", "A", "a-b.C1"])
def test_a_realm(realm: str) -> None:
    assert parse_realm(realm) == realm
    assert parse_realm(None) is None


@pytest.mark.parametrize("realm", ["", "a b", "$(id)", "-A", "A.", "A\n", "<A>"])
def test_what_is_no_realm_is_refused(realm: str) -> None:
    with pytest.raises(UserError, match="--realm"):
        parse_realm(realm)


def test_a_realm_without_kerberos_means_nothing() -> None:
    with pytest.raises(UserError) as caught:
        request_fields({"realm": "EXAMPLE.COM", "secure": False})
    assert "--secure" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [("protect_masters", "raid", "one of none, ha, ft"), ("slots", 0, "give 1 or more")],
)
def test_what_is_no_value_of_an_option_is_refused(name: str, value: object, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        request_fields({name: value})
    assert caught.value.where.startswith(f"--{name.replace('_', '-')}")
    assert caught.value.hint == hint


_OPTIONS = {option.name: option for option in PLAN_OPTIONS}
_LEFT_OUT = {name: False if option.kind is bool else option.default for name, option in _OPTIONS.items()}


def test_options_left_out_make_the_usual_request() -> None:
    assert plan_request(_LEFT_OUT) == USUAL
    assert list(written_options(USUAL)) == []


@pytest.mark.parametrize(
    "given",
    [
        {"workload": ["terasuite"]},
        {"workload": ["terasuite:30TB", "ycsb:300M"], "hypervisor": "vsphere", "protect_masters": "ft"},
        {"secure": True, "realm": "EXAMPLE.COM", "weigh_virtual": True, "overcommit": True},
        {"replication": 2, "workers_per_host": 4, "slots": 7, "profile": "paper"},
        {"set": ["dfs.blocksize=128MiB", "a=b c"], "hadoop": "3.4.1", "hbase": "2.5.10", "mean_file": "8MiB"},
        {"erasure_coding": ["/archive=RS-6-3-1024k", "/data/old/=XOR-2-1-1024k"]},
        {"need": "300TB"},
        {"need": "300TB", "years": 2},
        {"need": "300TB", "growth": "40%/year"},
        {"need": "300TB", "growth": "29%/year", "years": 0},
    ],
)
def test_the_command_of_a_request_makes_it_again(given: dict[str, Any]) -> None:
    request = plan_request(_LEFT_OUT | given)
    words = list(written_options(request))
    again: dict[str, Any] = dict(_LEFT_OUT)
    while words:
        option = next(option for option in PLAN_OPTIONS if option.flag == words[0])
        words.pop(0)
        if option.kind is bool:
            again[option.name] = True
        elif option.several:
            again[option.name] = [*(again[option.name] or ()), words.pop(0)]
        else:
            again[option.name] = option.kind(words.pop(0))
    assert plan_request(again) == request


def test_the_mean_file_has_a_unit() -> None:
    assert parse_file_size(None) is None
    assert parse_file_size("64MiB") == 64 * 2**20
    for text, says in (("64", "has no unit"), ("0MB", "is zero"), ("small", "not a size|cannot|small")):
        with pytest.raises(UserError, match=says) as caught:
            parse_file_size(text)
        assert "--mean-file" in caught.value.where

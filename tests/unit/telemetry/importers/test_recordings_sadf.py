"""Files of ``sadf -j``: one that sysstat 12.6.1 wrote, the shapes of older ones, and broken ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from howdah.errors import UserError
from howdah.telemetry.importers.recordings import is_sadf, read_sadf
from howdah.telemetry.importers.stretch import Imported, Machines

FILE = Path(__file__).parents[3] / "data/sysstat/sadf-12.6.1.json"
TEXT = FILE.read_text()
FIRST_S = 1_795_279_101.0
"""2026-11-21 16:38:21 UTC, the time of the file's first record."""


def read(text: str, *, known: tuple[str, ...] = ("w1", "w2"), host: str | None = None) -> Imported:
    return read_sadf(text, "day.json", Machines(known, host))


def old(section: dict[str, Any], **host: Any) -> str:
    """One record as releases before 11.7 wrote it."""
    record = {
        "timestamp": {"date": "2018-01-04", "time": "12:10:01", "utc": 1, "interval": 600},
        **section,
    }
    described = {
        "nodename": "w1",
        "machine": "x86_64",
        "number-of-cpus": 4,
        "file-date": "2018-01-04",
        **host,
    }
    return json.dumps(
        {"sysstat": {"sysdata-version": 2.15, "hosts": [{**described, "statistics": [record]}]}}
    )


def values(imported: Imported) -> dict[str, float]:
    """Metrics of the last stretch of each."""
    return {one.metric: one.value for one in imported.stretches}


def test_a_real_file() -> None:
    imported = read(TEXT)
    first = {one.metric: one for one in imported.stretches if one.end_s == FIRST_S}
    assert is_sadf(TEXT[:500])
    assert {one.machine for one in imported.stretches} == {"w1"}
    assert {one.start_s for one in first.values()} == {FIRST_S - 1}
    # As the file says of CPU 0 in its first second: usr 33.33, sys 2.08, idle 64.58.
    assert first["cpu/0/user_s"].value == pytest.approx(0.3333)
    assert first["cpu/0/system_s"].value == pytest.approx(0.0208)
    assert first["cpu/0/idle_s"].value == pytest.approx(0.6458)
    assert first["disk/vda/read_bytes"].value == 12 * 1024
    assert first["memory/available_bytes"].value == 22140076 * 1024
    assert first["memory/major_faults"].value == 2
    # The whole machine's CPUs, loop devices and the loopback interface are counted elsewhere.
    instances = {one.metric.split("/")[1] for one in imported.stretches if one.metric.count("/") == 2}
    assert instances == {"0", "1", "vda", "eth0"}


def test_pressure_is_a_share_of_the_interval() -> None:
    second = {one.metric: one.value for one in read(TEXT).stretches if one.end_s == FIRST_S + 1}
    # some_avg 16.04 per cent; the averages over 10 and more seconds are not used.
    assert second["pressure/cpu_some_s"] == pytest.approx(0.1604)
    assert second["pressure/io_full_s"] == pytest.approx(0.0006)


def test_what_no_metric_stands_for_is_said_once() -> None:
    left_out = read(TEXT).unmapped
    assert "queue" in left_out
    (disk,) = [name for name in left_out if name.startswith("disk")]
    assert disk.startswith("disk (aqu-sz, areq-sz, ")
    assert len(left_out) == len(set(left_out))


def test_an_old_file_counts_disks_in_sectors_and_cpus_together() -> None:
    text = old(
        {
            "cpu-load": [{"cpu": "all", "user": 25.0, "nice": 0, "system": 5.0, "iowait": 0, "idle": 70.0}],
            "disk": [{"disk-device": "sda", "tps": 9, "rd_sec": 1000, "wr_sec": 500, "util-percent": 40}],
            "swap-pages": {"pswpin": 2, "pswpout": 1},
        }
    )
    imported = values(read(text))
    assert imported["cpu/all/user_s"] == pytest.approx(4 * 0.25)
    assert imported["cpu/all/idle_s"] == pytest.approx(4 * 0.7)
    assert imported["disk/sda/read_bytes"] == 512_000
    assert imported["disk/sda/busy_s"] == pytest.approx(0.4)
    assert imported["memory/swapped_in_bytes"] == 8192


def test_pages_of_unknown_size_are_left_out() -> None:
    imported = read(old({"swap-pages": {"pswpin": 2, "pswpout": 1}}, machine="aarch64"))
    assert imported == Imported((), ("swap-pages",))


@pytest.mark.parametrize(
    ("name", "known"),
    [("w1.example.com", ("w1", "w2")), ("W1", ("w1.example.com", "w2.example.com"))],
)
def test_names_with_and_without_a_domain(name: str, known: tuple[str, ...]) -> None:
    text = TEXT.replace('"nodename": "w1"', f'"nodename": "{name}"')
    assert {one.machine for one in read(text, known=known).stretches} == {known[0]}


def test_a_strange_machine_is_named_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"day\.json: describes w1, which is not a machine of") as caught:
        read(TEXT, known=("node1", "node2"))
    assert caught.value.hint == "name the machine with --host NAME: node1, node2"
    assert {one.machine for one in read(TEXT, known=("node1",), host="node1").stretches} == {"node1"}
    with pytest.raises(UserError, match="--host: 'node3' is not a machine of the run"):
        read(TEXT, known=("node1",), host="node3")


def test_a_short_name_that_two_machines_share_is_none() -> None:
    with pytest.raises(UserError, match="not a machine of the run"):
        read(TEXT, known=("w1.east", "w1.west"))


@pytest.mark.parametrize("length", [40, 700, 5000, len(TEXT) - 3])
def test_a_file_that_is_cut_off(length: int) -> None:
    with pytest.raises(UserError, match=r"day.json: is truncated or not JSON, in line \d+") as caught:
        read(TEXT[:length])
    assert "LC_ALL=C sadf -j" in caught.value.hint


def test_numbers_with_a_decimal_comma() -> None:
    with pytest.raises(UserError, match=r"in line \d+"):
        read(TEXT.replace("33.33", "33,33"))


def test_local_times_are_refused() -> None:
    with pytest.raises(UserError, match="has times in an unknown local time zone") as caught:
        read(TEXT.replace('"utc": 1', '"utc": 0'))
    assert caught.value.hint == "leave out -t and -T of sadf"


@pytest.mark.parametrize(
    "content",
    [
        {"sysstat": {}},
        {"sysstat": {"hosts": [{"nodename": "w1"}]}},
        {"sysstat": {"hosts": [{"nodename": "w1", "statistics": [{"cpu-load": []}]}]}},
        {"sysstat": []},
        [],
    ],
)
def test_other_json_is_refused(content: object) -> None:
    with pytest.raises(UserError, match="is not what `sadf -j` prints"):
        read(json.dumps(content))
    with pytest.raises(UserError, match="is not what `sadf -j` prints"):
        read(old({"disk": [{"disk-device": "sda", "rkB": "much"}]}))


def _of_release(text: str, **timestamp: object) -> str:
    """A file whose times are written as another release does."""
    document = json.loads(text)
    for record in document["sysstat"]["hosts"][0]["statistics"]:
        moment = {key: record["timestamp"][key] for key in ("date", "time", "interval")}
        record["timestamp"] = {**moment, **timestamp}
    return json.dumps(document)


def test_current_sysstat_names_the_zone() -> None:
    assert read(_of_release(TEXT, tz="UTC")) == read(TEXT)


@pytest.mark.parametrize("timestamp", [{"tz": "CET"}, {"utc": 0}, {}])
def test_local_time_is_refused_whatever_the_release(timestamp: dict[str, object]) -> None:
    with pytest.raises(UserError) as refused:
        read(_of_release(TEXT, **timestamp))
    assert "zone" in refused.value.what or "local time" in refused.value.what
    assert refused.value.hint == "leave out -t and -T of sadf"


def test_the_processors_of_rhel_7_are_read() -> None:
    load = {"cpu": "all", "usr": 50.0, "nice": 0.0, "sys": 5.0, "iowait": 1.0, "steal": 0.0, "idle": 44.0}
    today, former = (read(old({name: [load]})) for name in ("cpu-load", "cpu-load-all"))
    assert former == today
    # Half of four processors for ten minutes.
    assert values(former)["cpu/all/user_s"] == pytest.approx(2.0)

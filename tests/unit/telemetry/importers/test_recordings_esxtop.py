"""Files of ``esxtop -b``, in the form that its documents describe: no ESXi was at hand to write one."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.telemetry.importers.recordings import is_esxtop, read_esxtop
from howdah.telemetry.importers.stretch import Imported, Machines

TEXT = (Path(__file__).parents[3] / "data/esxtop/esx01.csv").read_text()
KNOWN = ("esx01", "w01-1", "w01-2")
FIRST_S = 1_795_191_235.0
"""2026-11-20 16:13:55 UTC, the time of the file's first line."""


def read(text: str, known: tuple[str, ...] = KNOWN, host: str | None = None) -> Imported:
    return read_esxtop(text, "esx01.csv", Machines(known, host))


def second(imported: Imported) -> dict[tuple[str, str], float]:
    """The values of the file's second line."""
    return {(one.machine, one.metric): one.value for one in imported.stretches if one.end_s == FIRST_S + 5}


def test_a_host_and_its_virtual_machines() -> None:
    imported = read(TEXT)
    assert is_esxtop(TEXT[:100])
    assert {one.machine for one in imported.stretches} == set(KNOWN)
    # The first line's averages are over a time that nobody knows.
    assert min(one.start_s for one in imported.stretches) == FIRST_S
    assert {one.end_s - one.start_s for one in imported.stretches} == {5.0}
    values = second(imported)
    assert values["esx01", "cpu/0/user_s"] == pytest.approx(0.51)
    assert values["esx01", "cpu/0/idle_s"] == pytest.approx(0.49)
    assert values["esx01", "memory/available_bytes"] == 14_100 * 2**20
    assert values["esx01", "disk/naa.5000c500a1b2c3d4/read_bytes"] == 81 * 2**20
    assert values["esx01", "nic/vmnic0/tx_bytes"] == 850.25 * 2**20 / 8
    assert values["w01-1", "cpu/all/user_s"] == pytest.approx(1.25)
    assert values["w01-1", "cpu/all/idle_s"] == pytest.approx(0.65)
    assert values["w01-1", "cpu/all/steal_s"] == pytest.approx(0.065)
    assert values["w01-2", "disk/scsi0:1/written_bytes"] == 20.5 * 2**20
    assert values["w01-2", "nic/eth0/rx_bytes"] == 400.5 * 2**20 / 8


def test_what_is_counted_elsewhere_is_not_counted_twice() -> None:
    metrics = {one.metric for one in read(TEXT).stretches}
    assert not {metric for metric in metrics if "_Total" in metric or "Management" in metric}
    header = next(csv.reader(StringIO(TEXT)))
    disks = [name for name in header if name.endswith("MBytes Read/sec")]
    assert len(disks) == 6
    assert len([metric for metric in metrics if metric.endswith("read_bytes")]) == 3


def test_what_no_metric_stands_for_is_said_by_its_object() -> None:
    left_out = read(TEXT).unmapped
    assert "Memory (Machine MBytes, Memory Overcommit (1 Minute Avg))" in left_out
    assert [name for name in left_out if name.startswith("Physical Cpu")] == [
        "Physical Cpu (% Processor Time)"
    ]


def test_a_time_zone_in_the_header() -> None:
    east = TEXT.replace("(UTC)(0)", "(SE Asia Standard Time)(-420)")
    assert min(one.start_s for one in read(east).stretches) == FIRST_S - 7 * 3600


def test_another_name_for_the_host_is_not_one_for_its_machines() -> None:
    known = ("h1", "w01-1")
    with pytest.raises(UserError, match=r"describes esx01.example.com, which is not a machine of the run"):
        read(TEXT, known)
    assert {one.machine for one in read(TEXT, known, "h1").stretches} == {"h1", "w01-1"}


def test_a_last_line_that_is_cut_off_is_left_out() -> None:
    whole, cut = read(TEXT), read(TEXT[:-200])
    assert "the last line, which is truncated" in cut.unmapped
    assert max(one.end_s for one in cut.stretches) == max(one.end_s for one in whole.stretches) - 5


def test_a_line_without_its_columns() -> None:
    lines = TEXT.splitlines(keepends=True)
    lines[3] = ",".join(lines[3].split(",")[:20]) + "\n"
    with pytest.raises(UserError, match="line 4 has 20 columns, the first "):
        read("".join(lines))


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("(UTC)(0)", "", "not with a time zone"),
        ("11/20/2026 16:14:00", "20.11.2026 16:14", "is not a time in esxtop's format"),
        ('"51.00"', '"n/a"', "'n/a' is not a number"),
        ("\\Physical Cpu(0)\\% Util Time", "\\Util", "not a counter of esxtop"),
    ],
)
def test_what_is_no_file_of_esxtop(before: str, after: str, what: str) -> None:
    assert before in TEXT
    with pytest.raises(UserError, match=what):
        read(TEXT.replace(before, after))


@pytest.mark.parametrize("length", [10, 400])
def test_a_file_cut_off_within_its_first_line(length: int) -> None:
    with pytest.raises(UserError, match="is truncated in its first line, or not CSV"):
        read(TEXT[:length])


def test_a_value_that_is_missing_in_a_line() -> None:
    imported = read(TEXT.replace('"51.00"', '""'))
    assert ("esx01", "cpu/0/user_s") not in second(imported)
    assert ("esx01", "cpu/1/user_s") in second(imported)

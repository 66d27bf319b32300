"""Published tables become figures, and what does not fit a study is refused."""

from __future__ import annotations

import math

import pytest

from howdah.calibrate.study import PublishedStudy, PublishedTable
from howdah.calibrate.tables import KnownFigure, SortSetting, StudySetting, rows_of, table_figures
from howdah.errors import UserError
from howdah.simulation.published_studies import studies

TABLE = """# Elapsed seconds.
platform,teragen_s,terasort_s,teravalidate_s,map_shuffle_s,reduce_merge_s
Native,1072,3825,697,2616,1209
20 VMs,1289,,,-,
"""


def _study(name: str) -> PublishedStudy:
    return next(study for study in studies() if study.study == name)


def _figures(text: str) -> list[KnownFigure]:
    study = _study("vsphere6")
    return list(table_figures(study, study.tables[0], text, "table.csv"))


def test_cells_are_figures_and_blank_ones_are_not() -> None:
    found = _figures(TABLE)
    assert [(one.setting.platform, one.quantity, one.value) for one in found] == [
        ("Native", "teragen", 1072.0),
        ("Native", "terasort", 3825.0),
        ("Native", "teravalidate", 697.0),
        ("Native", "terasort/map-shuffle", 2616.0),
        ("Native", "terasort/reduce-merge", 1209.0),
        ("20 VMs", "teragen", 1289.0),
    ]
    assert {one.setting.dataset_bytes for one in found} == {30 * 10**12}


def test_a_table_whose_columns_are_platforms_is_turned() -> None:
    study = _study("seven-node")
    text = (
        "benchmark,native,vm1,status\n"
        "TeraGen 1TB,659,,recovered\n"
        "TeraSort 1TB,2629,,x\n"
        "TeraValidate 1TB,470,,x\n"
    )
    found = list(table_figures(study, study.tables[0], text, "table.csv"))
    assert {one.quantity: one.value for one in found} == {
        "teragen": 659.0,
        "terasort": 2629.0,
        "teravalidate": 470.0,
    }


def test_block_size_and_protection_tell_runs_apart() -> None:
    study = _study("fault-tolerance")
    table = study.tables[0]
    head = ",".join([*table.settings, *table.quantities])
    row = ",".join(["off", "8", *["5"] * len(table.quantities)])
    found = list(table_figures(study, table, f"{head}\n{row}\n", "table.csv"))
    assert {(one.setting.block_bytes, one.setting.protected) for one in found} == {(8 * 2**20, False)}


def test_hosts_slots_and_sort_buffers_distinguish_runs() -> None:
    study = _study("aloja")
    text = (
        "hosts,disks_per_host,slots_per_host,io_sort_factor,io_sort_mb,replicas_in,teragen_runs,teragen_median_s,"
        "teragen_least_s,teragen_most_s,terasort_runs,terasort_median_s,terasort_least_s,terasort_most_s\n"
        "16,3 SATA,12,10,100,2,,,,,4,300,222,309\n"
    )
    (figure,) = table_figures(study, study.tables[0], text, "table.csv")
    assert figure.setting == StudySetting(
        "3 SATA", 10**11, 2, 1, hosts=16, slots=12, sort=SortSetting(10, 100)
    )
    assert (figure.quantity, figure.value) == ("terasort", 300.0)
    # Four normal values reach over 2.06 standard deviations in the mean.
    assert figure.unsure.runs == pytest.approx(math.sqrt(math.pi / 2) * 87 / 2.059 / 2 / 300, rel=1e-3)
    assert figure.unsure.rounding == pytest.approx(1 / math.sqrt(12) / 300)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "table.csv", "contains no table"),
        ("# nothing\n", "table.csv", "contains no table"),
        ("platform,teragen_s\nNative,1072\n", "table.csv", "has no column map_shuffle_s"),
        (TABLE.replace("Native", "3 VMs"), "table.csv", "'3 VMs' is not a platform"),
        (TABLE.replace("1072", "fast"), "table.csv: teragen_s", "'fast' is not a number"),
        (TABLE.replace("1072", "-3"), "table.csv: teragen_s", "-3 is not a time or load"),
        (TABLE.replace("1072", "nan"), "table.csv: teragen_s", "nan is not a time or load"),
        (TABLE.replace("1072", "1072,3"), "table.csv:3", "has 7 fields, its header has 6"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, where: str, what: str) -> None:
    with pytest.raises(UserError) as caught:
        _figures(text)
    assert caught.value.where == where
    assert what in caught.value.what


def test_comments_and_blank_tables_have_no_rows() -> None:
    assert rows_of("# said\na,b\n", "t.csv") == []


def test_every_table_is_of_one_study() -> None:
    names = [table.file for study in studies() for table in {one.file: one for one in study.tables}.values()]
    assert len(names) == len(set(names))
    assert all(isinstance(table, PublishedTable) for study in studies() for table in study.tables)

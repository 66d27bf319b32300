"""Values as a report writes them, and the escaping of what comes from records."""

from __future__ import annotations

import pytest

from howdah.analysis.wording import probability
from howdah.report.document import Table, numeric_columns
from howdah.report.html import breakable, prose
from howdah.report.words import cited, in_unit, moment, setting, signed_bytes, source_text
from howdah.report.write import escaped, table


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.413, "s", "0.41 s"),
        (1.2e9, "B/s", "1.20 GB/s"),
        (5e6, "B", "5.00 MB"),
        (46.04, "%", "46 %"),
        (1.402, "1", "1.4"),
        (10_000, "1", "10,000"),
        (7, "operations", "7 operations"),
    ],
)
def test_numbers_carry_their_unit(value: float, unit: str, text: str) -> None:
    assert in_unit(value, unit) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (-0.2, "0 B"), (0, "0 B"), (-5e6, "\N{MINUS SIGN}5.00 MB"), (1e9, "1.00 GB")],
)
def test_differences_have_a_true_minus(value: float | None, text: str) -> None:
    assert signed_bytes(value) == text


def test_moments_are_for_people_and_survive_nonsense() -> None:
    assert moment("2026-11-20T17:14:00Z") == "20 November 2026, 17:14 UTC"
    assert moment("yesterday") == "yesterday"


@pytest.mark.parametrize(
    ("value", "text"), [(True, "yes"), (False, "no"), (10_000, "10,000"), (("a", "b"), "a, b"), (0.8, "0.8")]
)
def test_settings_are_written_plainly(value: int | float | str | bool | tuple[str, ...], text: str) -> None:
    assert setting("anything", value) == text


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("memory", 2**31, "2 GiB"),
        ("memory", 768 * 2**20, "768 MiB"),
        ("file size", 2**28, "256 MiB"),
        ("sample interval", 0.1, "0.10 s"),
    ],
)
def test_settings_with_a_unit_are_written_in_it(key: str, value: float, text: str) -> None:
    assert setting(key, value) == text


def test_cited_papers_are_named_and_no_others() -> None:
    line = cited(["D0 50: at least one map task per core", "howdah", "D2 108", "D0 24, 25", "D0 Appendix B"])
    assert "vSphere 6 study: Virtualized Hadoop Performance with VMware vSphere 6 on High-" in line
    assert "vSphere 5 study: A Benchmarking Case Study" in line
    assert "Fault Tolerance" not in line
    assert line.count("vSphere 6 study:") == 1
    assert cited(["howdah", "command line", "MD0 5"]) == ""


def test_sources_have_names_instead_of_abbreviations() -> None:
    assert source_text("D0 50: at least one map task per core") == (
        "vSphere 6 study, item 50: at least one map task per core"
    )
    assert source_text("D0 Appendix B, X7") == "vSphere 6 study, Appendix B, howdah, note 7"
    assert source_text("MD0 5, HDFS-7, Hadoop 3.5.0") == "MD0 5, HDFS-7, Hadoop 3.5.0"


def test_numbers_stay_with_their_units_on_one_line() -> None:
    assert prose("13 min 09 s of 1 h 5 min") == "13\u00a0min\u00a009\u00a0s of 1\u00a0h\u00a05\u00a0min"
    tied = "took 9.59\u00a0s, 1.21\u00a0× the copy, CPU 45\u00a0% busy, 10.0\u00a0GB in 8 maps"
    assert prose("took 9.59 s, 1.21 × the copy, CPU 45 % busy, 10.0 GB in 8 maps") == tied


def test_code_is_shown_as_code_and_everything_else_is_escaped() -> None:
    assert prose("run `howdah score <RUN>`, then <b>") == (
        "run <code>howdah score &lt;RUN&gt;</code>, then &lt;b&gt;"
    )
    assert breakable("`dfs.blocksize`") == "<code>dfs.blocksize</code>"
    assert prose("a ` alone") == "a ` alone"


def test_a_probability_too_small_to_matter_is_not_written_out() -> None:
    assert [probability(p) for p in (3.8e-08, 0.00015, 0.036)] == ["< 0.0001", "= 0.00015", "= 0.036"]


def test_columns_of_numbers_are_told_from_columns_of_text() -> None:
    rows = (("teragen", "4.24 s", "–", "3 min 05 s", "8 maps of 2"), ("x", "\N{MINUS SIGN}1", "2", "", "–"))
    assert numeric_columns(Table(("a", "b", "c", "d", "e"), rows)) == {1, 2, 3, 4}
    assert numeric_columns(Table(("a",), (("vda",), ("1",)))) == set()
    assert numeric_columns(Table(("p", "error"), (("< 0.0001", "+4.9 %"), ("0.3", "−31 %")))) == {0, 1}


def test_markdown_makes_markup_literal() -> None:
    assert escaped("<b>*x*</b> | [a](b) `c` & _d_\nnext") == (
        "\\<b\\>\\*x\\*\\</b\\> \\| \\[a\\](b) \\`c\\` &amp; \\_d\\_ next"
    )


def test_a_cell_cannot_break_out_of_its_table() -> None:
    lines = table(Table(("name", "n"), (("a|b\nc", "1"),))).splitlines()
    assert lines == ["| name | n |", "| --- | ---: |", "| a\\|b c | 1 |"]

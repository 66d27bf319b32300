"""The table of a check: worst first, nothing hidden, nothing that a terminal would obey."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from howdah.cli.check import check_table
from howdah.model.existing import Check, CheckReport, CheckVerdict


def _check(
    verdict: CheckVerdict, about: str, where: str = "hdfs-site.xml:7", *, expected: str = "3"
) -> Check:
    return Check(
        rule=f"hdfs.{about if about.isalpha() else 'odd'}",
        verdict=verdict,
        about=about,
        where=where,
        found="2",
        expected=expected,
        why="It is so.",
        fix="" if verdict is CheckVerdict.PASS else f"set {about}",
        source="D0 49",
    )


def _shown(*checks: Check, everything: bool = False, width: int = 80) -> str:
    report = CheckReport(
        scope="all",
        looked_at=("conf/hdfs-site.xml", "w01"),
        hadoop="3.5.0",
        hadoop_from="default",
        hbase="2.6.4",
        checks=checks,
    )
    out = StringIO()
    Console(file=out, width=width, color_system=None).print(check_table(report, everything=everything))
    return out.getvalue()


def test_findings_have_evidence_fix_and_rule() -> None:
    shown = _shown(_check(CheckVerdict.FAIL, "replicas"), _check(CheckVerdict.WARN, "blocks", "w01"))
    assert "fail  replicas in hdfs-site.xml:7: 2; expected 3" in shown
    assert "fix: set replicas" in shown
    assert "hdfs.replicas (D0 49)" in shown
    assert "1 fail · 1 warn · 0 advice · 0 cannot tell · 0 pass · Hadoop 3.5.0 (assumed" in shown


def test_the_most_damaging_comes_first_below_what_it_comes_to() -> None:
    slow = _check(CheckVerdict.WARN, "blocks").model_copy(update={"damage": "costs time"})
    fatal = _check(CheckVerdict.FAIL, "replicas").model_copy(update={"damage": "stops a daemon"})
    shown = _shown(fatal, slow)
    assert shown.index("stops a daemon") < shown.index("replicas") < shown.index("costs time")


def test_advice_is_one_line_until_it_is_asked_for() -> None:
    advice = [_check(CheckVerdict.ADVICE, name) for name in ("a", "b")]
    assert "howdah would set 2 defaults differently: --advice lists them" in _shown(*advice, width=120)
    assert "advice  a in hdfs-site.xml:7" in _shown(*advice, everything=True)


def test_passes_are_counted_and_listed_only_when_asked() -> None:
    passing = _check(CheckVerdict.PASS, "replicas")
    assert "replicas" not in _shown(passing)
    assert "1 pass" in _shown(passing)
    assert "pass  replicas in hdfs-site.xml:7: 2\n" in _shown(passing, everything=True)


def test_what_cannot_be_told_is_one_line_for_each_thing_that_is_missing() -> None:
    checks = [_check(CheckVerdict.UNKNOWN, name, expected="the cluster: give a plan") for name in "abcde"]
    shown = _shown(*checks)
    assert shown.count("the cluster: give a plan") == 1
    assert "5 rules" in shown
    assert "hdfs.a, hdfs.b, hdfs.c, …" in shown
    assert "hdfs.e" in _shown(*checks, everything=True)


def test_no_text_can_move_the_cursor() -> None:
    shown = _shown(_check(CheckVerdict.FAIL, "a\x1b[2Jb\rc", "x\x1b]0;t\x07", expected="[bold]3[/bold]"))
    assert not {"\x1b", "\r", "\x07"} & set(shown)
    assert "[bold]3[/bold]" in shown


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_keeps_to_the_terminal(width: int) -> None:
    shown = _shown(_check(CheckVerdict.FAIL, "dfs." + "very-long-" * 12), width=width)
    assert max(map(len, shown.splitlines())) <= width

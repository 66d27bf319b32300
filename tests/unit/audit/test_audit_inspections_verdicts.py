"""From a rule and a value that exists to a verdict, with the evidence and the fix."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from howdah.audit.audit import check_inspections, check_settings
from howdah.audit.existing import Subject
from howdah.audit.facts import found_facts
from howdah.audit.folder import Releases, read_folders
from howdah.audit.values import Values, read_like
from howdah.errors import UserError
from howdah.model.existing import Check, CheckVerdict, ExistingSystem
from howdah.model.plan import Value
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation
from howdah.planner.rule import Decision, FamilyRule, Inspection, SettingRule, Severity
from howdah.planner.rules.declare import as_number
from howdah.releases.catalogue import hadoop, hbase


def _subject(folder: Path, properties: Mapping[str, str]) -> Subject:
    rows = "\n".join(
        f"<property><name>{k}</name><value>{v}</value></property>" for k, v in properties.items()
    )
    (folder / "hdfs-site.xml").write_text(f"<configuration>\n{rows}\n</configuration>")
    config = read_folders([folder])
    values = Values(config, (hadoop(), hbase()))
    found = ExistingSystem(config=config)
    return Subject(system=found, facts=found_facts(found, values, values, Releases()), values=values)


def _rule(key: str, value: Value, severity: Severity = Severity.MUST, *, written: bool = True) -> SettingRule:
    return SettingRule(
        id="hdfs.test",
        says="It is so.",
        sources=("D0 49",),
        severity=severity,
        key=key,
        file="hdfs-site.xml",
        decide=lambda facts: Decision(value, "of that"),
        written=written,
    )


def _only(rule: SettingRule | FamilyRule, subject: Subject) -> Check:
    (check,) = check_settings([rule], subject)
    return check


@pytest.mark.parametrize(
    ("severity", "verdict"),
    [
        (Severity.MUST, CheckVerdict.FAIL),
        (Severity.SHOULD, CheckVerdict.WARN),
        (Severity.MAY, CheckVerdict.PASS),
    ],
)
def test_severity_decides_what_a_broken_rule_is(
    tmp_path: Path, severity: Severity, verdict: CheckVerdict
) -> None:
    check = _only(_rule("dfs.replication", 3, severity), _subject(tmp_path, {"dfs.replication": "2"}))
    assert check.verdict is verdict
    assert (check.found, check.expected, check.where) == ("2", "3", "hdfs-site.xml:2")
    assert check.fix == "set dfs.replication to 3 in hdfs-site.xml:2"
    assert "of that" in check.why
    assert check.source == "D0 49"


def test_a_default_is_judged_and_told_from_what_is_written(tmp_path: Path) -> None:
    subject = _subject(tmp_path, {})
    assert _only(_rule("dfs.replication", 3), subject).verdict is CheckVerdict.PASS
    check = _only(_rule("dfs.replication", 2), subject)
    assert check.found == "3 (default)"
    assert check.fix == "add dfs.replication = 2 to hdfs-site.xml"


def test_nothing_at_all_breaks_a_rule_that_writes_a_value(tmp_path: Path) -> None:
    subject = _subject(tmp_path, {})
    assert _only(_rule("dfs.hosts", "/etc/include"), subject).found == "nothing (default)"
    assert not list(check_settings([_rule("dfs.no.such.key", 7, written=False)], subject))


def test_sizes_are_compared_as_sizes(tmp_path: Path) -> None:
    subject = _subject(tmp_path, {"dfs.blocksize": "256m"})
    assert _only(_rule("dfs.blocksize", 268435456), subject).verdict is CheckVerdict.PASS


def test_what_only_a_daemon_knows_cannot_be_told(tmp_path: Path) -> None:
    check = _only(_rule("dfs.replication", 3), _subject(tmp_path, {"dfs.replication": "${env.REPLICAS}"}))
    assert check.verdict is CheckVerdict.UNKNOWN
    assert "${env.REPLICAS}" in check.expected


def test_a_rule_that_needs_the_cluster_says_so(tmp_path: Path) -> None:
    rule = SettingRule(
        id="hdfs.test",
        says="It is so.",
        sources=("howdah",),
        key="dfs.replication",
        file="hdfs-site.xml",
        decide=lambda facts: Decision(facts.cluster.workers, ""),
        accepts=lambda value, decision, facts: as_number(value) >= as_number(decision.value),
    )
    check = _only(rule, _subject(tmp_path, {}))
    assert check.verdict is CheckVerdict.UNKNOWN
    assert "give a plan" in check.expected


def test_a_rule_that_refuses_the_request_says_why(tmp_path: Path) -> None:
    def refuse(facts: Facts) -> Decision:
        raise UserError("--replication", "is more than there are hosts", "give less")

    rule = _rule("dfs.replication", 3)
    refusing = SettingRule(
        id=rule.id, says=rule.says, sources=rule.sources, key=rule.key, file=rule.file, decide=refuse
    )
    assert _only(refusing, _subject(tmp_path, {})).verdict is CheckVerdict.UNKNOWN


def test_a_family_is_judged_key_by_key(tmp_path: Path) -> None:
    rule = FamilyRule(
        id="ha.test",
        says="It is so.",
        sources=("howdah",),
        family="dfs.ha.namenodes.<ns>",
        file="hdfs-site.xml",
        members=lambda facts: {"dfs.ha.namenodes.prod": Decision(("nn1", "nn2"), "two of them")},
    )
    assert _only(rule, _subject(tmp_path, {"dfs.ha.namenodes.prod": "nn1, nn2"})).verdict is CheckVerdict.PASS
    assert _only(rule, _subject(tmp_path, {"dfs.ha.namenodes.prod": "nn1"})).verdict is CheckVerdict.WARN


def test_an_inspection_that_cannot_tell_names_what_is_missing(tmp_path: Path) -> None:
    rule = Inspection(
        id="disks.test",
        says="It is so.",
        sources=("howdah",),
        inspect=lambda found, facts: [Observation(None, "sdb", "not known", "the disk's model")],
    )
    (check,) = check_inspections((rule,), _subject(tmp_path, {}))
    assert (check.verdict, check.expected) == (CheckVerdict.UNKNOWN, "the disk's model")


@pytest.mark.parametrize(
    ("text", "like", "kind", "value"),
    [
        ("TRUE", False, "bool", True),
        ("0x10", 1, "int", 16),
        ("64m", 1, "size", 64 * 2**20),
        ("a, b,,c", ("x",), "text", ("a", "b", "c")),
        ("60s", "1m", "duration", "1m"),
        ("61s", "1m", "duration", "61s"),
        ("2m", 120, "duration", 120),
        ("0.5", 1.0, "float", 0.5),
    ],
)
def test_texts_are_read_as_the_type_that_is_wanted(text: str, like: Value, kind: str, value: Value) -> None:
    assert read_like(text, like, kind) == value


@pytest.mark.parametrize(("text", "like"), [("yes", True), ("0.5", 1), ("128m", 1), ("many", 1.0), ("", 1)])
def test_texts_of_another_type_are_misfits(text: str, like: Value) -> None:
    assert read_like(text, like, "int") is None

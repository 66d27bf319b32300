"""Journals: their form, their number, their directory and its disk."""

from __future__ import annotations

import pytest

from howdah.model.host import Host
from howdah.planner.rules.ha import quorums
from support.faults import Exhibit
from support.pairs import NAMENODES, complaints_about, found_with, rules_in, without

SHARED, DIR = "dfs.namenode.shared.edits.dir", "dfs.journalnode.edits.dir"
JOURNALS = [rule for rule in rules_in(quorums) if rule.id.startswith("ha.journal")]
BLOCKS = {"dfs.datanode.data.dir": "/data/01/dfs,/data/02/dfs"}


def rules_against(properties: dict[str, str], **config: list[str]) -> list[str]:
    found = found_with({**NAMENODES, **properties}, workers=config.get("workers", []))
    return [rule for rule, _ in complaints_about(JOURNALS, found)]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("qjournal://h1:8485;h2:8485;h3:8485/ns", []),
        ("qjournal://h1;h2;h3;h4;h5/ns", []),
        ("file:///mnt/filer/edits", []),
        ("qjournal://h1:8485;h2:8485/ns", ["ha.journal-quorum"]),
        ("qjournal://h1:8485/ns", ["ha.journal-quorum"]),
        ("qjournal://h1:8485;h1:8486;h2:8485/ns", ["ha.journal-quorum"]),
        ("qjournal://h1:8485;h2:8485;h3:8485", ["ha.journal-form"]),
        ("qjournal://h1:8485;h2:8485;h3:8485/a/b", ["ha.journal-form"]),
        ("qjournal://h1:8485,h2:8485,h3:8485/ns", ["ha.journal-form"]),
        ("qjournal://h1:8485;h2:8485;h3:8485/ns,file:///mnt/edits", ["ha.journal-form"]),
    ],
)
def test_a_journal_has_a_form_and_a_number(text: str, rules: list[str]) -> None:
    assert rules_against({SHARED: text}) == rules


def test_the_fix_writes_the_journal_as_it_was_meant() -> None:
    for text in ("qjournal://h1:8485,h2:8485,h3:8485/ns", "qjournal://h1:8485;h2:8485;h3:8485"):
        ((_, one),) = complaints_about(rules_in(quorums), found_with({**NAMENODES, SHARED: text}))
        assert f"{SHARED} to qjournal://h1:8485;h2:8485;h3:8485/ns in" in one.fix


@pytest.mark.parametrize(
    ("text", "well"),
    [
        ("/var/lib/hadoop/journal", True),
        ("/tmp/journal", False),
        ("journal", False),
        ("file:///srv/journal", False),
        ("/srv/a,/srv/b", False),
    ],
)
def test_a_journal_node_has_one_directory_that_lasts(text: str, well: bool) -> None:
    assert rules_against({DIR: text}) == ([] if well else ["ha.journal-place"])


def test_what_is_not_set_lies_below_tmp() -> None:
    ((rule, one),) = complaints_about(rules_in(quorums), found_with(without(NAMENODES, DIR)))
    assert (rule, one.found) == ("ha.journal-place", "not set: /tmp/hadoop/dfs/journalnode")


def test_a_uri_is_made_a_path() -> None:
    ((_, one),) = complaints_about(rules_in(quorums), found_with({**NAMENODES, DIR: "file:///srv/journal"}))
    assert f"set {DIR} to /srv/journal in" in one.fix


def test_a_journal_is_not_among_blocks_where_journal_nodes_are_workers() -> None:
    beside = {DIR: "/data/01/journal", **BLOCKS}
    assert rules_against(beside, workers=["h1", "w1"]) == ["ha.journal-disk"]
    assert rules_against(beside) == ["ha.journal-disk"]
    assert rules_against(beside, workers=["w1", "w2"]) == []
    assert rules_against({**beside, DIR: "/data/journal"}) == []


def test_a_journal_is_on_a_disk_of_its_own_host() -> None:
    record = Exhibit.sound().host
    record["other_mounts"] = [{"mount": "/mnt/filer", "device": "filer:/vol", "kind": "nfs4"}]
    found = found_with({**NAMENODES, DIR: "/mnt/filer/journal"}, host=Host.model_validate(record))
    ((rule, one),) = complaints_about(rules_in(quorums), found)
    assert rule == "ha.journal-disk"
    assert "another host's disk" in one.found


def test_services_with_journals_of_their_own_are_each_asked() -> None:
    two = {
        **without(NAMENODES, SHARED, DIR),
        "dfs.nameservices": "ns,other",
        "dfs.ha.namenodes.other": "a,b",
        f"{SHARED}.ns": "qjournal://h1;h2;h3/ns",
        f"{SHARED}.other": "qjournal://h1;h2/other",
        f"{DIR}.ns": "/srv/journal",
        f"{DIR}.other": "/tmp/journal",
    }
    found = [(rule, one.about) for rule, one in complaints_about(rules_in(quorums), found_with(two))]
    assert found == [
        ("ha.journal-quorum", f"{SHARED}.other"),
        ("ha.journal-place", f"{DIR}.other"),
    ]

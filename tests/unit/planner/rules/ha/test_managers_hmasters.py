"""HMasters: a second one where there is a second NameNode and HBase's scripts start them."""

from __future__ import annotations

from support.facts import rules_of
from support.pairs import NAMENODES, complaints_about, found_with


def test_a_second_hmaster_is_asked_for_where_scripts_start_them() -> None:
    ((rule, one),) = complaints_about(rules_of("ha"), found_with(NAMENODES, files=["regionservers"]))
    assert (rule, one.about) == ("ha.second-hmaster", "backup-masters")
    there = found_with(NAMENODES, files=["regionservers"], backup_masters=["h2"])
    assert complaints_about(rules_of("ha"), there) == []


def test_nothing_is_asked_where_others_start_them_or_one_name_node_does() -> None:
    assert complaints_about(rules_of("ha"), found_with(NAMENODES)) == []
    assert complaints_about(rules_of("ha"), found_with({}, files=["regionservers"])) == []

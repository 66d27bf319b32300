"""Every key that a rule decides has a file that can hold it, and every supported release knows it today."""

from __future__ import annotations

import re

import pytest

from howdah.planner.rule import FamilyRule, SettingRule
from howdah.planner.rules.catalogue import RULES
from howdah.releases import catalogue
from howdah.releases.catalogue import HBASE_VERSIONS, PLANNED_VERSIONS, Release
from howdah.render.text import HADOOP_ENV, HADOOP_XML, HBASE_ENV, HBASE_XML, SETTING_FILES

KEYS = sorted(
    {(rule.key, rule.file, rule.id) for rule in RULES if isinstance(rule, SettingRule)}
    | {
        (re.sub(r"<(\w+)>", r"\1", rule.family), rule.file, rule.id)
        for rule in RULES
        if isinstance(rule, FamilyRule)
    }
)

# Their rules are silent for such a release, which test_rules_ha.py holds them to.
NOT_DECIDED = {
    "3.3.6": {"yarn.resourcemanager.zk-address", "mapreduce.jvm.add-opens-as-default"},
    "3.4.2": {"yarn.resourcemanager.zk-address"},
}


def _known(key: str, *known_to: Release) -> bool:
    return any(release.find(key) is not None and not release.replacement(key) for release in known_to)


def test_every_rule_names_a_file_that_is_rendered() -> None:
    assert {file for _, file, _ in KEYS} <= SETTING_FILES


@pytest.mark.parametrize("version", PLANNED_VERSIONS)
def test_every_hadoop_release_knows_the_keys(version: str) -> None:
    release = catalogue.hadoop(version)
    unknown = {key for key, file, _ in KEYS if file in HADOOP_XML and not _known(key, release)}
    assert unknown == NOT_DECIDED.get(version, set())


@pytest.mark.parametrize("version", HBASE_VERSIONS)
def test_every_hbase_release_knows_the_keys(version: str) -> None:
    known_to = (catalogue.hbase(version), catalogue.hadoop(PLANNED_VERSIONS[-1]))
    assert not [one for one in KEYS if one[1] in HBASE_XML and not _known(one[0], *known_to)]


def test_keys_of_env_files_are_variables() -> None:
    names = [key for key, file, _ in KEYS if file in (*HADOOP_ENV, *HBASE_ENV)]
    assert names
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]*", name) for name in names)

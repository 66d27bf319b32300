"""A rule's id says what it is about and where it is written: a file next to the module with its functions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import howdah.planner.rules
from howdah.planner.rules.catalogue import FILES, RULES, SUBJECTS
from howdah.planner.rules.declare import Rules

FOLDER = Path(howdah.planner.rules.__file__).parent
TABLES = {
    "subjects.toml",
    "sources.toml",
    "keys.toml",
    "java.toml",
    "zoo_cfg.toml",
    "consistency/limits.toml",
    "consistency/needs.toml",
    "consistency/words.toml",
}
"""Files with values alone."""


def _names(rules: Rules, field: str) -> set[str]:
    """The names in a field of a file's rules, alone, in a list or for the cases of a value."""
    names = [entry[field] for entry in rules.entries.values() if field in entry]
    names += [name for entry in rules.entries.values() for name in entry.get("cases", {}).values()]
    return {str(part) for name in names for part in (name if isinstance(name, list) else [name])}


def test_every_file_of_rules_is_in_the_catalogue() -> None:
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.toml")}
    assert files - TABLES == {rules.file for rules in FILES}
    entries = [
        f"{subject}.{name}"
        for file in files - TABLES
        for subject, table in tomllib.loads((FOLDER / file).read_text(encoding="utf-8")).items()
        for name, entry in table.items()
        if isinstance(entry, dict)
    ]
    assert sorted(entries) == sorted(rule.id for rule in RULES)


def test_a_file_is_next_to_the_module_or_the_package_with_its_functions() -> None:
    places = {rules.file: (FOLDER / rules.file).with_suffix("") for rules in FILES}
    assert all(place.is_dir() or place.with_suffix(".py").is_file() for place in places.values())


def test_every_subject_has_rules_and_is_described() -> None:
    assert list(SUBJECTS) == list(dict.fromkeys(rule.subject for rule in RULES))
    assert [name for name, subject in SUBJECTS.items() if not subject.about.endswith(".")] == []


def test_every_name_that_a_module_gives_is_in_its_file() -> None:
    for rules in FILES:
        assert set(rules.conditions) <= _names(rules, "when"), rules.file
        assert set(rules.acceptances) <= _names(rules, "accepts"), rules.file


def test_sentences_are_on_one_line_each() -> None:
    """A reader can find them with grep."""
    for rules in FILES:
        text = (FOLDER / rules.file).read_text(encoding="utf-8")
        assert not re.search(r'"""|\'\'\'', text), rules.file

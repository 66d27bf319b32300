"""A rule's id says where it is written: the module of its subject, or a module of its subject's package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import howdah.planner.rules
from howdah.planner.rules.catalogue import RULES

FOLDER = Path(howdah.planner.rules.__file__).parent
PLANNER = FOLDER.parent
NOT_RULES = {"catalogue", "declare", "__init__"}
DECLARATIONS = {"fixed", "setting", "family", "inspection", "advice", "principle"}


def written(source: str) -> Iterator[str]:
    """The id of every rule that a source declares, as far as it is text: ``ha.`` of ``f"ha.{name}"``."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        rule_id = node.args[0]
        first = rule_id.values[0] if isinstance(rule_id, ast.JoinedStr) else rule_id
        if (
            node.func.attr in DECLARATIONS
            and isinstance(first, ast.Constant)
            and re.fullmatch(r"[a-z]+\.[a-z0-9-]*", str(first.value))
        ):
            yield str(first.value)


def subject_of(path: Path) -> str:
    """The module or the package that stands directly in planner/rules; other files have no subject."""
    if not path.is_relative_to(FOLDER):
        return f"none: {path.relative_to(PLANNER)}"
    return path.relative_to(FOLDER).parts[0].removesuffix(".py")


def test_every_rule_is_written_in_the_module_of_its_subject() -> None:
    strays = [
        (rule_id, path.relative_to(PLANNER).as_posix())
        for path in sorted(PLANNER.rglob("*.py"))
        for rule_id in written(path.read_text(encoding="utf-8"))
        if rule_id.partition(".")[0] != subject_of(path)
    ]
    assert strays == []


def test_every_rule_of_the_catalogue_is_found_where_it_is_written() -> None:
    found = {start for path in FOLDER.rglob("*.py") for start in written(path.read_text(encoding="utf-8"))}
    assert [rule.id for rule in RULES if not rule.id.startswith(tuple(found))] == []


def test_every_module_of_rules_has_a_subject() -> None:
    """A module that writes no rule, which several subjects share, is beside planner/rules and not in it."""
    files = [path for path in FOLDER.rglob("*.py") if path.stem not in NOT_RULES]
    assert [path.name for path in files if not list(written(path.read_text(encoding="utf-8")))] == []
    assert {subject_of(path) for path in files} == {rule.subject for rule in RULES}

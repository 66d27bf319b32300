"""Every rule, in the order in which settings are decided: a rule may read what the ones before it gave."""

from __future__ import annotations

import difflib
from importlib import import_module
from pkgutil import walk_packages
from typing import NamedTuple

from howdah.errors import UserError
from howdah.planner import rules
from howdah.planner.rule import AdviceRule, FamilyRule, Inspection, Rule, SettingRule
from howdah.planner.rules.declare import Rules, read_table


class SubjectPage(NamedTuple):
    """What rules are about: the title of its page, and a sentence."""

    title: str
    about: str


SUBJECTS = {
    name: SubjectPage(entry.get("title", name.capitalize()), entry["about"])
    for name, entry in read_table("subjects.toml").items()
}
"""Subjects in the order in which settings are decided."""
_ORDER = {subject: place for place, subject in enumerate(SUBJECTS)}
_MODULES = (import_module(module.name) for module in walk_packages(rules.__path__, f"{rules.__name__}."))
FILES: tuple[Rules, ...] = tuple(
    {module.rules: None for module in _MODULES if isinstance(getattr(module, "rules", None), Rules)}
)
"""Every file of rules, with the functions that all modules give it."""
RULES: tuple[Rule, ...] = tuple(
    sorted((rule for file in FILES for rule in file), key=lambda rule: _ORDER[rule.subject])
)
SETTING_RULES = tuple(rule for rule in RULES if isinstance(rule, SettingRule | FamilyRule))
INSPECTIONS = tuple(rule for rule in RULES if isinstance(rule, Inspection))
ADVICE_RULES = tuple(rule for rule in RULES if isinstance(rule, AdviceRule))
_BY_ID = {rule.id: rule for rule in RULES}


def find_rule(rule_id: str) -> Rule:
    """The rule of that id; raise UserError with the nearest one if there is none."""
    if rule_id in _BY_ID:
        return _BY_ID[rule_id]
    near = difflib.get_close_matches(rule_id, _BY_ID, n=1)
    hint = f"did you mean {near[0]}?" if near else "see `howdah rules`"
    raise UserError(f"rule {rule_id!r}", "there is no rule with this id", hint)

"""The rules as an administrator looks them up."""

from __future__ import annotations

from howdah import releases
from howdah.errors import UserError
from howdah.planner.explanation import MEANINGS, Explanation, explain
from howdah.planner.literature import PAPERS
from howdah.planner.rule import Severity
from howdah.planner.rules.catalogue import RULES, find_rule

__all__ = ["MEANINGS", "Explanation", "default_of", "explain_rule", "list_rules", "rule_ids", "subjects"]


def subjects() -> tuple[str, ...]:
    """The subjects of rules, in the catalogue's order."""
    return tuple(dict.fromkeys(rule.subject for rule in RULES))


def rule_ids() -> tuple[str, ...]:
    """The ids of all rules."""
    return tuple(rule.id for rule in RULES)


def explain_rule(rule_id: str) -> Explanation:
    """The rule of that id; raises UserError with the nearest id."""
    return explain(find_rule(rule_id))


def list_rules(
    subject: str | None = None, severity: str | None = None, source: str | None = None
) -> tuple[Explanation, ...]:
    """The rules that all given filters leave; raises UserError for a filter that can leave none.

    ``source`` is a paper (``D0``), one of its items (``D0 49``) or any other source by its beginning.
    """
    if subject is not None and subject not in subjects():
        raise UserError(
            "--subject", f"there are no rules about {subject!r}", f"one of {', '.join(subjects())}"
        )
    if severity is not None and severity not in list(Severity):
        raise UserError("--severity", f"{severity!r} is not a severity", f"one of {', '.join(Severity)}")
    rules = [
        rule
        for rule in RULES
        if subject in (None, rule.subject)
        and severity in (None, rule.severity)
        and (source is None or any(_cites(one, source) for one in rule.sources))
    ]
    if source is not None and not any(_cites(one, source) for rule in RULES for one in rule.sources):
        raise UserError(
            "--source",
            f"no rule rests on {source!r}",
            f"a paper ({', '.join(PAPERS)}), one of its items such as 'D0 49', or X1 to X11",
        )
    return tuple(map(explain, rules))


def default_of(key: str) -> str | None:
    """The default of a key in the releases that plans are for unless others are named; None without one."""
    return releases.default_of(key, releases.hadoop(), releases.hbase())


def _cites(source: str, wanted: str) -> bool:
    """Whether a source begins with what is wanted, at the end of a word: ``D0 4`` is not ``D0 49``."""
    cited, asked = source.lower(), wanted.lower().strip()
    return cited == asked or cited.startswith((f"{asked} ", f"{asked}-", f"{asked}:"))

"""What a plan has under a name that an administrator gives, and the rules behind it."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.plan import Candidate, ClusterPlan, Master, Setting
from howdah.planner.document import PAPERS, Explanation, explain
from howdah.planner.rule import Severity
from howdah.planner.rules.catalogue import RULES, find_rule
from howdah.releases import catalogue
from howdah.session.plan.plans import grounds, release_default

__all__ = ["grounds"]


class Explained(NamedTuple):
    """What bears a name: a key may have a value for each kind of worker, a platform one for each group."""

    settings: tuple[Setting, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    masters: tuple[Master, ...] = ()


def find(plan: ClusterPlan, path: Path, name: str) -> Explained:
    """What the plan in ``path`` knows by this name; raises UserError with the nearest name it knows."""
    cluster = plan.cluster
    explanation = Explained(
        settings=tuple(setting for setting in plan.settings if setting.key == name),
        candidates=tuple(candidate for candidate in cluster.candidates if name in _platforms(candidate)),
        masters=tuple(master for master in cluster.masters if master.name == name),
    )
    if not any(explanation):
        raise _unknown(plan, path, name)
    return explanation


def names(plan: ClusterPlan) -> list[str]:
    """Everything that can be explained: keys, platforms and masters."""
    every = [setting.key for setting in plan.settings]
    every += [platform for candidate in plan.cluster.candidates for platform in _platforms(candidate)]
    every += [master.name for master in plan.cluster.masters]
    return list(dict.fromkeys(every))


def _platforms(candidate: Candidate) -> list[str]:
    """The names of a platform; what is refused for one reason is one candidate: ``3, 5–7 per host``."""
    if candidate.verdict != "refused":
        return [candidate.platform]
    spans = re.findall(r"(\d+)(?:\N{EN DASH}(\d+))?", candidate.platform)
    numbers = (number for first, last in spans for number in range(int(first), int(last or first) + 1))
    return [f"{number} per host" for number in numbers]


def _unknown(plan: ClusterPlan, path: Path, name: str) -> UserError:
    default = release_default(plan, name)
    if default is not None:
        default_text = f"the release's default applies: {default or '(empty)'}"
        return UserError(name, f"has no value in {path}", f"{default_text}; --set {name}=VALUE sets it")
    near = difflib.get_close_matches(name, names(plan), n=1)
    listing = f"`howdah plan explain {path}` lists all keys, platforms and masters"
    hint = f"did you mean {near[0]}?" if near else listing
    return UserError(name, f"is not a key, platform or master of {path}", hint)


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
        raise UserError("--subject", f"no subject {subject!r} has rules", f"one of {', '.join(subjects())}")
    if severity is not None and severity not in list(Severity):
        raise UserError("--severity", f"{severity!r} is not a severity", f"one of {', '.join(Severity)}")
    rules = [
        rule
        for rule in RULES
        if subject in (None, rule.subject)
        and severity in (None, rule.severity)
        and (source is None or any(_cites(cited, source) for cited in rule.sources))
    ]
    if source is not None and not any(_cites(cited, source) for rule in RULES for cited in rule.sources):
        raise UserError(
            "--source",
            f"no rule is based on {source!r}",
            f"a paper ({', '.join(PAPERS)}), one of its items such as 'D0 49', or X1 to X11",
        )
    return tuple(map(explain, rules))


def default_of(key: str) -> str | None:
    """The default of a key in the releases that plans are for unless others are named; None without one."""
    return catalogue.default_of(key, catalogue.hadoop(), catalogue.hbase())


def _cites(source: str, citation: str) -> bool:
    """Whether a source begins with what is wanted, at the end of a word: ``D0 4`` is not ``D0 49``."""
    cited, beginning = source.lower(), citation.lower().strip()
    return cited == beginning or cited.startswith((f"{beginning} ", f"{beginning}-", f"{beginning}:"))

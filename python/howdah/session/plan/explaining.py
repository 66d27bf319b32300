"""What a plan says of one thing that an administrator names: a key, a platform or a master."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.plan import Candidate, Master, Plan, Setting
from howdah.report.plan.reasons import candidate_text, list_text, master_text, setting_text
from howdah.session.plan.plans import grounds, load_plan, release_default

__all__ = [
    "Found",
    "candidate_text",
    "find",
    "grounds",
    "list_text",
    "load_plan",
    "master_text",
    "names",
    "release_default",
    "setting_text",
]


class Found(NamedTuple):
    """What bears a name: a key may have a value for each kind of worker, a platform one for each group."""

    settings: tuple[Setting, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    masters: tuple[Master, ...] = ()


def find(plan: Plan, path: Path, name: str) -> Found:
    """What the plan in ``path`` knows by this name; raises UserError with the nearest name it knows."""
    cluster = plan.cluster
    found = Found(
        settings=tuple(one for one in plan.settings if one.key == name),
        candidates=tuple(one for one in cluster.candidates if name in _platforms(one)) if cluster else (),
        masters=tuple(one for one in cluster.masters if one.name == name) if cluster else (),
    )
    if not any(found):
        raise _unknown(plan, path, name)
    return found


def names(plan: Plan) -> list[str]:
    """Everything that can be explained: keys, platforms and masters."""
    known = [one.key for one in plan.settings]
    if plan.cluster is not None:
        known += [platform for one in plan.cluster.candidates for platform in _platforms(one)]
        known += [one.name for one in plan.cluster.masters]
    return list(dict.fromkeys(known))


def _platforms(candidate: Candidate) -> list[str]:
    """The names of a platform; what is refused for one reason is one candidate: ``3, 5–7 per host``."""
    if candidate.verdict != "refused":
        return [candidate.platform]
    spans = re.findall(r"(\d+)(?:\N{EN DASH}(\d+))?", candidate.platform)
    numbers = (number for first, last in spans for number in range(int(first), int(last or first) + 1))
    return [f"{number} per host" for number in numbers]


def _unknown(plan: Plan, path: Path, name: str) -> UserError:
    default = release_default(plan, name)
    if default is not None:
        said = f"the release's default holds: {default or '(empty)'}"
        return UserError(name, f"is not decided in {path}", f"{said}; --set {name}=VALUE sets it")
    near = difflib.get_close_matches(name, names(plan), n=1)
    hint = f"did you mean {near[0]}?" if near else f"`howdah plan explain {path}` lists what it holds"
    return UserError(name, f"is not a key, platform or master of {path}", hint)

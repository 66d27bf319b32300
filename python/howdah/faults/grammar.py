"""A fault in one line: ``kill regionserver@h1-1 at ycsb-a 40%``, ``pause worker:w1 at 30s for 20s``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import get_args

from howdah.errors import UserError
from howdah.hadoop.daemons import BY_NAME, PAIRED
from howdah.hadoop.daemons import DAEMONS as _CATALOGUE
from howdah.model.faults import (
    AT_ONCE,
    OF_DAEMONS,
    OF_PLACES,
    WITH_RATE,
    Action,
    ClusterFault,
    FaultTarget,
    Moment,
    Place,
)
from howdah.model.plan import Role
from howdah.units import listed, parse_bits_per_s, parse_bytes, parse_duration

APPLICATION_MASTER = "application-master"
JOURNALNODE = _CATALOGUE[Role.JOURNALNODE].name
DAEMONS = (*BY_NAME, APPLICATION_MASTER)
"""The daemons that a fault may hit, by the names of Hadoop's own scripts."""
PAIRS = tuple(_CATALOGUE[role].name for role in PAIRED)  # The daemons with a standby.
STATES = ("active", "standby")

_PLACES: tuple[Place, ...] = get_args(Place)
_LONGEST_S = 30 * 86400.0  # Longer than any run; a thread cannot wait much longer.
_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")
_WORDS = ("to", "at", "for")
EXAMPLE = (
    "write, for example, 'kill regionserver@h1-1 at ycsb-a 40%' or 'pause namenode:active at 30s for 20s'"
)


def parse_fault(text: str, where: str = "--fault") -> ClusterFault:
    """Return the fault of a line; raise UserError with ``where`` if the line is not a fault."""
    words = text.split()
    place = f"{where} '{text}'"
    if len(words) < 2:
        raise UserError(place, "is not a fault", EXAMPLE)
    if words[0] not in tuple(Action):
        raise UserError(place, f"{words[0]!r} is not a kind of fault", f"one of {', '.join(Action)}")
    action, target = Action(words[0]), parse_target(words[1], place)
    clauses = _clauses(words[2:], place)
    fault = ClusterFault(
        action=action,
        target=target,
        when=_moment(clauses["at"], place) if "at" in clauses else None,
        for_s=parse_time(clauses["for"], "for", place) if "for" in clauses else None,
        rate=_rate(action, clauses["to"], place) if "to" in clauses else None,
    )
    _check(fault, place)
    return fault


def parse_target(word: str, where: str) -> FaultTarget:
    """Return the target of a word: ``regionserver@h1-1``, ``namenode:active``, ``host:h1``."""
    head, colon, tail = word.partition(":")
    if head in _PLACES:
        if not tail:
            raise UserError(where, f"{word!r} does not name a {head}", f"{head}:NAME")
        return FaultTarget(place=head, name=tail)
    daemon, at, machine = word.partition("@")
    daemon, colon, state = daemon.partition(":")
    if daemon not in DAEMONS:
        hint = f"a daemon ({', '.join(DAEMONS)}), or {', '.join(f'{kind}:NAME' for kind in _PLACES)}"
        raise UserError(where, f"{word!r} is not a target", hint)
    if at and not machine:
        raise UserError(where, f"{word!r} does not name a machine", f"{daemon}@NAME")
    if colon:
        if daemon not in PAIRS or state not in STATES:
            hint = " or ".join(f"{pair}:{state_name}" for pair in PAIRS for state_name in STATES)
            raise UserError(where, f"{word!r} is not a state of a {daemon}", hint)
        if at:
            raise UserError(where, f"{word!r} gives both a name and a state", "leave one of them out")
    if daemon == APPLICATION_MASTER and at:
        raise UserError(where, "an application master runs where YARN puts it", APPLICATION_MASTER)
    return FaultTarget(daemon=daemon, state=state or None, machine=machine or None)


def _clauses(words: Sequence[str], where: str) -> dict[str, list[str]]:
    """Return the words after each of ``to``, ``at`` and ``for``."""
    clauses: dict[str, list[str]] = {}
    current: list[str] | None = None
    for word in words:
        if word in _WORDS:
            if word in clauses:
                raise UserError(where, f"has {word!r} twice", "leave one of them out")
            current = clauses[word] = []
        elif current is None:
            raise UserError(where, f"{word!r} is an unexpected word", EXAMPLE)
        else:
            current.append(word)
    for word, clause in clauses.items():
        if not clause:
            raise UserError(where, f"ends after {word!r}", EXAMPLE)
    return clauses


def _moment(words: Sequence[str], where: str) -> Moment:
    first, *remainder = words
    if parse_duration(first) is not None:
        if remainder:
            problem = f"{' '.join(words)!r} is not a point in time"
            raise UserError(where, problem, "at 30s, at WORKLOAD 40%, at WORKLOAD 10s")
        return Moment(after_s=parse_time(words, "at", where))
    if not remainder:
        return Moment(workload=first)
    second = " ".join(remainder)
    if share := _SHARE.fullmatch(second):
        if float(share[1]) > 100:
            raise UserError(where, f"{second} is more than 100%", "0% to 100%")
        return Moment(workload=first, share=float(share[1]) / 100)
    if parse_duration(second) is not None:
        return Moment(workload=first, after_s=parse_time(remainder, "at", where))
    if second[0].isdigit() or second[0] in "+-":
        raise UserError(where, f"{second!r} is neither a time nor a percentage", "10s, 2min, 40%")
    return Moment(workload=first, phase=second)


def parse_time(words: Sequence[str], after: str, where: str) -> float:
    """Return the seconds of the words after another word; raise UserError if they are not a time."""
    seconds = parse_duration("".join(words))
    if seconds is None or seconds > _LONGEST_S:
        too_long = seconds is not None and math.isfinite(seconds)
        problem = "is longer than 30 days" if too_long else "is not a time"
        raise UserError(where, f"{' '.join(words)!r} after {after!r} {problem}", "20s, 500ms, 2min")
    return seconds


def _rate(action: Action, words: Sequence[str], where: str) -> int:
    text = "".join(words)
    if action is Action.SLOW_LINK:
        return parse_bits_per_s(text, where)
    if action is not Action.SLOW_DISK:
        raise UserError(where, f"{action} has no speed", f"'to' goes with {listed(sorted(WITH_RATE))}")
    if not text.endswith("/s"):
        raise UserError(where, f"{text!r} is not a disk's speed", "10MB/s")
    return parse_bytes(text.removesuffix("/s"), where)


def _check(fault: ClusterFault, where: str) -> None:
    action, target = fault.action, fault.target
    if target.daemon == APPLICATION_MASTER and action not in OF_DAEMONS:
        problem = f"{action} needs a machine, but the machine of {target.text} is not known in advance"
        raise UserError(where, problem, "worker:NAME")
    if target.place is not None and action not in OF_PLACES:
        hint = f"name a daemon: regionserver@{target.name}; or lose {target.text}"
        raise UserError(where, f"{action} needs a daemon, and {target.text} is a machine, host or rack", hint)
    if target.daemon == APPLICATION_MASTER and action is Action.RESTART:
        raise UserError(where, "YARN starts a new application master itself", f"kill {APPLICATION_MASTER}")
    if action is Action.WIPE and target.daemon != JOURNALNODE:
        hint = f"wipe {JOURNALNODE}@NAME, or wipe-disk worker:NAME"
        raise UserError(where, f"{action} works on JournalNodes only, and {target.text} is not one", hint)
    if action in WITH_RATE and not fault.rate:
        speed = "10Mb/s" if action is Action.SLOW_LINK else "10MB/s"
        raise UserError(where, f"needs a speed for {action}", f"{action} {target.text} to {speed}")
    if fault.for_s is not None and action in AT_ONCE:
        raise UserError(where, f"{action} has no duration", "leave 'for' out")
    if fault.for_s is not None and fault.for_s <= 0:
        raise UserError(where, "has a duration of zero", "for 20s")

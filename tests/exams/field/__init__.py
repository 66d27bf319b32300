"""Cases from the field: configurations of others with what a check must report of them, and what it must not.

``tests/data/cases`` has their files. Those whose names begin with a number replace files of
``tests/data/conf/sound``; those that begin with ``e`` replace files of ``ha-cluster-sound``, which is sound.
Those that begin with ``f`` are excerpts of public folders.
"""

from __future__ import annotations

from pathlib import Path

from exams.field.case import FILES, PAIR, Expected, FieldCase
from exams.field.pairs import PAIRS
from exams.field.public import PUBLIC
from exams.field.workers import WORKERS
from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.existing import Check, CheckVerdict

__all__ = ["CASES", "FILES", "MOST_WARNINGS", "PAIR", "FieldCase", "wrong_answers"]

CASES = (*WORKERS, *PAIRS, *PUBLIC)
MOST_WARNINGS = 5
"""As many as a sound folder of others may have."""


def _matches(expected: Expected, check: Check) -> bool:
    text = " ".join((check.where, check.found, check.expected, check.why, check.fix))
    return expected.about in _keys(check) and all(word in text for word in expected.words)


def _keys(check: Check) -> list[str]:
    """What a finding is about: several keys where they have one cause."""
    return check.about.split(", ")


def wrong_answers(case: FieldCase, folder: Path) -> list[str]:
    """What a check gets wrong of a case that is written into an empty directory; nothing if all is right."""
    checks = audit(read_folders(case.write(folder)), [], None, Releases()).checks
    failed = [check for check in checks if check.verdict is CheckVerdict.FAIL]
    warned = [check for check in checks if check.verdict is CheckVerdict.WARN]
    due = {expected.about for expected in case.fails}
    wrong = [
        f"missing: {expected.about} {' '.join(expected.words)}"
        for given, findings in ((case.fails, failed), (case.warns, warned))
        for expected in given
        if not any(_matches(expected, check) for check in findings)
    ]
    wrong += [
        f"false: {check.rule} {check.about}: {check.found}"
        for check in failed
        if due.isdisjoint(_keys(check))
    ]
    for check in (*failed, *warned):
        if not set(case.silent).isdisjoint(_keys(check)):
            wrong.append(f"not silent: {check.rule} {check.about}: {check.found}")
        wrong += [f"fix with {word!r}: {check.fix}" for word in case.never if word in check.fix]
    if len(warned) > MOST_WARNINGS + len(case.warns):
        wrong.append(f"{len(warned)} warnings: {', '.join(check.about for check in warned)}")
    return wrong

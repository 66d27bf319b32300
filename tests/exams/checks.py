"""The exam of checks: faults of real clusters, and what `howdah check` says of each.

``PYTHONPATH=tests .venv/bin/python -m exams.checks`` prints the score; a test holds it. A fault is found if a
check of a configuration and a host that are otherwise sound fails, or warns where a warning is right, with a
fix that names what is to be set. No check may fail of configurations that are sound: other people's, and
what every fourth plan of the exam of plans is rendered to.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from exams.faults import FAULTS
from exams.field import CASES as CASES_FROM_THE_FIELD
from exams.field import FILES, PAIR, wrong_answers
from exams.hosts import CASES, Case
from exams.sound import CONFIGURATIONS, Sound
from exams.variations import Variation, reported, variations, wrong_answer
from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.existing import Check, CheckVerdict
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from support.faults import Exhibit, Fault

OWN = tuple(case for case in CASES if not case.refused)[::4]
"""Plans whose configurations are held to be sound."""


class Answer(NamedTuple):
    """What was said of one fault."""

    fault: Fault
    found: bool
    fixed: bool
    said: tuple[Check, ...]


def complaints(exhibit: Exhibit, folder: Path) -> Sequence[Check]:
    """What a check has against a configuration and its host, written into a directory that is empty."""
    record = exhibit.write(folder)
    checks = audit(read_folders([folder]), [record], None, Releases()).checks
    return [check for check in checks if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)]


def answer(fault: Fault, folder: Path) -> Answer:
    """Seed one fault into what is sound, and check it."""
    exhibit = Exhibit.sound()
    fault.edit(exhibit)
    said = tuple(complaints(exhibit, folder))
    heard = [check for check in said if fault.warns or check.verdict is CheckVerdict.FAIL]
    return Answer(fault, bool(heard), any(fault.fix in check.fix for check in heard), said)


def answers() -> Iterator[Answer]:
    """What is said of every fault."""
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            yield answer(fault, Path(folder))


def failures(folder: Path) -> list[Check]:
    """What fails of a configuration by itself."""
    checks = audit(read_folders([folder]), [], None, Releases()).checks
    return [check for check in checks if check.verdict is CheckVerdict.FAIL]


def failures_of_others(sound: Sound, folder: Path) -> list[Check]:
    """What fails of somebody's configuration, written into a directory that is empty."""
    sound.write(folder)
    return failures(folder)


def failures_of_ours(case: Case, folder: Path) -> list[Check]:
    """What fails of a plan's configuration, rendered into a directory that is empty."""
    for file in render(plan_cluster(case.inventory, case.request)).files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.content)
    # A folder for each kind of worker, for masters and clients, and for HBase.
    folders = [path for path in sorted(folder.glob("h*")) if path.is_dir() and path.name != "hypervisor"]
    return [check for one in folders for check in failures(one)]


def _sound() -> Iterator[tuple[str, list[Check]]]:
    for sound in CONFIGURATIONS:
        with tempfile.TemporaryDirectory() as folder:
            yield sound.name, failures_of_others(sound, Path(folder))
    for case in OWN:
        with tempfile.TemporaryDirectory() as folder:
            yield case.name, failures_of_ours(case, Path(folder))


def _field() -> Iterator[tuple[str, list[str]]]:
    for case in CASES_FROM_THE_FIELD:
        with tempfile.TemporaryDirectory() as folder:
            yield case.name, wrong_answers(case, Path(folder))


def _variations() -> Iterator[tuple[Variation, str]]:
    folders = sorted(path for path in (FILES / PAIR).iterdir() if path.is_dir())
    base = frozenset((check.rule, check.about) for check in reported(folders))
    for variation in variations():
        with tempfile.TemporaryDirectory() as folder:
            yield variation, wrong_answer(variation, base, Path(folder))


def main() -> None:
    """Print what was not found, has the wrong fix or failed though it is sound, and the score."""
    given = list(answers())
    for one in given:
        if not one.fixed:
            print(f"{one.fault.name}: {one.fault.fix} [{one.fault.source}]")
            for check in one.said:
                print(f"    {check.verdict.value} {check.rule}: {check.found}; {check.fix}")
    found, fixed = (sum(getattr(one, what) for one in given) for what in ("found", "fixed"))
    sound = dict(_sound())
    for name, failed in sound.items():
        for check in failed:
            print(f"{name}: sound, but {check.rule} fails: {check.about} is {check.found}")
    print(f"{fixed} of {len(given)} faults found with the right fix, {found} found at all")
    clean = sum(not failed for failed in sound.values())
    print(
        f"{clean} of {len(sound)} sound configurations without a failure, "
        f"{len(CONFIGURATIONS)} of them others'"
    )
    field = dict(_field())
    for name, wrong in field.items():
        for text in wrong:
            print(f"{name}: {text}")
    print(f"{sum(not wrong for wrong in field.values())} of {len(field)} cases from the field end right")
    varied = list(_variations())
    for variation, wrong_text in varied:
        if wrong_text:
            print(f"{variation.kind}: {variation.name}: {wrong_text}")
    print(f"{sum(not wrong_text for _, wrong_text in varied)} of {len(varied)} variations end right")


if __name__ == "__main__":
    main()

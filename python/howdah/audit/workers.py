"""The workers that files list against those of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from howdah.audit.subject import Subject
from howdah.audit.verdicts import verdict
from howdah.model.check import Check
from howdah.model.placement import placed_workers
from howdah.model.plan import Plan
from howdah.planner.rules.drift import WORKERS

_FILE = "workers"
_SHOWN = 5


def check_workers(plan: Plan, subject: Subject) -> Iterator[Check]:
    """Workers that the plan has and the files do not, and the other way round.

    Only Hadoop's own file lists every worker; HBase's lists those with a RegionServer.
    """
    config = subject.found.config
    if config is None or plan.cluster is None or not config.workers:
        return
    planned = [worker.name for worker in placed_workers(plan.cluster)]
    listed = frozenset(config.workers)
    if _FILE in {PurePosixPath(file).name for file in config.files}:
        missing = [name for name in planned if name not in listed]
        if missing:
            yield _check(
                f"{_few(missing)} not listed",
                "every worker of the plan",
                f"add {_few(missing)} to the file workers, or plan without",
            )
    strange = sorted(listed.difference(planned))
    if strange:
        yield _check(
            _few(strange),
            "workers of the plan only",
            f"remove {_few(strange)} from the workers file, or add the hosts to the inventory and plan again",
        )


def _few(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + rest


def _check(found: str, expected: str, fix: str) -> Check:
    return Check(
        rule=WORKERS.id,
        verdict=verdict(WORKERS, ok=False),
        about=_FILE,
        where=_FILE,
        found=found,
        expected=expected,
        why=WORKERS.says,
        fix=fix,
        source=WORKERS.source,
    )

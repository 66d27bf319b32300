"""What a configuration of masters and clients need not say, where kinds of workers differ."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.audit.existing import existing
from howdah.audit.subject import Subject
from howdah.model.plan import Setting

_OF_JOBS = ("mapreduce.", "yarn.app.mapreduce.")


def spared_keys(settings: Iterable[Setting], subject: Subject) -> frozenset[str]:
    """Keys of one kind of worker's daemons, in a folder that has none of them: it is not a worker's.

    Settings of jobs are not among them: clients have those as well. None are spared where nothing but a
    host was looked at, or where all workers are alike and share one folder with masters.
    """
    own = [
        one for one in settings if one.worker is not None and one.file and not one.key.startswith(_OF_JOBS)
    ]
    found = (existing(one.key, one.file or "", subject) for one in own)
    if subject.found.config is None or any(one is not None and one.place for one in found):
        return frozenset()
    return frozenset(one.key for one in own)

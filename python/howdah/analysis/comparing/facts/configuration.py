"""Every property that was in force: as the plan has it, as a laboratory changed it, as jobs ran with it."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.comparison import Aspect, Fact
from howdah.model.plan import Setting
from howdah.model.run import RunRecord


def configuration_facts(record: RunRecord) -> Iterator[Fact]:
    """The properties by name; where a job ran with another value than is configured, that, too."""
    configured = {_name(one): _text(one.value) for one in record.plan.settings if one.file is not None}
    lab = record.cluster.lab if record.cluster else None
    if lab is not None:
        configured |= {one.key: one.used for one in lab.deviations}
    for key, value in configured.items():
        yield _fact(key, value)
    for result in record.workloads:
        for key, value in result.job.conf.items() if result.job else ():
            if not _same(configured.get(key), value):
                yield _fact(f"{key} of {result.workload.kind}", value)


def _name(setting: Setting) -> str:
    whose = setting.worker or setting.group
    return f"{setting.key} of {whose}" if whose else setting.key


def _text(value: int | float | str | bool | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _same(configured: str | None, used: str) -> bool:
    """Whether two texts are one value: a number may be written as ``0.80`` and as ``0.8``."""
    if configured is None or configured == used:
        return configured == used
    try:
        return float(configured) == float(used)
    except ValueError:
        return False


def _fact(name: str, value: str) -> Fact:
    return Fact(aspect=Aspect.CONFIGURATION, name=name, value=value)

"""The capacity scheduler's queues, which must add up or the ResourceManager does not start."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import Found, FoundConfig
from howdah.planner.facts import Facts
from howdah.planner.rule import Inspection, Observation, Rule, Severity

_PREFIX = "yarn.scheduler.capacity."
_FILE = "capacity-scheduler.xml"
_PER_CENT = re.compile(r"[0-9]+(\.[0-9]+)?")
_ROUNDING = 0.001
"""Thirds written with a few digits: Hadoop allows as much."""


def _capacity_scheduler(found: Found) -> FoundConfig | None:
    """The configuration, if its ResourceManager uses the capacity scheduler, which is the default."""
    if found.config is None or not any(file.endswith("yarn-site.xml") for file in found.config.files):
        return None
    scheduler = found.config.property("yarn.resourcemanager.scheduler.class")
    return None if scheduler and "CapacityScheduler" not in scheduler.text else found.config


def _children(config: FoundConfig, queue: str) -> tuple[str, ...]:
    listed = config.property(f"{_PREFIX}{queue}.queues")
    return tuple(name.strip() for name in listed.text.split(",") if name.strip()) if listed else ()


def _parents(config: FoundConfig, queue: str = "root") -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every queue that has children, from the root down."""
    pending = [queue]
    seen = set(pending)
    while pending:
        parent = pending.pop()
        children = _children(config, parent)
        if children:
            yield parent, children
        below = {f"{parent}.{child}" for child in children} - seen
        seen |= below
        # A queue that is listed below itself would make paths for ever.
        pending += sorted(path for path in below if path.count(".") < 20)


def _shares(found: Found, facts: Facts) -> Iterator[Observation]:
    config = _capacity_scheduler(found)
    if config is None:
        return
    for parent, children in _parents(config):
        keys = [f"{_PREFIX}{parent}.{child}.capacity" for child in children]
        given = {key: config.property(key) for key in keys}
        texts = {key: one.text.strip() for key, one in given.items() if one is not None}
        if any(_PER_CENT.fullmatch(text) is None for text in texts.values()):
            # Weights (3w) and absolute resources ([memory=…]) need not add up to anything.
            continue
        total = sum(float(text) for text in texts.values())
        last = next((one for one in reversed(list(given.values())) if one is not None), None)
        missing = [key for key in keys if key not in texts]
        yield Observation(
            ok=not missing and abs(total - 100) <= _ROUNDING * len(keys),
            about=f"{_PREFIX}{parent}.*.capacity",
            found=" + ".join(texts.get(key, "nothing") for key in keys) + f" = {total:g} %",
            expected="100 % over the queues below one parent",
            fix=f"make {' and '.join(keys)} add up to 100 in {_FILE}",
            where=f"{last.place}" if last else _FILE,
        )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="consistency.queue-capacities",
        says="Capacities of queues below one parent add up to 100 %, or the ResourceManager does not start.",
        sources=("Hadoop 3.5.0",),
        severity=Severity.MUST,
        condition="for the capacity scheduler",
        inspect=_shares,
    ),
)

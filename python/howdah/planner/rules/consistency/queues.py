"""Queues of both schedulers: shares that add up, limits above them, jobs for existing queues, valid files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.existing import Allocation, FoundConfig
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import read_rules
from howdah.releases.values import read_list

rules = read_rules("consistency.toml")

_PREFIX = "yarn.scheduler.capacity."
_FILE = "capacity-scheduler.xml"
_PER_CENT = r"[0-9]+(\.[0-9]+)?"
_ROUNDING = 0.001
"""Thirds written with a few digits: Hadoop allows as much."""
_MAPPINGS = f"{_PREFIX}queue-mappings"
_CREATING = ("auto-create-child-queue.enabled", "auto-queue-creation-v2.enabled")
_SENT_TO = ("mapreduce.job.queuename", "tez.queue.name", "spark.yarn.queue")
"""The queue of jobs that name no other."""


def _capacity_scheduler(reading: Inspected) -> FoundConfig | None:
    """The configuration, if its ResourceManager uses the capacity scheduler, which is the default."""
    if not reading.has("yarn-site.xml"):
        return None
    scheduler = reading.config.property("yarn.resourcemanager.scheduler.class")
    return None if scheduler and "CapacityScheduler" not in scheduler.text else reading.config


def _children(config: FoundConfig, queue: str) -> tuple[str, ...]:
    listed = config.property(f"{_PREFIX}{queue}.queues")
    return read_list(listed.text) if listed else ()


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


@rules.inspects("consistency.queue-capacities")
def _shares(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    config = _capacity_scheduler(reading)
    if config is None:
        return
    for parent, children in _parents(config):
        keys = [f"{_PREFIX}{parent}.{child}.capacity" for child in children]
        entries = {key: config.property(key) for key in keys}
        texts = {key: entry.text.strip() for key, entry in entries.items() if entry is not None}
        if any(re.fullmatch(_PER_CENT, text) is None for text in texts.values()):
            # Weights (3w) and absolute resources ([memory=…]) need not add up to anything.
            continue
        total = sum(float(text) for text in texts.values())
        last = next((entry for entry in reversed(list(entries.values())) if entry is not None), None)
        missing = [key for key in keys if key not in texts]
        yield Observation(
            not missing and abs(total - 100) <= _ROUNDING * len(keys),
            f"{_PREFIX}{parent}.*.capacity",
            " + ".join(texts.get(key, "nothing") for key in keys) + f" = {total:g} %",
            where=f"{last.place}" if last else _FILE,
            values={"keys": " and ".join(keys)},
        )


@rules.inspects("consistency.queue-limits")
def _limits(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    config = _capacity_scheduler(reading)
    if config is None:
        return
    for parent, children in _parents(config):
        for child in children:
            share, limit = (
                config.property(f"{_PREFIX}{parent}.{child}.{suffix}")
                for suffix in ("capacity", "maximum-capacity")
            )
            if share is None or limit is None:
                continue
            texts = [entry.text.strip() for entry in (share, limit)]
            if any(re.fullmatch(_PER_CENT, text) is None for text in texts):
                continue
            yield entry_verdict(
                limit,
                float(texts[0]) <= float(texts[1]),
                found=f"{texts[1]} %, and a capacity of {texts[0]} %",
            )


def _leaves(config: FoundConfig) -> frozenset[str]:
    """Every queue that jobs can be in, by its path, the path's ends and its own name."""
    parents = dict(_parents(config))
    paths = {f"{parent}.{child}" for parent, children in parents.items() for child in children}
    parts = [path.split(".") for path in paths - set(parents)]
    return frozenset(".".join(path[first:]) for path in parts for first in range(len(path)))


@rules.inspects("consistency.known-queues")
def _sent(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    config = _capacity_scheduler(reading)
    leaves = _leaves(config) if config is not None else frozenset()
    creates = config is not None and any(
        entry.name.endswith(_CREATING) and entry.text == "true" for entry in config.properties
    )
    if not leaves or creates:
        # Queues that come up by themselves are in no file.
        return
    mappings = reading.parts(_MAPPINGS)
    targets = [(_MAPPINGS, mapping.rpartition(":")[2]) for mapping in mappings if "%" not in mapping]
    targets += [(key, text) for key in _SENT_TO if (text := reading.text(key))]
    for key, queue in targets:
        yield reading.verdict(
            key,
            queue in leaves,
            found=f"{queue}, which is not in {_FILE}" if queue not in leaves else queue,
            words="mapping" if key == _MAPPINGS else "jobs",
            queues=", ".join(sorted(leaf for leaf in leaves if "." not in leaf)[:5]),
            queue=queue,
        )


_FAIR_FILE = "fair-scheduler.xml"
_SCHEDULER = "yarn.resourcemanager.scheduler.class"
_MONITORS = "yarn.resourcemanager.scheduler.monitor.enable"
_INT, _FLOAT = re.compile(r"\d+"), re.compile(r"\d+(\.\d*)?|\.\d+")
_RESOURCES = re.compile(
    r"(\s*\d+(\.\d+)?\s*(mb|vcores|%)?\s*(memory|cpu)?\s*,?)+|(\s*[\w./-]+\s*=\s*\d+(\.\d+)?\s*%?\s*,?)+",
    re.IGNORECASE,
)
_POLICIES = ("fair", "fifo", "drf")
_RULES = (
    "specified",
    "user",
    "primaryGroup",
    "secondaryGroupExistingQueue",
    "nestedUserQueue",
    "default",
    "reject",
)

_VALUES: dict[str, re.Pattern[str]] = {
    "minResources": _RESOURCES,
    "maxResources": _RESOURCES,
    "maxContainerAllocation": _RESOURCES,
    "maxChildResources": _RESOURCES,
    "queueMaxResourcesDefault": _RESOURCES,
    "maxRunningApps": _INT,
    "userMaxAppsDefault": _INT,
    "queueMaxAppsDefault": _INT,
    "maxAMShare": re.compile(r"-?\d+(\.\d+)?f?"),
    "queueMaxAMShareDefault": re.compile(r"-?\d+(\.\d+)?f?"),
    "weight": _FLOAT,
    "minSharePreemptionTimeout": _INT,
    "fairSharePreemptionTimeout": _INT,
    "fairSharePreemptionThreshold": _FLOAT,
    "defaultMinSharePreemptionTimeout": _INT,
    "defaultFairSharePreemptionTimeout": _INT,
    "defaultFairSharePreemptionThreshold": _FLOAT,
}


def uses_fair(reading: Inspected) -> bool:
    """Whether the ResourceManager divides by the fair scheduler."""
    return "FairScheduler" in (reading.text(_SCHEDULER) or "")


@rules.inspects("consistency.own-preemption")
def _own_preemption(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not uses_fair(reading) or facts.request.hadoop.startswith(("2.", "3.0.")):
        return
    policies = reading.text("yarn.resourcemanager.scheduler.monitor.policies")
    if reading.truth(_MONITORS) is True and (
        policies is None or "ProportionalCapacityPreemption" in policies
    ):
        yield reading.verdict(_MONITORS, False, found="true, with FairScheduler")


def _place(reading: Inspected) -> str:
    return next((file for file in reading.config.files if file.endswith(_FAIR_FILE)), _FAIR_FILE)


def _wrong(element: Allocation) -> Iterator[tuple[str, int]]:
    """What the ResourceManager cannot read, with its line."""
    form = _VALUES.get(element.tag)
    if form is not None and not element.children and form.fullmatch(element.text) is None:
        yield f"{element.tag} {element.text or 'nothing'}", element.line
    is_policy = element.tag in ("schedulingPolicy", "defaultQueueSchedulingPolicy")
    if is_policy and element.text.lower() not in _POLICIES and "." not in element.text:
        yield f"{element.tag} {element.text or 'nothing'}", element.line
    if element.tag in ("queue", "pool"):
        name = element.attributes.get("name", "").strip()
        if not name or "." in name.removeprefix("root."):
            yield f"a queue called {name or 'nothing'}", element.line
        leaves = any(child.tag in ("queue", "pool") for child in element.children)
        if element.attributes.get("type") == "parent" and leaves is False and element.text:
            yield f"text in queue {name}", element.line
    if element.tag == "rule" and element.attributes.get("name") not in _RULES:
        yield f"the placement rule {element.attributes.get('name', 'without a name')}", element.line
    for child in element.children:
        yield from _wrong(child)


@rules.inspects("consistency.fair-queues")
def _readable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    root = reading.config.allocations
    if root is None or not uses_fair(reading):
        return
    wrong = list(_wrong(root))
    if root.tag != "allocations":
        wrong.insert(0, (f"<{root.tag}> in place of <allocations>", root.line))
    yield Observation(
        not wrong,
        _FAIR_FILE,
        ", ".join(f"{problem} in line {line}" for problem, line in wrong[:8]) or "queues that can be read",
        fix=f"correct {', '.join(problem for problem, _ in wrong[:8])} in {_place(reading)}: resources are "
        f"10000 mb, 4 vcores, weights are numbers, placement rules are {', '.join(_RULES)}",
        where=f"{_place(reading)}:{wrong[0][1]}" if wrong else _place(reading),
    )


@rules.inspects("consistency.fair-file")
def _queues_in_own_file(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not uses_fair(reading) or not reading.has("yarn-site.xml"):
        return
    broken = any(file.file.endswith(_FAIR_FILE) for file in reading.config.unreadable)
    queues = reading.text("yarn.scheduler.capacity.root.queues")
    named = reading.text("yarn.scheduler.fair.allocation.file")
    exists = reading.has(_FAIR_FILE) or broken or (named is not None and not named.endswith(_FAIR_FILE))
    yield reading.verdict(
        _SCHEDULER,
        exists,
        found="FairScheduler"
        + (f", and queues {queues} in capacity-scheduler.xml, which it does not read" if queues else "")
        + ("" if exists else f"; no {_FAIR_FILE} is given"),
    )

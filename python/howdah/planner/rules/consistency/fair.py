"""Queues of the fair scheduler: a file that the ResourceManager can read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import Allocation
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

_FILE = "fair-scheduler.xml"
_SCHEDULER = "yarn.resourcemanager.scheduler.class"
_MONITORS = "yarn.resourcemanager.scheduler.monitor.enable"
_MONITOR_POLICIES = "yarn.resourcemanager.scheduler.monitor.policies"
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

rules = Rules()


def uses_fair(reading: Inspected) -> bool:
    """Whether the ResourceManager divides by the fair scheduler."""
    return "FairScheduler" in (reading.text(_SCHEDULER) or "")


@rules.inspection(
    "consistency.own-preemption",
    MUST,
    sources="Hadoop 3.5.0: ProportionalCapacityPreemptionPolicy",
    when="for the fair scheduler of Hadoop 3.1 and later",
)
def _own_preemption(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """The fair scheduler runs without monitors of the capacity scheduler."""
    if not uses_fair(reading) or facts.request.hadoop.startswith(("2.", "3.0.")):
        return
    policies = reading.text(_MONITOR_POLICIES)
    if reading.truth(_MONITORS) is True and (
        policies is None or "ProportionalCapacityPreemption" in policies
    ):
        yield reading.verdict(
            _MONITORS,
            False,
            found="true, with FairScheduler",
            expected="false: its policy works with the capacity scheduler only, and the ResourceManager does "
            "not start with another scheduler",
            fix=f"remove {_MONITORS} from {reading.where(_MONITORS)}; the fair scheduler has "
            "yarn.scheduler.fair.preemption",
        )


def _place(reading: Inspected) -> str:
    files = reading.config.files if reading.config is not None else ()
    return next((file for file in files if file.endswith(_FILE)), _FILE)


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


@rules.inspection(
    "consistency.fair-queues",
    MUST,
    sources="Hadoop 3.5.0: FairScheduler, Hadoop 3.5.0: AllocationFileLoaderService",
    when="for the fair scheduler",
)
def _readable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """The fair scheduler's file is one that the ResourceManager can read."""
    root = reading.config.allocations if reading.config is not None else None
    if root is None or not uses_fair(reading):
        return
    wrong = list(_wrong(root))
    if root.tag != "allocations":
        wrong.insert(0, (f"<{root.tag}> in place of <allocations>", root.line))
    yield Observation(
        ok=not wrong,
        about=_FILE,
        found=", ".join(f"{problem} in line {line}" for problem, line in wrong[:8])
        or "queues that can be read",
        expected="values that the fair scheduler can read: otherwise the ResourceManager does not start",
        fix=f"correct {', '.join(problem for problem, _ in wrong[:8])} in {_place(reading)}: resources are "
        f"10000 mb, 4 vcores, weights are numbers, placement rules are {', '.join(_RULES)}",
        where=f"{_place(reading)}:{wrong[0][1]}" if wrong else _place(reading),
    )


@rules.inspection(
    "consistency.fair-file", sources="Hadoop 3.5.0: FairScheduler", when="for the fair scheduler"
)
def _queues_in_own_file(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """The fair scheduler's queues are in its own file."""
    if not uses_fair(reading) or not reading.has("yarn-site.xml"):
        return
    broken = any(file.file.endswith(_FILE) for file in (reading.config.unreadable if reading.config else ()))
    queues = reading.text("yarn.scheduler.capacity.root.queues")
    named = reading.text("yarn.scheduler.fair.allocation.file")
    exists = reading.has(_FILE) or broken or (named is not None and not named.endswith(_FILE))
    yield reading.verdict(
        _SCHEDULER,
        exists,
        found="FairScheduler"
        + (f", and queues {queues} in capacity-scheduler.xml, which it does not read" if queues else "")
        + ("" if exists else f"; no {_FILE} is given"),
        expected=f"queues in {_FILE}: without it every user gets a queue, and capacity-scheduler.xml has "
        "no effect",
        fix=f"write the queues into {_FILE}, or set {_SCHEDULER} to "
        "org.apache.hadoop.yarn.server.resourcemanager."
        f"scheduler.capacity.CapacityScheduler in {reading.where(_SCHEDULER)}",
    )

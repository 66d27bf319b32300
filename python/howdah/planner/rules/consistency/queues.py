"""Queues of both schedulers: shares that add up, limits above them, jobs for existing queues, valid files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.existing import Allocation
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rules.declare import read_rules
from howdah.units import listed

rules = read_rules("consistency.toml")

_PREFIX = "yarn.scheduler.capacity."
_FILE = "capacity-scheduler.xml"
_PER_CENT = r"[0-9]+(\.[0-9]+)?"
_ROUNDING = 0.001  # Thirds written with a few digits: Hadoop allows as much.
_MAPPINGS = f"{_PREFIX}queue-mappings"
_CREATING = ("auto-create-child-queue.enabled", "auto-queue-creation-v2.enabled")
_SENT_TO = ("mapreduce.job.queuename", "tez.queue.name", "spark.yarn.queue")
"""The queue of jobs that name no other."""


def _parents(reading: Inspected) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every queue of the capacity scheduler that has children, from the root down; none for another one.

    The ResourceManager uses the capacity scheduler by default.
    """
    scheduler = reading.text(_SCHEDULER)
    is_foreign = scheduler is not None and "CapacityScheduler" not in scheduler
    pending = ["root"] if reading.has("yarn-site.xml") and not is_foreign else []
    seen = set(pending)
    while pending:
        parent = pending.pop()
        if children := reading.parts(f"{_PREFIX}{parent}.queues"):
            yield parent, children
        below = {f"{parent}.{child}" for child in children} - seen
        seen |= below
        # A queue that is listed below itself would make paths for ever.
        pending += sorted(path for path in below if path.count(".") < 20)


@rules.inspects("consistency.queue-capacities")
def _shares(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for parent, children in _parents(reading):
        keys = [f"{_PREFIX}{parent}.{child}.capacity" for child in children]
        texts = {key: text.strip() for key in keys if (text := reading.text(key)) is not None}
        if any(re.fullmatch(_PER_CENT, text) is None for text in texts.values()):
            # Weights (3w) and absolute resources ([memory=…]) need not add up to anything.
            continue
        total = sum(map(float, texts.values()))
        ok = texts.keys() >= set(keys) and abs(total - 100) <= _ROUNDING * len(keys)
        shown = " + ".join(texts.get(key, "nothing") for key in keys) + f" = {total:g} %"
        where, values = reading.where(list(texts)[-1]) if texts else _FILE, {"keys": listed(keys)}
        yield Observation(ok, f"{_PREFIX}{parent}.*.capacity", shown, where=where, values=values)


@rules.inspects("consistency.queue-limits")
def _limits(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for parent, children in _parents(reading):
        for child in children:
            key = f"{_PREFIX}{parent}.{child}.maximum-capacity"
            share = (reading.text(f"{_PREFIX}{parent}.{child}.capacity") or "").strip()
            most = (reading.text(key) or "").strip()
            if re.fullmatch(_PER_CENT, share) and re.fullmatch(_PER_CENT, most):
                shown = f"{most} %, and a capacity of {share} %"
                yield reading.verdict(key, float(share) <= float(most), found=shown)


@rules.inspects("consistency.known-queues")
def _sent(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    parents = dict(_parents(reading))
    paths = {f"{parent}.{child}" for parent, children in parents.items() for child in children}
    parts = [path.split(".") for path in paths - set(parents)]
    # Every queue that jobs can be in, by its path, the path's ends and its own name.
    leaves = frozenset(".".join(path[first:]) for path in parts for first in range(len(path)))
    creating = (entry for entry in reading.properties if entry.name.endswith(_CREATING))
    if not leaves or any(entry.text == "true" for entry in creating):
        # Queues that come up by themselves are in no file.
        return
    mappings = reading.parts(_MAPPINGS)
    targets = [(_MAPPINGS, mapping.rpartition(":")[2]) for mapping in mappings if "%" not in mapping]
    targets += [(key, text) for key in _SENT_TO if (text := reading.text(key))]
    queues = ", ".join(sorted(leaf for leaf in leaves if "." not in leaf)[:5])
    for key, queue in targets:
        ok, words = queue in leaves, "mapping" if key == _MAPPINGS else "jobs"
        shown = queue if ok else f"{queue}, which is not in {_FILE}"
        yield reading.verdict(key, ok, found=shown, words=words, queues=queues, queue=queue)


_FAIR_FILE = "fair-scheduler.xml"
_SCHEDULER = "yarn.resourcemanager.scheduler.class"
_MONITORS = "yarn.resourcemanager.scheduler.monitor.enable"
_RESOURCES = (
    r"(?i:(\s*\d+(\.\d+)?\s*(mb|vcores|%)?\s*(memory|cpu)?\s*,?)+|(\s*[\w./-]+\s*=\s*\d+(\.\d+)?\s*%?\s*,?)+)"
)
_RULES = "specified, user, primaryGroup, secondaryGroupExistingQueue, nestedUserQueue, default, reject"
_VALUES = (
    (r"(min|max|maxChild)Resources|maxContainerAllocation|queueMaxResourcesDefault", _RESOURCES),
    (r"maxRunningApps|(user|queue)MaxAppsDefault", r"\d+"),
    (r"maxAMShare|queueMaxAMShareDefault", r"-?\d+(\.\d+)?f?"),
    (r"(minShare|fairShare|defaultMinShare|defaultFairShare)PreemptionTimeout", r"\d+"),
    (r"weight|(fairShare|defaultFairShare)PreemptionThreshold", r"\d+(\.\d*)?|\.\d+"),
)
"""Elements by the forms of their texts."""


def uses_fair(reading: Inspected) -> bool:
    """Whether the ResourceManager divides by the fair scheduler."""
    return "FairScheduler" in (reading.text(_SCHEDULER) or "")


@rules.inspects("consistency.own-preemption")
def _own_preemption(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    later = not facts.request.hadoop.startswith(("2.", "3.0."))
    policies = reading.text("yarn.resourcemanager.scheduler.monitor.policies")
    own = policies is None or "ProportionalCapacityPreemption" in policies
    if later and uses_fair(reading) and reading.truth(_MONITORS) is True and own:
        yield reading.verdict(_MONITORS, False, found="true, with FairScheduler")


def _wrong(element: Allocation) -> Iterator[tuple[str, int]]:
    """What the ResourceManager cannot read, with its line."""
    form = next((form for tags, form in _VALUES if re.fullmatch(tags, element.tag)), None)
    misread = form is not None and not element.children and re.fullmatch(form, element.text) is None
    is_policy = element.tag in ("schedulingPolicy", "defaultQueueSchedulingPolicy")
    policy_known = element.text.lower() in ("fair", "fifo", "drf") or "." in element.text
    if misread or (is_policy and not policy_known):
        yield f"{element.tag} {element.text or 'nothing'}", element.line
    if element.tag in ("queue", "pool"):
        name = element.attributes.get("name", "").strip()
        if not name or "." in name.removeprefix("root."):
            yield f"a queue called {name or 'nothing'}", element.line
        leaves = any(child.tag in ("queue", "pool") for child in element.children)
        if element.attributes.get("type") == "parent" and leaves is False and element.text:
            yield f"text in queue {name}", element.line
    if element.tag == "rule" and element.attributes.get("name") not in _RULES.split(", "):
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
    file = next((file for file in reading.config.files if file.endswith(_FAIR_FILE)), _FAIR_FILE)
    shown = ", ".join(f"{problem} in line {line}" for problem, line in wrong[:8])
    problems = ", ".join(problem for problem, _ in wrong[:8])
    where, values = file, {"problems": problems, "file": file, "rules": _RULES}
    if wrong:
        where = f"{file}:{wrong[0][1]}"
    shown = shown or "queues that can be read"
    yield Observation(not wrong, _FAIR_FILE, shown, where=where, values=values)


@rules.inspects("consistency.fair-file")
def _queues_in_own_file(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not uses_fair(reading) or not reading.has("yarn-site.xml"):
        return
    broken = any(file.file.endswith(_FAIR_FILE) for file in reading.config.unreadable)
    queues = reading.text("yarn.scheduler.capacity.root.queues")
    named = reading.text("yarn.scheduler.fair.allocation.file")
    exists = reading.has(_FAIR_FILE) or broken or (named is not None and not named.endswith(_FAIR_FILE))
    unread = f", and queues {queues} in capacity-scheduler.xml, which it does not read" if queues else ""
    missing = "" if exists else f"; no {_FAIR_FILE} is given"
    yield reading.verdict(_SCHEDULER, exists, found=f"FairScheduler{unread}{missing}")

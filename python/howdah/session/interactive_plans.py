"""Planning for a page: an inventory and a request, the plan, and the times after one thing changes."""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, TypeGuard

from pydantic import Field

from howdah.calibrate.forecast import forecasts
from howdah.calibrate.uncertainty import distance
from howdah.documents.files import inventory_faults, parse_inventory, read_plan, write_inventory, write_plan
from howdah.documents.tree import read_text, spell
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.engines import SIM
from howdah.model.inventory import Inventory
from howdah.model.placement import at_once
from howdah.model.plan import ClusterPlan
from howdah.model.plan_options import demand_text, request_fields
from howdah.model.prediction import Forecast
from howdah.model.request import Hypervisor, PlanRequest, Profile, Protection
from howdah.model.run_request import RunRequest
from howdah.planner.changes import QUANTITIES, changed_plan
from howdah.planner.cluster import plan_cluster
from howdah.planner.suite.cluster import size_suite
from howdah.session.plan_checks import held_plan
from howdah.simulation.calibrations import load_calibration
from howdah.simulation.replications import scenarios, simulate, stretches
from howdah.simulation.whole_suite import suite_time
from howdah.units import exact_bytes, exact_decimal

MOST_REPLICATIONS = 5
MOST_FAULTS = 200
_MOST_HOSTS = 2000
_FILE = "inventory"

Text = Annotated[str, Field(max_length=200)]


class InventoryFault(Model):
    """One thing that is wrong with an inventory's text."""

    line: int
    column: int
    key: str
    what: str
    hint: str


class InventoryText(Model):
    """An inventory as it is written."""

    inventory: Annotated[str, Field(max_length=500_000)]


class PlanAsked(InventoryText):
    """An inventory, and what is asked of its plan, as the flags of `howdah plan` have it."""

    workload: Text = ""  # ``terasuite:30TB``, for instance; several with spaces between them.
    hypervisor: Hypervisor | None = None
    workers_per_host: int | None = None
    replication: int | None = None
    protection: Protection = Protection.NONE
    profile: Profile = Profile.PRODUCTION
    need: Text = ""
    growth: Text = ""
    years: Annotated[int, Field(ge=0, le=30)] | None = None
    base: Text = ""  # The key of the plan to start from: what this question leaves out stays as there.


PlanSource = ClusterPlan | Path


def load_plan(source: PlanSource) -> ClusterPlan:
    """A plan, read if it is a file; raises UserError without the directory, which visitors are not to see."""
    if not isinstance(source, Path):
        return source
    try:
        return read_plan(source)
    except UserError as error:
        parts = (part.replace(str(source), source.name) for part in (error.where, error.what, error.hint))
        raise UserError(*parts) from error


def asked_for(source: PlanSource, key: str) -> PlanAsked:
    """The question that a plan answers, which leads to the same plan again."""
    plan = load_plan(source)
    request = plan.cluster.request
    growth = request.growth
    kept = ("hypervisor", "workers_per_host", "replication", "protection", "profile")
    return PlanAsked(
        base=key,
        inventory=write_inventory(plan.cluster.inventory),
        workload=" ".join(map(demand_text, request.workloads)),
        **{name: getattr(request, name) for name in kept},
        need=exact_bytes(growth.need_bytes) if growth else "",
        growth=exact_decimal(growth.per_year) if growth and growth.per_year else "",
        years=growth.years if growth else None,
    )


Change = Literal["hosts", "nic-speed", "block-size"]
Simulator = Literal["full", "quick"]


class WhatIfAsked(PlanAsked):
    """A plan, what of it is changed, and how thoroughly it is simulated."""

    changes: dict[Change, Text] = Field(default_factory=dict)
    dataset: Text = ""
    replications: Annotated[int, Field(ge=1, le=MOST_REPLICATIONS)] = 1
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 1
    simulator: Simulator = "full"  # ``quick``: a few busy hosts stand for all, if they are identical.
    page: Text = ""


class WhatIfTimes(Model):
    """What a suite takes on a plan, simulated."""

    platform: str
    hosts: int
    workers: int
    dataset_bytes: int | None
    whole: Forecast  # The whole suite; without a calibration neither it nor its workloads have intervals.
    forecasts: tuple[Forecast, ...]  # Workload by workload, each followed by its phases.
    calibration: str | None
    simulator: Simulator
    few_hosts: int | None
    full_because: str | None
    replications: int
    took_s: float


def check_inventory(text: str) -> tuple[InventoryFault, ...]:
    """Everything that is wrong with an inventory's text, no more than so many faults."""
    result = []
    for fault in inventory_faults(text)[:MOST_FAULTS]:
        line, column, key = fault.mark.line, fault.mark.column, spell(fault.path)
        fields = {"key": key, "what": fault.problem, "hint": fault.hint}
        result.append(InventoryFault(line=line, column=column, **fields))
    return tuple(result)


def plan_asked(question: PlanAsked, source: PlanSource | None = None) -> ClusterPlan:
    """The plan that is asked for, that of ``source`` itself if nothing of it is changed."""
    base = load_plan(source) if source is not None else None
    inventory, request = _read(question, base)
    if _is_of(base, inventory, request):
        return held_plan(base, force=True)
    return held_plan(plan_cluster(inventory, request), force=False)


def _is_of(base: ClusterPlan | None, inventory: Inventory, request: PlanRequest) -> TypeGuard[ClusterPlan]:
    return base is not None and (base.cluster.inventory, base.cluster.request) == (inventory, request)


def _read(question: PlanAsked, base: ClusterPlan | None, dataset: str = "") -> tuple[Inventory, PlanRequest]:
    words = question.workload.split()
    if any(word.startswith("@") for word in words):
        # On the command line that reads a file, which a visitor is not to choose.
        raise UserError(f"workload {question.workload}", "is a file", "write, for example, terasuite:30TB")
    if dataset:
        words = [f"terasuite:{dataset}"]
    before = base.cluster.request if base is not None else PlanRequest()
    fields = {"hypervisor", "workers_per_host", "replication", "profile", "years"}
    options = question.model_dump(include=fields)
    options |= {"workload": words, "protect_masters": question.protection}
    options |= {"need": question.need or None, "growth": question.growth or None}
    request = before.model_copy(update=request_fields(options))
    return parse_inventory(question.inventory, _FILE), request


def what_if(question: WhatIfAsked, calibration: str | None, source: PlanSource | None = None) -> WhatIfTimes:
    """Simulate the suite of TeraSort on the plan with its changes; ``source`` as for ``plan_asked``."""
    began_s = time.monotonic()
    base = load_plan(source) if source is not None else None
    inventory, request = _read(question, base, question.dataset)
    if _is_of(base, inventory, request):
        plan = base
    else:
        # How much data there will be is no question here, and may not fit what is changed.
        plan = plan_cluster(inventory, request.model_copy(update={"growth": None}))
    for name, text in question.changes.items():
        plan = changed_plan(plan, name, QUANTITIES[name].parse(text, name))
    cluster = plan.cluster
    hosts = sum(group.count for group in cluster.inventory.worker_groups)
    if hosts > _MOST_HOSTS:
        hint = "use howdah predict for a cluster of that size"
        raise UserError("hosts", f"{hosts:,} are too many to simulate here", hint)
    calibrated = load_calibration(calibration) if calibration is not None else None
    dataset_bytes, count = cluster.request.dataset_bytes, question.replications
    request_of_run = RunRequest(suite="terasuite")
    suite = size_suite(request_of_run, at_once(plan), engine=SIM, dataset_bytes=dataset_bytes).suite
    quick = {"quick": question.simulator == "quick"}
    several = scenarios(plan, suite, calibrated, count=count, seed=question.seed)
    summaries = simulate([scenario.model_copy(update=quick) for scenario in several], lambda _: None)
    first = summaries[0]
    away = distance(calibrated, plan, suite)
    median_s, interval = suite_time(summaries, calibrated, away)
    low, high = (interval.low, interval.high) if interval else (None, None)
    recommended = [candidate for candidate in cluster.candidates if candidate.verdict == "recommended"]
    return WhatIfTimes(
        platform=plan.platform,
        hosts=hosts,
        workers=sum(candidate.workers for candidate in recommended),
        dataset_bytes=dataset_bytes,
        whole=Forecast(workload=suite.name, low=low, median=median_s, high=high),
        forecasts=forecasts([stretches(summary) for summary in summaries], calibrated, away),
        calibration=calibrated.name if calibrated else None,
        simulator="full" if first.few_hosts is None else "quick",
        few_hosts=first.few_hosts,
        full_because=first.full_because,
        replications=count,
        took_s=time.monotonic() - began_s,
    )


def key_of(plan: ClusterPlan) -> str:
    """What a plan is kept under, which is the same for the same plan."""
    return hashlib.sha256(plan_text(plan).encode()).hexdigest()[:16]


def plan_text(source: PlanSource) -> str:
    """The file of a plan."""
    return write_plan(load_plan(source))


def read_inventory_text(path: Path) -> str:
    """The text of an inventory, as it is; raises UserError if it cannot be read."""
    return read_text(path, "give an inventory")


def planned_quantities(plan: ClusterPlan) -> dict[str, str]:
    """What can be changed of a plan, as planned and as a user writes it; what the plan lacks is left out."""
    cluster = plan.cluster
    group = cluster.inventory.worker_groups[0]
    quantities: dict[str, str] = {}
    for name in ("hosts", "block-size", "replication", "nic-speed"):
        # A plan for HBase or storage alone lacks some of them.
        with suppress(StopIteration, ValueError):
            quantities[name] = QUANTITIES[name].text_of(QUANTITIES[name].now(plan, group))
    quantities["workers_per_host"] = str(len(cluster.layouts[0].workers))
    if cluster.request.dataset_bytes is not None:
        quantities["dataset"] = exact_bytes(cluster.request.dataset_bytes)
    return quantities

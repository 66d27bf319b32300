"""From an inventory to a plan, its file and its page."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from howdah.documents.files import read_inventory, read_plan, read_work, write_plan
from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.planner.document import items
from howdah.planner.rules.catalogue import RULES
from howdah.releases import catalogue
from howdah.releases.catalogue import PLANNED_VERSIONS
from howdah.report.plan.content import Cited, Grounds, RuleText
from howdah.session.files import replace_file

_GENERATOR, _HEAD = b'<meta name="generator" content="howdah', 4096
"""By what a page of howdah's is known, and how far from its beginning."""


def plan_hosts(
    path: Path, request: PlanRequest, make: Callable[[Inventory, PlanRequest], ClusterPlan] = plan_cluster
) -> ClusterPlan:
    """Read an inventory and plan the request on it; raises UserError for what either gets wrong.

    What is wrong with a group of hosts names the file, too. ``make`` plans otherwise than by rules alone.
    """
    # A release that is not known is told before anything else is done.
    catalogue.hadoop(request.hadoop)
    catalogue.hbase(request.hbase)
    if catalogue.line_of(request.hadoop) not in map(catalogue.line_of, PLANNED_VERSIONS):
        raise UserError(
            f"--hadoop {request.hadoop}",
            "is a release that howdah checks but does not plan for",
            f"one of {', '.join(PLANNED_VERSIONS)}, or another release of these lines",
        )
    inventory = read_inventory(path)
    try:
        return make(inventory, request)
    except UserError as error:
        if error.where.startswith("groups"):
            raise UserError(f"{path}: {error.where}", error.what, error.hint) from error
        raise


def load_plan(path: Path) -> ClusterPlan:
    """Read a plan that `howdah plan` wrote; raises UserError."""
    return read_plan(path)


def save_plan(plan: ClusterPlan, path: Path) -> None:
    """Write a plan, replacing only a file that is one; raises UserError, and leaves nothing half-written."""
    check_replaceable(path)
    replace_file(path, write_plan(plan))


def check_replaceable(path: Path) -> None:
    """Raise UserError for a place where no plan can be written, such as a file that is no plan."""
    _check_is_file(path)
    if not path.parent.is_dir():
        raise UserError(f"--output {path}", f"{path.parent} is not a directory", "give an existing directory")
    if path.exists():
        try:
            read_plan(path)
        except UserError as error:
            raise UserError(
                f"--output {path}",
                "exists and is not a plan written by howdah",
                "give another file, or move this one away",
            ) from error


def writes_over(output: Path, path: Path) -> bool:
    """Whether a plan that is written there would take another one's place, or its page that one's page."""
    if output.exists() and path.exists() and output.samefile(path):
        return True
    return output.with_suffix(".html").resolve() == path.with_suffix(".html").resolve()


def page_of(path: Path) -> Path:
    """Where a plan's page goes: beside it; raises UserError where something else is in its place."""
    _check_is_file(path)
    page = path.with_suffix(".html")
    if page == path:
        raise UserError(f"--output {path}", "is the file of the plan's page", "give a file such as plan.yaml")
    if page.exists() and not _is_page(page):
        raise UserError(
            f"--output {path}",
            f"its page would replace {page}, which howdah did not write",
            "give another file, or --no-page",
        )
    return page


def _check_is_file(path: Path) -> None:
    if not path.name or path.is_dir():
        raise UserError(f"--output {path}", "is a directory", "give a file such as plan.yaml")


def _is_page(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _GENERATOR in file.read(_HEAD)
    except OSError:
        return False


def write_plan_page(plan: ClusterPlan, path: Path) -> None:
    """Write the plan's page; raises UserError if it cannot be written."""
    # Drawing charts takes longer to import than a plan takes to make.
    from howdah.report.plan.page import plan_page  # noqa: PLC0415

    replace_file(path, plan_page(plan, grounds()))


def grounds() -> Grounds:
    """What every rule says, and every item of the papers."""
    return Grounds(
        rules={rule.id: RuleText(rule.says, rule.today) for rule in RULES},
        sources={label: Cited(label, item.title, item.says) for label, item in items().items()},
    )


def release_default(plan: ClusterPlan, key: str) -> str | None:
    """The default of a key in the releases the plan is for; None where it has none or is no key of theirs."""
    return _release_default(key, plan.cluster.request.hadoop, plan.cluster.request.hbase)


@cache
def _release_default(key: str, hadoop: str, hbase: str) -> str | None:
    return catalogue.default_of(key, catalogue.hadoop(hadoop), catalogue.hbase(hbase))


def demand_of(path: Path) -> Demand:
    """What to plan for so that the largest of a cluster's jobs runs well; raises UserError.

    The suite of TeraSort stands for MapReduce: its dataset is what that job has read.
    """
    work = read_work(path)
    if not work.largest_input_bytes:
        raise UserError(
            f"{path}: largest_input_bytes",
            "is not a workload that howdah plans for",
            "give --workload terasuite:30TB",
        )
    return Demand(kind="terasuite", dataset_bytes=work.largest_input_bytes)

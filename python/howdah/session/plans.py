"""From an inventory to a plan, its file and its page; its names explained; its storage policies compared."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from howdah.documents.files import read_inventory, read_plan, read_work, write_plan
from howdah.errors import UserError
from howdah.files import replace_file
from howdah.model.inventory import Inventory
from howdah.model.plan import Candidate, ClusterPlan, Master, Setting
from howdah.model.request import Demand, PlanRequest
from howdah.model.storage_policy import HostMove, StorageComparison, StoredData
from howdah.planner.capacity import file_bytes
from howdah.planner.cluster import plan_cluster
from howdah.planner.document import PAPERS, Explanation, explain, items
from howdah.planner.host_moves import Loss
from howdah.planner.rule import Severity
from howdah.planner.rules.catalogue import RULES, find_rule
from howdah.planner.storage_costs import SHARE, compare_storage, compared_schemes, plan_limits
from howdah.releases import catalogue
from howdah.releases.catalogue import PLANNED_VERSIONS
from howdah.report.plan import page
from howdah.report.plan.content import Cited, Grounds, RuleText
from howdah.simulation import block_copies
from howdah.units import format_bytes

_GENERATOR, _HEAD = b'<meta name="generator" content="howdah', 4096
"""By what a page of howdah's is known, and how far from its beginning."""
_DAYS_OF_A_MONTH = 30.0
_LEAST_DAYS = 1.0


def plan_hosts(
    path: Path, request: PlanRequest, make: Callable[[Inventory, PlanRequest], ClusterPlan] = plan_cluster
) -> ClusterPlan:
    """Read an inventory and plan the request on it; ``make`` plans otherwise than by rules alone."""
    # A release that is not known is told before anything else is done.
    catalogue.hadoop(request.hadoop)
    catalogue.hbase(request.hbase)
    if catalogue.line_of(request.hadoop) not in map(catalogue.line_of, PLANNED_VERSIONS):
        problem = "is a release that howdah checks but does not plan for"
        hint = f"one of {', '.join(PLANNED_VERSIONS)}, or another release of these lines"
        raise UserError(f"--hadoop {request.hadoop}", problem, hint)
    inventory = read_inventory(path)
    try:
        return make(inventory, request)
    except UserError as error:
        if error.where.startswith("groups"):
            raise UserError(f"{path}: {error.where}", error.what, error.hint) from error
        raise


def load_plan(path: Path) -> ClusterPlan:
    """The plan in a file; raises UserError that names every fault."""
    return read_plan(path)


def save_plan(plan: ClusterPlan, path: Path) -> None:
    """Write a plan, replacing only a file that is one; raises UserError, and leaves nothing half-written."""
    check_replaceable(path)
    replace_file(path, write_plan(plan))


def check_replaceable(path: Path, read: Callable[[Path], object] = read_plan, kind: str = "plan") -> None:
    """Raise UserError for a place where no plan can be written, such as a file that ``read`` refuses."""
    _check_is_file(path)
    if not path.parent.is_dir():
        raise UserError(f"--output {path}", f"{path.parent} is not a directory", "give an existing directory")
    check_own_file(path, read, kind)


def check_own_file(path: Path, read: Callable[[Path], object], kind: str) -> None:
    """Raise UserError for a file that exists and is none that howdah wrote, which is not replaced."""
    if path.exists():
        try:
            read(path)
        except UserError as error:
            problem = f"exists and is not a {kind} written by howdah"
            hint = "give another file, or move this one away"
            raise UserError(f"--output {path}", problem, hint) from error


def writes_over(output: Path, path: Path) -> bool:
    """Whether a plan that is written there would take another one's place, or its page that one's page."""
    if output.exists() and path.exists() and output.samefile(path):
        return True
    return output.with_suffix(".html").resolve() == path.with_suffix(".html").resolve()


def page_of(path: Path) -> Path:
    """Where a plan's page goes: beside it; raises UserError where something else is in its place."""
    _check_is_file(path)
    written = path.with_suffix(".html")
    if written == path:
        raise UserError(f"--output {path}", "is the file of the plan's page", "give a file such as plan.yaml")
    own = not written.exists()
    with suppress(OSError), written.open("rb") as file:
        own = _GENERATOR in file.read(_HEAD)
    if not own:
        problem = f"its page would replace {written}, which howdah did not write"
        raise UserError(f"--output {path}", problem, "give another file, or --no-page")
    return written


def _check_is_file(path: Path) -> None:
    if not path.name or path.is_dir():
        raise UserError(f"--output {path}", "is a directory", "give a file such as plan.yaml")


def write_plan_page(plan: ClusterPlan, path: Path) -> None:
    """Write the plan's page; raises UserError if it cannot be written."""
    replace_file(path, page.plan_page(plan, grounds()))


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
    """A suite of TeraSort, for all of MapReduce, that reads as much as the largest of a cluster's jobs."""
    work = read_work(path)
    if not work.largest_input_bytes:
        hint = "give --workload terasuite:30TB"
        raise UserError(f"{path}: largest_input_bytes", "is not a workload that howdah plans for", hint)
    return Demand(kind="terasuite", dataset_bytes=work.largest_input_bytes)


class Explained(NamedTuple):
    """What bears a name: a key may have a value for each kind of worker, a platform one for each group."""

    settings: tuple[Setting, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    masters: tuple[Master, ...] = ()


def find_name(plan: ClusterPlan, path: Path, name: str) -> Explained:
    """What the plan in ``path`` knows by this name; raises UserError with the nearest name it knows."""
    cluster = plan.cluster
    explanation = Explained(
        settings=tuple(setting for setting in plan.settings if setting.key == name),
        candidates=tuple(candidate for candidate in cluster.candidates if name in _platforms(candidate)),
        masters=tuple(master for master in cluster.masters if master.name == name),
    )
    if any(explanation):
        return explanation
    default = release_default(plan, name)
    if default is not None:
        hint = f"the release's default applies: {default or '(empty)'}; --set {name}=VALUE sets it"
        raise UserError(name, f"has no value in {path}", hint)
    near = difflib.get_close_matches(name, explained_names(plan), n=1)
    listing = f"`howdah plan explain {path}` lists all keys, platforms and masters"
    hint = f"did you mean {near[0]}?" if near else listing
    raise UserError(name, f"is not a key, platform or master of {path}", hint)


def explained_names(plan: ClusterPlan) -> list[str]:
    """Everything that can be explained: keys, platforms and masters."""
    every = [setting.key for setting in plan.settings]
    every += [platform for candidate in plan.cluster.candidates for platform in _platforms(candidate)]
    every += [master.name for master in plan.cluster.masters]
    return list(dict.fromkeys(every))


def _platforms(candidate: Candidate) -> list[str]:
    """The names of a platform; what is refused for one reason is one candidate: ``3, 5–7 per host``."""
    if candidate.verdict != "refused":
        return [candidate.platform]
    spans = re.findall(r"(\d+)(?:\N{EN DASH}(\d+))?", candidate.platform)
    numbers = (number for first, last in spans for number in range(int(first), int(last or first) + 1))
    return [f"{number} per host" for number in numbers]


def subjects() -> tuple[str, ...]:
    """The subjects of rules, in order."""
    return tuple(dict.fromkeys(rule.subject for rule in RULES))


def severities() -> tuple[str, ...]:
    """The severities of rules, the worst first."""
    return tuple(Severity)


def rule_ids() -> tuple[str, ...]:
    """The ids of all rules."""
    return tuple(rule.id for rule in RULES)


def explain_rule(rule_id: str) -> Explanation:
    """The rule of that id; raises UserError with the nearest id."""
    return explain(find_rule(rule_id))


def list_rules(
    subject: str | None = None, severity: str | None = None, source: str | None = None
) -> tuple[Explanation, ...]:
    """The rules that all filters leave; ``source`` is a paper (``D0``), an item (``D0 49``) or another."""
    if subject is not None and subject not in subjects():
        raise UserError("--subject", f"no subject {subject!r} has rules", f"one of {', '.join(subjects())}")
    if severity is not None and severity not in list(Severity):
        raise UserError("--severity", f"{severity!r} is not a severity", f"one of {', '.join(Severity)}")
    rules = [rule for rule in RULES if source is None or any(_cites(cited, source) for cited in rule.sources)]
    if not rules:
        hint = f"a paper ({', '.join(PAPERS)}), one of its items such as 'D0 49', or X1 to X11"
        raise UserError("--source", f"no rule is based on {source!r}", hint)
    shown = (rule for rule in rules if subject in (None, rule.subject) and severity in (None, rule.severity))
    return tuple(map(explain, shown))


def default_of(key: str) -> str | None:
    """The default of a key in the releases that plans are for unless others are named; None without one."""
    return catalogue.default_of(key, catalogue.hadoop(), catalogue.hbase())


def _cites(source: str, citation: str) -> bool:
    """Whether a source begins with what is wanted, at the end of a word: ``D0 4`` is not ``D0 49``."""
    cited, beginning = source.lower(), citation.lower().strip()
    return cited == beginning or cited.startswith((f"{beginning} ", f"{beginning}-", f"{beginning}:"))


def compare_policies(
    plan: ClusterPlan,
    *,
    data_bytes: int | None,
    mean_file_bytes: int | None,
    age_days: float | None,
    reads_per_month: float | None,
    worker: bool = False,
    share: float | None = None,
    simulate: bool = False,
) -> StorageComparison:
    """Every policy for this data; what is left out is the plan's, or follows from it.

    ``worker`` is about the loss of one worker instead of one host, and ``share`` the part of disks, links and
    cores that jobs leave, a quarter unless given; ``simulate`` adds simulated times. Data of an age of n days
    is taken to be read once in n days, if no number of reads is given.
    """
    request = plan.cluster.request
    planned = request.growth.need_bytes if request.growth else plan.cluster.capacity.usable_bytes
    size = data_bytes or planned
    if size <= 0:
        raise UserError("--data", "there is no room for data on these hosts", "give hosts with data disks")
    if reads_per_month is None:
        reads_per_month = _DAYS_OF_A_MONTH / max(_LEAST_DAYS, age_days) if age_days is not None else 0.0
    mean = mean_file_bytes or file_bytes(request)
    if data_bytes is not None and data_bytes < mean:
        hint = "give an amount with a unit, such as 300TB"
        raise UserError(f"--data {data_bytes}", f"is less than one file of {format_bytes(mean)}", hint)
    data = StoredData(data_bytes=size, file_bytes=mean, age_days=age_days, reads_per_month=reads_per_month)
    loss = Loss("worker" if worker else "host", SHARE if share is None else share)
    compared = compare_storage(plan, data, loss)
    return _simulated(plan, compared, loss) if simulate else compared


def _simulated(plan: ClusterPlan, compared: StorageComparison, loss: Loss) -> StorageComparison:
    limits = plan_limits(plan)
    policies = []
    for cost, scheme in zip(compared.policies, compared_schemes(limits), strict=True):
        actions: tuple[block_copies.MoveKind, ...] = (
            ("rebuild", "drain") if cost.verdict != "impossible" else ()
        )
        moves: dict[str, HostMove] = {}
        for action in actions:
            move = block_copies.Move(scheme, limits, compared.data, loss, action)
            simulated_s = block_copies.simulate_move(move)
            moves[action] = getattr(cost, action).model_copy(update={"simulated_s": simulated_s})
        policies.append(cost.model_copy(update=moves))
    return compared.model_copy(update={"policies": tuple(policies)})

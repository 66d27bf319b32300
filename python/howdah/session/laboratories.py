"""Labs on this machine: built from a plan's file, inspected, changed and removed."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.lab import building, commands, registry
from howdah.lab.building import Fitting, LabRequest, StartedLab
from howdah.lab.capabilities import check_plan
from howdah.lab.faults import ActiveFault, active_faults
from howdah.lab.hadoop.files import find_installed
from howdah.lab.hadoop.starting import ReportStep
from howdah.lab.machines import Power
from howdah.lab.registry import Leftover
from howdah.lab.shared_hosts import LabPlace, first_place, place_with, refuse_shared
from howdah.lab.state import LabState, find, read_state
from howdah.lab.status import LabStatus
from howdah.lab.status import status as look
from howdah.model.cluster import DEFAULT_LAB, KillMode
from howdah.model.inventory import Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, ClusterPlan
from howdah.planner.capacity import disk_bytes_per_s
from howdah.planner.cluster import with_hosts, without_hosts
from howdah.planner.host_claims import check_fit
from howdah.planner.lab_fit import Fitted, fit_on_shared_hosts, fit_plan
from howdah.probe import probe_host
from howdah.render.cluster import render

if TYPE_CHECKING:
    from howdah.faults.revert import Reverted

PARENT = Path("build")
_PATIENCE_S = 3600.0


class Taken(NamedTuple):
    """A laboratory that was taken down."""

    name: str
    existed: bool
    leftovers: tuple[Leftover, ...]


def down(name: str, directory: Path | None = None) -> Taken:
    """Take a laboratory down, whatever is left of it; safe to repeat."""
    with registry.locked(name):
        where = directory_of(name, directory)
        exists = registry.entry(name) is not None or bool(building.leftovers(name, where))
        leftovers = building.remove(name, where)
        return Taken(name, exists or (where is not None and not where.exists()), leftovers)


def status(name: str) -> LabStatus:
    """What there is of a laboratory."""
    return look(state_of(name))


def shell(name: str, machine: str, command: Sequence[str]) -> NoReturn:
    """Become a command or a shell on a machine."""
    commands.run_inside(state_of(name), machine, command)


def kill(name: str, machine: str, daemon: str | None, how: KillMode | None) -> commands.Lost:
    """Lose a machine, all machines of a host, or a daemon at once."""
    with registry.locked(name):
        return commands.kill(state_of(name), machine, daemon, how)


def start(name: str, machine: str, report: ReportStep) -> commands.Back:
    """Bring back a machine or all machines of a host: their links, and the daemons that do not run."""
    with registry.locked(name):
        return commands.start(state_of(name), machine, report)


def inject(name: str, fault: str, report: Callable[[ActiveFault], None]) -> Reverted | None:
    """Inject a fault and, if it has a duration, revert it; ``report`` is called once it is active."""
    # Other commands of a lab need no faults.
    from howdah.faults.lab import inject_from_text  # noqa: PLC0415

    return inject_from_text(state_of(name), fault, report)


def heal(name: str, report: ReportStep) -> tuple[Reverted, ...]:
    """Revert every active fault, and wait until the daemons are ready again."""
    from howdah.faults.lab import heal_all  # noqa: PLC0415

    return heal_all(state_of(name), report)


def names() -> list[str]:
    """The laboratories that there are."""
    return [entry.name for entry in registry.entries()]


def machine_names(name: str) -> list[str]:
    """The machines of a laboratory, none if there is no such one."""
    state = find(name)
    return [machine.name for machine in state.machines] if state else []


def host_names(name: str) -> list[str]:
    """The hosts of a laboratory that are no machine themselves."""
    state, machines = find(name), machine_names(name)
    return [host for host in state.hosts if host not in machines] if state else []


def daemon_names(name: str, machine: str) -> list[str]:
    """The daemons of a machine, or of a host's machines, of a laboratory."""
    state = find(name)
    machines = state.machines if state else ()
    roles = (role for own in machines if machine in (own.name, own.host) for role in own.roles)
    return list(dict.fromkeys(DAEMONS[role].name for role in roles))


def state_of(name: str) -> LabState:
    """A laboratory that is up; raises UserError that names the others if there is none."""
    state = find(name)
    if state is None and registry.belongs_to_root(name):
        raise UserError(f'lab "{name}"', "belongs to root", "run this command as root")
    if state is None:
        build, running = "build it: howdah lab up PLAN", ", ".join(names())
        hint = f"name one that is up ({running}), or {build}" if running else build
        raise UserError(f'lab "{name}"', "is not up", hint)
    return state


def directory_of(name: str, chosen: Path | None) -> Path | None:
    """Where a laboratory's files are: by its entry, or where a machine that was restarted left them."""
    entry = registry.entry(name)
    if entry is not None:
        return entry.directory
    directory = (chosen or PARENT / name).absolute()
    try:
        state = read_state(directory)
    except UserError:
        # Whose it is cannot be told, so it is none to go on with and none to remove.
        return None
    return directory if state is not None and state.name == name else None


def add(name: str, hosts: Sequence[str], like: str | None, report: ReportStep) -> StartedLab:
    """Give a laboratory more hosts, each like one that it has; what runs goes on."""
    with registry.locked(name):
        state = _whole(name)
        like = like or _only_like(state)
        plan = with_hosts(state.plan, hosts, like)
        more = commands.extended_state(state, plan, hosts, like)
        return commands.build_extension(more, render(plan, leaving=more.leaving), report)


def remove(name: str, hosts: Sequence[str], report: ReportStep) -> LabState:
    """Take hosts away from a laboratory once others have their data and tasks; repeated, it continues."""
    with registry.locked(name):
        state = _whole(name)
        # Hosts that others take away meanwhile count for nothing any more.
        away = {machine.host for machine in state.machines if machine.name in state.leaving}
        without_hosts(state.plan, {*hosts, *away})
        leaving = [machine.name for machine in state.machines if machine.host in hosts]
        state = state.model_copy(update={"leaving": tuple(dict.fromkeys([*state.leaving, *leaving]))})
        commands.start_drain(state, render(state.plan, leaving=state.leaving))
    # The lock is let go meanwhile: data may take long, and faults and runs go on.
    commands.await_drained(state, _PATIENCE_S, report)
    with registry.locked(name):
        # Hosts may have joined or left meanwhile; hosts that another command removes stay on their way out.
        state = state_of(name)
        plan = without_hosts(state.plan, hosts)
        gone = {machine.name for machine in state.machines if machine.host in hosts}
        leaving = [name for name in state.leaving if name not in gone]
        return commands.remove_drained(state, plan, hosts, render(plan, leaving=leaving))


def _whole(name: str) -> LabState:
    """A laboratory whose hosts can come and go; raises UserError for one that is not up, or not root's."""
    state = state_of(name)
    if state.rootless:
        hint = "build it as root"
        raise UserError(f'lab "{name}"', "was built without root: its hosts have no links", hint)
    if not state.complete:
        raise UserError(f'lab "{name}"', "is not complete", "howdah lab up PLAN completes it")
    refuse_shared(state, "hosts cannot be added or removed until then")
    return state


def _only_like(state: LabState) -> str:
    """The host that new ones are like where nobody says so; raises UserError where hosts differ."""
    copied = [host for host in placed_hosts(state.plan.cluster) if host.workers and not host.masters]
    first = {host.group: host.name for host in reversed(copied)}
    if not first:
        problem = "has no host to copy: every host with workers also has masters"
        raise UserError("howdah lab add", problem, "plan the larger cluster, and build the lab again")
    if len(first) > 1:
        hint = f"one of {', '.join(first.values())}"
        raise UserError("--like", "is missing, because hosts with workers differ", hint)
    return next(iter(first.values()))


def shares_hosts(plan: ClusterPlan) -> bool:
    """Whether a plan has a part of hosts that it knows the whole of, so that others may be built on them."""
    sharing = plan.cluster.request.sharing
    return sharing is not None and bool(sharing.whole)


def place_on_hosts_of(first: str, name: str, source: Path, plan: ClusterPlan) -> LabPlace:
    """A place on the hosts of a lab that is up, whose plan has another part of them; no fault is active."""
    place = place_with(name, first)
    cluster = plan.cluster
    sharing = cluster.request.sharing
    if sharing is None or not sharing.whole:
        problem = "lists no shared hosts: it shares none, or an older howdah wrote it"
        hint = "run howdah plan hosts.yaml --beside OTHER.yaml, then bring up the new plan"
        raise UserError(str(source), problem, hint)
    for neighbour in place.neighbours:
        _check_hosts(source, cluster, neighbour)
        if active_faults(neighbour):
            problem = "has active faults, which may affect the shared hosts"
            hint = f"howdah lab heal --name {neighbour.name} first"
            raise UserError(f'lab "{neighbour.name}"', problem, hint)
    check_fit(Inventory(groups=sharing.whole), [*(neighbour.plan for neighbour in place.neighbours), plan])
    return place


def check_still_beside(state: LabState, name: str) -> None:
    """Raise UserError where a laboratory that is there is not on the hosts of another one."""
    entry = registry.entry(name)
    lot = state.spec.lot if state.spec is not None else None
    if lot is None or entry is None or entry.lot != lot:
        hint = f"howdah lab down --name {state.name} first, or leave --beside out"
        raise UserError(f"--beside {name}", f'lab "{state.name}" is already up on other hosts', hint)


def _check_hosts(source: Path, cluster: Cluster, state: LabState) -> None:
    second = state.plan.cluster
    if second.inventory.cluster == cluster.inventory.cluster:
        problem = f'has the same cluster name, {cluster.inventory.cluster}, as lab "{state.name}"'
        raise UserError(str(source), problem, "plan it with another --cluster NAME")
    theirs = {host.lower() for group in second.inventory.groups for host in group.names}
    for name in (host for group in cluster.inventory.groups for host in group.names):
        if name.lower() in theirs and _size(cluster, name) != _size(second, name):
            hint = "plan both clusters from the same inventory"
            raise UserError(f"host {name}", f'differs between {source} and lab "{state.name}"', hint)


def _size(cluster: Cluster, host: str) -> tuple[int, int, int] | None:
    sharing = cluster.request.sharing
    if sharing is None or (group := sharing.whole_host(host)) is None:
        return None
    return group.cpu.threads, group.memory_bytes, group.network_bits_per_s


class LabOptions(NamedTuple):
    """What users choose of a lab next to its plan; by default it is below ``build``, on its own hosts."""

    name: str = DEFAULT_LAB
    directory: Path | None = None
    hosts: int | None = None
    link_bits_per_s: int | None = None
    neighbour: str | None = None


def up(path: Path, options: LabOptions, report: ReportStep) -> StartedLab:
    """Bring a plan's laboratory up, or what is missing of the one that is there."""
    plan = read_plan(path)
    check_plan(plan)
    with registry.locked(options.name):
        building.clear(options.name)
        where = directory_of(options.name, options.directory)
        state = read_state(where) if where else None
        request = _lab_request(path, plan, options, state)
        if state is None:
            state = _begun(plan, options, request)
        elif state.asked != request.digest:
            problem = f"is already up with {state.source}, or with other limits"
            hint = f"run howdah lab down --name {state.name} first, or give another --name"
            raise UserError(f'lab "{state.name}"', problem, hint)
        elif options.neighbour is not None:
            check_still_beside(state, options.neighbour)
        return building.bring_up(state, render(state.plan, leaving=state.leaving), report)


def check(path: Path, options: LabOptions) -> None:
    """Raise UserError where a plan's laboratory could not be built here; nothing is made."""
    plan = read_plan(path)
    check_plan(plan)
    _begun(plan, options, _lab_request(path, plan, options, None))


def fit_here(
    plan: ClusterPlan, directory: Path, *, hosts: int | None = None, link_bits_per_s: int | None = None
) -> Fitted:
    """Fit a plan to this machine, its data disks to the file system that is to hold ``directory``."""
    free_bytes = _free_bytes(directory)
    return fit_plan(plan, probe_host(), free_bytes=free_bytes, hosts=hosts, link_bits_per_s=link_bits_per_s)


def fits_here(plan: ClusterPlan, directory: Path) -> bool:
    """Whether a lab on this machine, with disks in ``directory``, has all that a plan has."""
    try:
        return fit_here(plan, directory).plan == plan
    except UserError:
        return False


def _free_bytes(directory: Path) -> int:
    path = directory.absolute()
    try:
        return shutil.disk_usage(next(parent for parent in (path, *path.parents) if parent.exists())).free
    except OSError as error:
        hint = "give another directory"
        raise UserError(f"--dir {directory}", f"cannot be read: {error.strerror}", hint) from error


def _begun(plan: ClusterPlan, options: LabOptions, request: LabRequest) -> LabState:
    place, fitted = _fitted(plan, options, request)
    machine, installed = probe_host(), find_installed(check_plan(fitted.plan))
    power = Power(fitted.cpu_share, disk_bytes_per_s)
    memory_bytes, cpus = machine.memory.total_bytes, machine.usable_cpus
    fitting = Fitting(fitted.scaling, fitted.notes, memory_bytes, cpus, place)
    return building.begin(request, fitted.plan, installed, power, fitting)


def _fitted(plan: ClusterPlan, options: LabOptions, request: LabRequest) -> tuple[LabPlace, Fitted]:
    hosts, link = options.hosts, options.link_bits_per_s
    if options.neighbour is None:
        fitted = fit_here(plan, request.directory, hosts=hosts, link_bits_per_s=link)
        return first_place(options.name, shares=shares_hosts(fitted.plan)), fitted
    for flag, value in (("--hosts", hosts), ("--link", link)):
        if value is not None:
            problem = f"has no effect: {options.neighbour} has already built the hosts"
            raise UserError(flag, problem, "leave it out")
    place = place_on_hosts_of(options.neighbour, options.name, Path(request.source), plan)
    fitted = fit_on_shared_hosts(
        plan,
        probe_host(),
        free_bytes=_free_bytes(request.directory),
        neighbours=[neighbour.plan for neighbour in place.neighbours],
        cpu_share=place.cpu_share or 1.0,
    )
    return place, fitted


def _lab_request(path: Path, plan: ClusterPlan, options: LabOptions, state: LabState | None) -> LabRequest:
    default = state.directory if state else PARENT / options.name
    directory = (options.directory or default).absolute()
    content = f"{plan.model_dump_json()}\n{options.hosts}\n{options.link_bits_per_s}\n{directory}"
    return LabRequest(options.name, directory, str(path), hashlib.sha256(content.encode()).hexdigest())

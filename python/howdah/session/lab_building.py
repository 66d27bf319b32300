"""A plan's file to a laboratory on this machine."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import NamedTuple

from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.lab import building, registry
from howdah.lab.building import Fitting, LabRequest, StartedLab
from howdah.lab.capabilities import check_plan
from howdah.lab.faults import active_faults
from howdah.lab.hadoop.files import find_installed
from howdah.lab.hadoop.starting import ReportStep
from howdah.lab.machines import Power
from howdah.lab.registry import DEFAULT_NAME
from howdah.lab.shared_hosts import LabPlace, first_place, place_with
from howdah.lab.state import LabState, read_state
from howdah.model.inventory import Inventory
from howdah.model.plan import Cluster, ClusterPlan
from howdah.planner.capacity import disk_bytes_per_s
from howdah.planner.host_claims import check_fit
from howdah.planner.lab_fit import Fitted, fit_on_shared_hosts, fit_plan
from howdah.probe import probe_host
from howdah.render.cluster import render
from howdah.session.laboratories import PARENT, directory_of


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
    """The threads, memory and network of a whole host, by its cluster's plan."""
    sharing = cluster.request.sharing
    if sharing is None or (group := sharing.whole_host(host)) is None:
        return None
    return group.cpu.threads, group.memory_bytes, group.network_bits_per_s


class LabOptions(NamedTuple):
    """What users choose of a lab next to its plan; by default it is below ``build``, on its own hosts."""

    name: str = DEFAULT_NAME
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

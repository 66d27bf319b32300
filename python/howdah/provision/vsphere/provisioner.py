"""A plan's machines in a vCenter: compared, made, changed and removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from howdah.errors import UserError
from howdah.model.machines import Doing, ExistingMachine, PlannedMachine, ProvisionChange, Provisioning
from howdah.model.site import MachineSite, SiteHosts, VCenterSite
from howdah.provision.differences import HOST, Facts, ReportStep, admit, machine_changes, whole_changes
from howdah.provision.vsphere import facts, rules
from howdah.provision.vsphere.making import CARDS, MachineMaker
from howdah.provision.vsphere.session import VCenterPlace, find_place, settle, vim, wait_for
from howdah.units import MIB

_Machines = Sequence[PlannedMachine]
_MEMORY_STEP = 4  # vSphere gives memory in steps of so many MiB.
_LATENCIES = ("normal", "high")  # The levels that vSphere still keeps apart.


def check_limits(
    place: VCenterPlace,
    site: VCenterSite,
    entries: Mapping[str, SiteHosts],
    machines: _Machines,
    offered: int,
) -> None:
    """Raise UserError for limits that only vSphere has."""
    for name, host in place.hosts.items():
        reserved = sum(
            machine.vcpus for machine in machines if machine.host == name and facts.latency(machine) == "high"
        )
        most = host.state.cores * (2 if offered >= facts.PAIRED_HARDWARE else 1)
        if reserved > most:
            problem = (
                f"has {host.state.cores} cores, but high latency sensitivity reserves {reserved} for its "
                f"machines (virtual hardware {offered} is the newest here)"
            )
            hint = "plan with --set sched.cpu.latencySensitivity=normal, or with fewer virtual CPUs"
            raise UserError(f"host {name}", problem, hint)
    for machine in machines:
        _check_values(machine)
        where = f"host {machine.host}"
        entry = entries.get(machine.host)
        if entry is None or not (system := entry.names("system_datastore", machine.host)):
            raise UserError(where, "has no system_datastore in the site", "add it to `hosts:`")
        if system[0] not in place.hosts[machine.host].state.datastores:
            raise UserError(where, f"has no access to {system[0]}", "correct `system_datastore:`")
    mirrored = any(machine.shadow_host for machine in machines)
    if mirrored and rules.found_cluster(place)[rules.HA] == "off" and not site.high_availability:
        hint = "write `high_availability: true` in the site, or switch HA on"
        raise UserError(f"cluster {site.cluster}", "has vSphere HA off, which Fault Tolerance needs", hint)


def _check_values(machine: PlannedMachine) -> None:
    """Values that a plan may have and vSphere does not take; it would say so half-way, machine by machine."""
    for key in ("cpuid.coresPerSocket", "sched.mem.min"):
        if not facts.set_value(machine, key, "0").isdigit():
            problem = f"{facts.set_value(machine, key, '')!r} is not a whole number"
            raise UserError(f"the plan: {key}", problem, "")
    cores = int(facts.set_value(machine, "cpuid.coresPerSocket", "0")) or machine.vcpus
    if machine.vcpus % cores and not machine.master:
        problem = f"{machine.vcpus} virtual CPUs do not divide into sockets of {cores} cores"
        hint = "leave the value out of the plan's options"
        raise UserError("the plan: cpuid.coresPerSocket", problem, hint)
    if machine.memory_bytes % (_MEMORY_STEP * MIB):
        problem = f"has {facts.spelt_mib(machine.memory_bytes // MIB)}, not a multiple of {_MEMORY_STEP} MiB"
        hint = "plan with another memSize: vSphere accepts only multiples"
        raise UserError(f"machine {machine.name}", problem, hint)
    if facts.latency(machine) not in _LATENCIES:
        problem = f"{facts.latency(machine)!r} is not a level"
        raise UserError("the plan: sched.cpu.latencySensitivity", problem, "normal or high")
    if facts.card_kind(machine) not in CARDS:
        problem = f"{facts.card_kind(machine)!r} is not a network card"
        raise UserError("ethernet0.virtualDev", problem, "vmxnet3")


def notes(place: VCenterPlace, site: VCenterSite, machines: _Machines, offered: int) -> Iterator[str]:
    if not rules.drs_on(place):
        yield f"DRS is off in {site.cluster}: rules are stored but not enforced"
    if rules.found_cluster(place)[rules.HA] == "off" and not site.high_availability:
        yield f"vSphere HA is off in {site.cluster}: restart priorities take effect when it is on"
    versions = {facts.planned_hardware(machine, 10**6) for machine in machines}
    newest = max((version for version in versions if version is not None), default=0)
    if newest > offered:
        yield f"this vCenter offers virtual hardware {offered} at most, but the plan has {newest}"


def as_mirrored(planned: Facts, existing: ExistingMachine | None) -> Facts:
    """A master and its shadow that changed places, as they do when a host is lost, are where they belong."""
    if existing is None or facts.TOLERANCE not in planned:
        return planned
    turned = {HOST: planned[facts.TOLERANCE], facts.TOLERANCE: planned[HOST]}
    return {**planned, **turned} if turned.items() <= existing.facts.items() else planned


def hardware_of(machine: PlannedMachine, offered: int, seen: facts.Seen) -> int | None:
    """What is newer than planned stays: virtual hardware is never made older."""
    planned = facts.planned_hardware(machine, offered)
    existing = seen.machines.get(machine.name)
    if planned is None or existing is None:
        return planned
    version = existing.config.version.removeprefix("vmx-")
    return max(planned, int(version)) if version.isdigit() else planned


def newest_hardware(place: VCenterPlace) -> int:
    descriptors = place.cluster.environmentBrowser.QueryConfigOptionDescriptor()
    keys = (descriptor.key for descriptor in descriptors if descriptor.createSupported)
    versions = (key.removeprefix("vmx-") for key in keys if key.startswith("vmx-"))
    return max((int(version) for version in versions if version.isdigit()), default=0)


_FIELD = "howdah"  # The custom attribute by which howdah knows folders and pools that it made.


def own_holders(place: VCenterPlace, cluster: str) -> Iterator[tuple[str, Any]]:
    """The folder and the pool, where howdah made them for this cluster."""
    keys = {field.key for field in place.content.customFieldsManager.field if field.name == _FIELD}
    for kind, entity in (("folder", place.folder), ("resource pool", place.resource_pool)):
        marks = () if entity is None else entity.customValue
        if any(mark.key in keys and mark.value == cluster for mark in marks):
            yield kind, entity


def held_by(kind: str, entity: Any) -> set[Any]:
    return set(entity.childEntity) if kind == "folder" else {*entity.vm, *entity.resourcePool}


_AT_ONCE = 8  # vCenter clones eight machines to one host at a time, and others wait.


@dataclass
class VCenterProvisioner:
    """One vCenter, on behalf of one plan and site."""

    content: Any
    machine_site: MachineSite
    machines: _Machines
    cluster: str
    overcommit: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.machine_site.vcenter is None:
            raise UserError("the site", "has no section for a vCenter", "add `vcenter:` to the site file")
        self._site: VCenterSite = self.machine_site.vcenter
        self._entries = self.machine_site.by_host

    def compare(self) -> Provisioning:
        """Compare existing machines with the plan; raises UserError if the plan cannot be made here."""
        return self._compared(*self._seen())

    def _compared(self, place: VCenterPlace, seen: facts.Seen) -> Provisioning:
        held = seen.held(place)
        uses = {
            name: {"taken_bytes": seen.taken.get(name, 0), "held": held.get(name, {})} for name in place.hosts
        }
        hosts = {name: host.state.model_copy(update=uses[name]) for name, host in place.hosts.items()}
        network = self._site.port_group
        admit(self.machines, hosts, seen.existing, network=network, overcommit=self.overcommit)
        offered = newest_hardware(place)
        check_limits(place, self._site, self._entries, self.machines, offered)
        planned: dict[str, Facts] = {}
        for machine in self.machines:
            host, hardware = hosts[machine.host], hardware_of(machine, offered, seen)
            pairs = facts.paired(self.machines, host)
            fresh = facts.planned_facts(machine, host, hardware, network, pairs=pairs)
            planned[machine.name] = as_mirrored(fresh, seen.existing.get(machine.name))
        changes = tuple(self._changes(place, seen, planned))
        return Provisioning(changes=changes, notes=tuple(notes(place, self._site, self.machines, offered)))

    def apply(self, report: ReportStep) -> None:
        """Do it, in an order in which a run that is killed leaves nothing that the next does not find."""
        place, seen = self._seen()
        pending = self._compared(place, seen).pending
        place = self._with_holders(place, report)
        maker = MachineMaker(place, self._site, self._entries, report)
        changes = {change.name: change for change in pending if change.what == "machine"}
        changing = [machine for machine in self.machines if machine.name in changes]
        references = {name: existing.reference for name, existing in seen.machines.items()}

        def make(machine: PlannedMachine) -> None:
            change = changes[machine.name]
            pairs = facts.paired(self.machines, place.hosts[machine.host].state)
            before = seen.machines.get(machine.name)
            references[machine.name] = maker.make(machine, change, before, pairs=pairs)
            if change.restarts:
                maker.start(machine, references[machine.name])

        # Side by side where nothing runs yet; machines at work go down one at a time.
        _side_by_side(make, [machine for machine in changing if not changes[machine.name].restarts])
        for machine in changing:
            if changes[machine.name].restarts:
                make(machine)
        differing = {difference.what for change in pending for difference in change.differences}
        if facts.PRIORITY in differing or any(change.what != "machine" for change in pending):
            spec = rules.cluster_spec(place, self.machines, references, ha=self._site.high_availability)
            self._reconfigure(place, spec)
            report(f"set rules, groups and restart priorities of cluster {self._site.cluster}")
        # Rules come first, so that no machine ever runs where it may not.
        _side_by_side(lambda machine: maker.start(machine, references[machine.name]), changing)

    def _with_holders(self, place: VCenterPlace, report: ReportStep) -> VCenterPlace:
        """The place with a folder, and a pool that takes what its machines reserve, made if there is none."""
        manager, site = place.content.customFieldsManager, self._site
        if place.folder is None:
            folder = place.datacenter.vmFolder.CreateFolder(site.folder)
            manager.SetField(folder, _mark_key(manager), self.cluster)
            report(f"made folder {site.folder}")
            place = place._replace(folder=folder)
        if place.resource_pool is None:
            shares = vim.SharesInfo(shares=0, level="normal")
            own = {"reservation": 0, "expandableReservation": True, "limit": -1}
            share = vim.ResourceAllocationInfo(**own, shares=shares)
            spec = vim.ResourceConfigSpec(cpuAllocation=share, memoryAllocation=share)
            pool = place.cluster.resourcePool.CreateResourcePool(site.resource_pool, spec)
            manager.SetField(pool, _mark_key(manager), self.cluster)
            report(f"made resource pool {site.resource_pool}")
            place = place._replace(resource_pool=pool)
        return place

    def made(self) -> Sequence[str]:
        """Everything that howdah made for this cluster, a line for each."""
        place, seen = self._seen(removing=True)
        entries = {name: seen.machines[name] for name in sorted(seen.machines)}
        own = {name: entry for name, entry in entries.items() if entry.machine.ours == self.cluster}
        lines = [
            f"machine {name} on {entry.machine.host or 'no known host'} with its disks in datastores"
            for name, entry in own.items()
        ]
        names = {existing.reference: name for name, existing in seen.machines.items()}
        lines += [f"rule {name}" for name in rules.found_rules(place, self.cluster, names)]
        lines += [f"group {name}" for name in rules.found_groups(place, self.cluster, names)]
        ours = {entry.reference for entry in own.values()}
        holders = own_holders(place, self.cluster)
        lines += [f"{kind} {holder.name}" for kind, holder in holders if held_by(kind, holder) <= ours]
        return lines

    def destroy(self, report: ReportStep) -> None:
        """Remove exactly that: machines first, then what held them."""
        place, seen = self._seen(removing=True)
        maker = MachineMaker(place, self._site, self._entries, report)
        if (spec := rules.removing_spec(place, self.cluster)) is not None:
            self._reconfigure(place, spec)
            report("removed rules and groups")
        for name, existing in sorted(seen.machines.items()):
            if existing.machine.ours == self.cluster:
                maker.remove(name, existing)
        for kind, entity in own_holders(place, self.cluster):
            if not held_by(kind, entity):
                name = entity.name
                wait_for(entity.Destroy_Task(), f"{kind} {name}")
                report(f"removed {kind} {name}")

    def _seen(self, *, removing: bool = False) -> tuple[VCenterPlace, facts.Seen]:
        place = find_place(self.content, self._site, removing=removing)
        if place.template is not None:
            # What a killed run had begun to clone goes on in the vCenter, and is not whole until it ends.
            settle(place.template)
        planned = {machine.name: machine.host for machine in self.machines}
        return place, facts.find_machines(place, self.cluster, planned)

    def _reconfigure(self, place: VCenterPlace, spec: Any) -> None:
        task = place.cluster.ReconfigureComputeResource_Task(spec=spec, modify=True)
        wait_for(task, f"cluster {self._site.cluster}")

    def _changes(
        self, place: VCenterPlace, seen: facts.Seen, planned: Mapping[str, Facts]
    ) -> Iterator[ProvisionChange]:
        for kind, name, entity in (
            ("folder", self._site.folder, place.folder),
            ("resource pool", self._site.resource_pool, place.resource_pool),
        ):
            yield ProvisionChange(doing=Doing.MAKE if entity is None else Doing.LEAVE, what=kind, name=name)
        if self._site.high_availability:
            name, existing = self._site.cluster, rules.found_cluster(place)
            yield from whole_changes("cluster", {name: {rules.HA: "on"}}, {name: existing})
        yield from machine_changes(self.machines, planned, seen.existing, facts.WHILE_RUNNING)
        names = {existing.reference: name for name, existing in seen.machines.items()}
        groups = rules.found_groups(place, self.cluster, names)
        yield from whole_changes("group", rules.planned_groups(self.machines), groups)
        existing_rules = rules.found_rules(place, self.cluster, names)
        yield from whole_changes("rule", rules.planned_rules(self.machines), existing_rules)


def _mark_key(manager: Any) -> int:
    keys = [field.key for field in manager.field if field.name == _FIELD]
    return int(keys[0] if keys else manager.AddCustomFieldDef(_FIELD, None, None, None).key)


def _side_by_side(do: Callable[[PlannedMachine], None], machines: _Machines) -> None:
    """The first failure is raised once those under way have ended; those that wait do not begin."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(do, machines))

"""A plan's machines in a vCenter: looked at, made and changed, removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from howdah.errors import UserError
from howdah.model.machines import Doing, FoundMachine, ProvisionChange, Provisioning, WantedMachine
from howdah.model.site import MachineSite, VCenterSite
from howdah.provision.admission import admit
from howdah.provision.backend import Told
from howdah.provision.differences import HOST, Facts, machine_changes, whole_changes
from howdah.provision.vsphere.api import vim
from howdah.provision.vsphere.found import Seen, look
from howdah.provision.vsphere.making import MachineMaker
from howdah.provision.vsphere.place import VCenterPlace, find_place
from howdah.provision.vsphere.rules import (
    HA,
    cluster_spec,
    drs_on,
    found_cluster,
    found_groups,
    found_rules,
    planned_groups,
    planned_rules,
    removing_spec,
)
from howdah.provision.vsphere.session import settle, wait_for
from howdah.provision.vsphere.shape import (
    PAIRED_HARDWARE,
    PRIORITY,
    TOLERANCE,
    WHILE_RUNNING,
    latency,
    paired,
    planned_facts,
    wanted_hardware,
)
from howdah.provision.vsphere.spec import card_kind, known_card

_AT_ONCE = 8
"""vCenter clones eight machines to one host at a time, and others wait."""
_FIELD = "howdah"
"""The custom attribute by which howdah knows folders and pools that it made."""


class VCenterProvisioner:
    """One vCenter, on behalf of one plan and site."""

    def __init__(
        self,
        content: Any,
        site: MachineSite,
        machines: Sequence[WantedMachine],
        cluster: str,
        *,
        overcommit: bool = False,
    ) -> None:
        if site.vcenter is None:
            raise UserError("the site", "says nothing of a vCenter", "add `vcenter:` to it")
        self._content = content
        self._site: VCenterSite = site.vcenter
        self._entries = site.by_host
        self._machines = machines
        self._cluster = cluster
        self._overcommit = overcommit
        self._field: int | None = None

    def look(self) -> Provisioning:
        """What stands between what is there and what is planned; raises UserError for what cannot be."""
        place, seen = self._seen()
        return self._looked(place, seen)

    def _looked(self, place: VCenterPlace, seen: Seen) -> Provisioning:
        hosts = {
            name: host.state.model_copy(update={"taken_bytes": seen.taken.get(name, 0)})
            for name, host in place.hosts.items()
        }
        admit(
            self._machines,
            hosts,
            seen.found,
            network=self._site.port_group,
            overcommit=self._overcommit,
        )
        offered = _offered(place)
        self._check(place, offered)
        planned: dict[str, Facts] = {}
        for machine in self._machines:
            facts = planned_facts(
                machine,
                hosts[machine.host],
                _hardware(machine, offered, seen),
                self._site.port_group,
                pairs=paired(self._machines, hosts[machine.host]),
            )
            planned[machine.name] = _mirrored(facts, seen.found.get(machine.name))
        return Provisioning(
            changes=tuple(self._changes(place, seen, planned)), notes=tuple(self._notes(place, offered))
        )

    def apply(self, told: Told) -> None:
        """Do it, in an order in which a run that is killed leaves nothing that the next does not find."""
        place, seen = self._seen()
        pending = self._looked(place, seen).pending
        place = place._replace(
            folder=place.folder or self._made_folder(place, told),
            resource_pool=place.resource_pool or self._made_pool(place, told),
        )
        maker = MachineMaker(place, self._site, self._entries, told)
        changes = {change.name: change for change in pending if change.what == "machine"}
        changing = [machine for machine in self._machines if machine.name in changes]
        references = {name: one.reference for name, one in seen.machines.items()}

        def make(machine: WantedMachine) -> None:
            change = changes[machine.name]
            pairs = paired(self._machines, place.hosts[machine.host].state)
            references[machine.name] = maker.make(
                machine, change, seen.machines.get(machine.name), pairs=pairs
            )
            if change.restarts:
                maker.start(machine, references[machine.name])

        # Side by side where nothing runs yet; machines at work go down one at a time.
        _side_by_side(make, [machine for machine in changing if not changes[machine.name].restarts])
        for machine in changing:
            if changes[machine.name].restarts:
                make(machine)
        if any(change.what != "machine" or _tells_cluster(change) for change in pending):
            spec = cluster_spec(place, self._machines, references, ha=self._site.high_availability)
            where = f"cluster {self._site.cluster}"
            wait_for(place.cluster.ReconfigureComputeResource_Task(spec=spec, modify=True), where)
            told(f"told {where} its rules, groups and restart priorities")
        # Rules come first, so that no machine ever runs where it may not.
        _side_by_side(lambda machine: maker.start(machine, references[machine.name]), changing)

    def made(self) -> Sequence[str]:
        """Everything that howdah made for this cluster, a line for each."""
        place, seen = self._seen()
        lines = [
            f"machine {name} on {one.machine.host or 'no known host'} with its disks in datastores"
            for name, one in sorted(seen.machines.items())
            if one.machine.ours == self._cluster
        ]
        names = {one.reference: name for name, one in seen.machines.items()}
        lines += [f"rule {name}" for name in found_rules(place, self._cluster, names)]
        lines += [f"group {name}" for name in found_groups(place, self._cluster, names)]
        return [*lines, *(f"{what} {one.name}, if it is empty then" for what, one in self._own(place))]

    def destroy(self, told: Told) -> None:
        """Remove exactly that: machines first, then what held them."""
        place, seen = self._seen()
        maker = MachineMaker(place, self._site, self._entries, told)
        if (spec := removing_spec(place, self._cluster)) is not None:
            where = f"cluster {self._site.cluster}"
            wait_for(place.cluster.ReconfigureComputeResource_Task(spec=spec, modify=True), where)
            told("removed rules and groups")
        for name, one in sorted(seen.machines.items()):
            if one.machine.ours == self._cluster:
                maker.remove(name, one)
        for what, one in self._own(place):
            if not (one.childEntity if what == "folder" else one.vm):
                name = one.name
                wait_for(one.Destroy_Task(), f"{what} {name}")
                told(f"removed {what} {name}")

    def _seen(self) -> tuple[VCenterPlace, Seen]:
        place = find_place(self._content, self._site)
        # What a killed run had begun to clone goes on in the vCenter, and is not whole until it ends.
        settle(place.template)
        return place, look(place, self._cluster, frozenset(machine.name for machine in self._machines))

    def _check(self, place: VCenterPlace, offered: int) -> None:
        """What only vSphere asks for; raises UserError."""
        for name, host in place.hosts.items():
            asked = sum(one.vcpus for one in self._machines if one.host == name and latency(one) == "high")
            most = host.state.cores * (2 if offered >= PAIRED_HARDWARE else 1)
            if asked > most:
                raise UserError(
                    f"host {name}",
                    f"has {host.state.cores} cores, and its machines ask for {asked} by high latency "
                    f"sensitivity (virtual hardware {offered} is the newest here)",
                    "plan with --set sched.cpu.latencySensitivity=normal, or with fewer virtual CPUs",
                )
        for machine in self._machines:
            entry = self._entries.get(machine.host)
            if entry is None or not (system := entry.names("system_datastore", machine.host)):
                raise UserError(
                    f"host {machine.host}", "has no system_datastore in the site", "add it to `hosts:`"
                )
            if system[0] not in place.hosts[machine.host].state.datastores:
                raise UserError(
                    f"host {machine.host}", f"does not reach {system[0]}", "correct `system_datastore:`"
                )
            if not known_card(card_kind(machine)):
                raise UserError(
                    "ethernet0.virtualDev", f"{card_kind(machine)!r} is not a network card", "vmxnet3"
                )
        mirrored = any(machine.shadow_host for machine in self._machines)
        if mirrored and found_cluster(place)[HA] == "off" and not self._site.high_availability:
            raise UserError(
                f"cluster {self._site.cluster}",
                "has vSphere HA switched off, without which there is no Fault Tolerance",
                "say `high_availability: true` in the site, or switch it on",
            )

    def _changes(
        self, place: VCenterPlace, seen: Seen, planned: Mapping[str, Facts]
    ) -> Iterator[ProvisionChange]:
        for what, name, there in (
            ("folder", self._site.folder, place.folder),
            ("resource pool", self._site.resource_pool, place.resource_pool),
        ):
            yield ProvisionChange(doing=Doing.MAKE if there is None else Doing.LEAVE, what=what, name=name)
        if self._site.high_availability:
            yield from whole_changes(
                "cluster", {self._site.cluster: {HA: "on"}}, {self._site.cluster: found_cluster(place)}
            )
        yield from machine_changes(self._machines, planned, seen.found, WHILE_RUNNING)
        names = {one.reference: name for name, one in seen.machines.items()}
        groups = found_groups(place, self._cluster, names)
        yield from whole_changes("group", planned_groups(self._machines), groups)
        yield from whole_changes(
            "rule", planned_rules(self._machines), found_rules(place, self._cluster, names)
        )

    def _notes(self, place: VCenterPlace, offered: int) -> Iterator[str]:
        if not drs_on(place):
            yield f"DRS is off in {self._site.cluster}: rules are stored, and nobody keeps them"
        if found_cluster(place)[HA] == "off" and not self._site.high_availability:
            yield f"vSphere HA is off in {self._site.cluster}: restart priorities wait until it is on"
        asked = {wanted_hardware(machine, 10**6) for machine in self._machines}
        newest = max((one for one in asked if one is not None), default=0)
        if newest > offered:
            yield f"this vCenter offers virtual hardware {offered} at most, the plan's is {newest}"

    def _made_folder(self, place: VCenterPlace, told: Told) -> Any:
        folder = place.datacenter.vmFolder.CreateFolder(self._site.folder)
        self._mark(folder)
        told(f"made folder {self._site.folder}")
        return folder

    def _made_pool(self, place: VCenterPlace, told: Told) -> Any:
        share = vim.ResourceAllocationInfo(
            reservation=0,
            expandableReservation=True,
            limit=-1,
            shares=vim.SharesInfo(shares=0, level="normal"),
        )
        pool = place.cluster.resourcePool.CreateResourcePool(
            self._site.resource_pool, vim.ResourceConfigSpec(cpuAllocation=share, memoryAllocation=share)
        )
        self._mark(pool)
        told(f"made resource pool {self._site.resource_pool}")
        return pool

    def _mark(self, entity: Any) -> None:
        manager = self._content.customFieldsManager
        if self._field is None:
            known = [one.key for one in manager.field if one.name == _FIELD]
            self._field = known[0] if known else manager.AddCustomFieldDef(_FIELD, None, None, None).key
        manager.SetField(entity, self._field, self._cluster)

    def _own(self, place: VCenterPlace) -> Iterator[tuple[str, Any]]:
        """The folder and the pool, where howdah made them for this cluster."""
        keys = {one.key for one in self._content.customFieldsManager.field if one.name == _FIELD}
        for what, entity in (("folder", place.folder), ("resource pool", place.resource_pool)):
            marks = () if entity is None else entity.customValue
            if any(one.key in keys and one.value == self._cluster for one in marks):
                yield what, entity


def _tells_cluster(change: ProvisionChange) -> bool:
    return any(difference.what == PRIORITY for difference in change.differences)


def _mirrored(facts: Facts, there: FoundMachine | None) -> Facts:
    """A master and its shadow that changed places, as they do when a host is lost, are where they belong."""
    if there is None or TOLERANCE not in facts:
        return facts
    turned = {HOST: facts[TOLERANCE], TOLERANCE: facts[HOST]}
    return {**facts, **turned} if turned.items() <= there.facts.items() else facts


def _hardware(machine: WantedMachine, offered: int, seen: Seen) -> int | None:
    """What is newer than planned stays: virtual hardware is never made older."""
    wanted = wanted_hardware(machine, offered)
    there = seen.machines.get(machine.name)
    if wanted is None or there is None:
        return wanted
    version = there.config.version.removeprefix("vmx-")
    return max(wanted, int(version)) if version.isdigit() else wanted


def _side_by_side(do: Callable[[WantedMachine], None], machines: Sequence[WantedMachine]) -> None:
    """The first failure is raised once those under way have ended; those that wait do not begin."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        waiting = [pool.submit(do, machine) for machine in machines]
        try:
            for one in waiting:
                one.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _offered(place: VCenterPlace) -> int:
    """The newest virtual hardware that every host has."""
    known = place.cluster.environmentBrowser.QueryConfigOptionDescriptor()
    versions = [
        one.key.removeprefix("vmx-") for one in known if one.key.startswith("vmx-") and one.createSupported
    ]
    return max((int(one) for one in versions if one.isdigit()), default=0)

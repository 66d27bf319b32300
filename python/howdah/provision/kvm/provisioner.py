"""A plan's machines by libvirt, host by host: compared, made, changed and removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from howdah.errors import UserError
from howdah.model.machines import ExistingMachine, Obstacle, PlannedMachine, ProvisionChange, Provisioning
from howdah.model.site import LibvirtSite, MachineSite
from howdah.provision.differences import (
    FIRST_BOOT,
    HOST,
    POWER,
    Facts,
    ReportStep,
    admit,
    machine_changes,
    refusal,
)
from howdah.provision.kvm import domains
from howdah.provision.kvm.hosts import LibvirtHost, definition, described, failing
from howdah.provision.kvm.making import AUTOSTART, WHILE_RUNNING, DomainMaker, remove, seed_digest, volume_of
from howdah.units import format_memory


@dataclass
class LibvirtProvisioner:
    """The libvirt of each host, on behalf of one plan and site."""

    connections: Mapping[str, Any]
    machine_site: MachineSite
    machines: Sequence[PlannedMachine]
    cluster: str
    overcommit: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.machine_site.libvirt is None:
            raise UserError("the site", "has no section for libvirt", "add `libvirt:` to the site file")
        self._site: LibvirtSite = self.machine_site.libvirt

    def compare(self) -> Provisioning:
        """Compare existing domains with the plan; raises UserError if the plan cannot be made here."""
        hosts = self._hosts()
        existing = self._by_name()
        states = {name: host.state for name, host in hosts.items()}
        admit(self.machines, states, existing, network=self._site.bridge, overcommit=self.overcommit)
        if problems := [*self._huge_pages(hosts), *self._leftovers(existing)]:
            raise refusal(problems)
        planned = {machine.name: self._facts(machine, hosts[machine.host]) for machine in self.machines}
        changes = machine_changes(self.machines, planned, existing, WHILE_RUNNING)
        return Provisioning(changes=tuple(map(_held_where_it_is, changes)))

    def apply(self, report: ReportStep) -> None:
        """Make the changes one machine after the other, so that one at most is down."""
        pending: dict[str, ProvisionChange] = {change.name: change for change in self.compare().pending}
        makers = {name: DomainMaker(host, self._site, report) for name, host in self._hosts().items()}
        for machine in self.machines:
            if machine.name in pending:
                makers[machine.host].make(machine, pending[machine.name])

    def made(self) -> Sequence[str]:
        """Every domain that howdah made for this cluster."""
        return [
            f"machine {machine.name} on {machine.host} with its volumes"
            for machine in self._existing()
            if machine.ours == self.cluster
        ]

    def destroy(self, report: ReportStep) -> None:
        """Remove exactly those, with the volumes that were made for them."""
        for machine in self._existing():
            if machine.ours == self.cluster:
                remove(self.connections[machine.host], machine.name, report)

    def _hosts(self) -> dict[str, LibvirtHost]:
        hosts: dict[str, LibvirtHost] = {}
        planned = {(machine.name, machine.host) for machine in self.machines}
        for name, connection in self.connections.items():
            with failing(f"host {name}"):
                host = described(connection, name, self._site)
                taken = sum(
                    domain.info()[1] * 1024
                    for domain in connection.listAllDomains()
                    if domain.isActive() and not (self._is_own(domain) and (domain.name(), name) in planned)
                )
            hosts[name] = host._replace(state=host.state.model_copy(update={"taken_bytes": taken}))
        return hosts

    def _is_own(self, domain: Any) -> bool:
        return domains.mark_of(definition(domain)).cluster == self.cluster

    def _existing(self) -> Iterator[ExistingMachine]:
        names = {machine.name: machine.host for machine in self.machines}
        for host, connection in self.connections.items():
            for domain in connection.listAllDomains():
                root = definition(domain)
                mark, running = domains.mark_of(root), bool(domain.isActive())
                facts = {
                    **domains.domain_facts(root),
                    HOST: host,
                    POWER: "on" if running else "off",
                    AUTOSTART: "yes" if domain.autostart() else "no",
                    FIRST_BOOT: mark.seed,
                }
                existing = ExistingMachine(
                    name=domain.name(), ours=mark.cluster, running=running, host=host, facts=facts
                )
                # A machine of others with a planned name does not matter on another host.
                if existing.ours == self.cluster or names.get(existing.name) == host:
                    yield existing

    def _by_name(self) -> dict[str, ExistingMachine]:
        """Every machine by its name; raises UserError where two hosts have one of the same name."""
        machines: dict[str, ExistingMachine] = {}
        for machine in self._existing():
            first = machines.setdefault(machine.name, machine)
            if first is not machine:
                problem = f"exists on {first.host} and on {machine.host}"
                hint = "keep one, and undefine the other by hand: virsh undefine"
                raise UserError(f"machine {machine.name}", problem, hint)
        return machines

    def _leftovers(self, existing: Mapping[str, ExistingMachine]) -> Iterator[Obstacle]:
        """Volumes of the names of those that would be made, while there is no machine that they are of."""
        for machine in self.machines:
            volumes = [domains.system_volume(machine, self._site), domains.seed_volume(machine, self._site)]
            volumes += [
                domains.data_volume(machine, disk) for disk in machine.disks if disk.kind == "datastore"
            ]
            for volume in volumes if machine.name not in existing else ():
                if volume_of(self.connections[machine.host], volume) is not None:
                    yield Obstacle(
                        f"host {machine.host}",
                        f"has {volume.name} in {volume.pool}, which belongs to no machine",
                        f"if nothing uses it: virsh vol-delete {volume.name} {volume.pool}",
                    )

    def _facts(self, machine: PlannedMachine, host: LibvirtHost) -> Facts:
        mark = domains.DomainMark(machine.cluster, seed_digest(machine))
        root = domains.planned_domain(machine, self._site, host.state, mark, kind=host.kind)
        own = {HOST: machine.host, POWER: "on", AUTOSTART: "yes", FIRST_BOOT: mark.seed}
        return {**domains.domain_facts(root), **own}

    def _huge_pages(self, hosts: Mapping[str, LibvirtHost]) -> Iterator[Obstacle]:
        for name, host in hosts.items():
            needed = sum(
                machine.memory_bytes
                for machine in self.machines
                if machine.host == name
                and any(entry.key == "memoryBacking.hugepages" and entry.value for entry in machine.settings)
            )
            pages = needed >> 21
            if needed > host.huge_bytes:
                yield Obstacle(
                    f"host {name}",
                    f"has {format_memory(host.huge_bytes)} in huge pages; its machines need "
                    f"{format_memory(needed)}",
                    f"reserve {pages} of 2 MiB: hugepages={pages} on its kernel's command line",
                )


def _held_where_it_is(change: ProvisionChange) -> ProvisionChange:
    """A change, refused where a machine that is on one host would be made on another as well."""
    moved = next((entry.found for entry in change.differences if entry.what == HOST and entry.found), "")
    if not moved or change.refused:
        return change
    refused = f"it would exist twice: migrate it back from {moved} (virsh migrate)"
    return change.model_copy(update={"refused": refused})

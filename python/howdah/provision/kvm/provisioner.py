"""A plan's machines by libvirt, host by host: compared, made, changed, started and removed.

Machines are made in an order that a kill may end anywhere: the domain comes first, for it carries the mark;
what it is made of follows, and that its seed is written is noted last, so that what is missing shows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, NamedTuple
from xml.etree import ElementTree

from howdah.errors import RunFailed, UserError
from howdah.model.machines import ExistingMachine, Obstacle, PlannedMachine, ProvisionChange, Provisioning
from howdah.model.site import LibvirtSite, MachineSite
from howdah.provision import differences
from howdah.provision.differences import FIRST_BOOT, HOST, POWER, Facts, ReportStep
from howdah.provision.kvm import domains
from howdah.provision.kvm.hosts import LibvirtHost, definition, described, failing, libvirt, pycdlib
from howdah.provision.planned import digest, meta_data, network_text, user_data
from howdah.units import format_memory

_LABEL = "cidata"  # By which cloud-init's NoCloud source finds it.


def seed_image(machine: PlannedMachine) -> bytes:
    """An ISO image with the three files that cloud-init reads."""
    image = pycdlib.PyCdlib()
    image.new(joliet=3, rock_ridge="1.09", vol_ident=_LABEL)
    for number, (name, text) in enumerate(_files(machine).items()):
        data = text.encode()
        short = f"/FILE{number}.;1"
        image.add_fp(BytesIO(data), len(data), short, rr_name=name, joliet_path=f"/{name}")
    written = BytesIO()
    image.write_fp(written)
    image.close()
    return written.getvalue()


def seed_digest(machine: PlannedMachine) -> str:
    """A digest that distinguishes an existing seed from the planned one."""
    return digest(*_files(machine).values())


def _files(machine: PlannedMachine) -> dict[str, str]:
    return {
        "meta-data": meta_data(machine),
        "user-data": user_data(machine),
        "network-config": network_text(machine),
    }


AUTOSTART = "started with its host"
WHILE_RUNNING = (POWER, FIRST_BOOT, HOST, AUTOSTART)  # They need no shutdown and no new definition.
_SHUTDOWN_S = 300


class DomainMaker(NamedTuple):
    """Makes and changes the domains of one host as planned."""

    host: LibvirtHost
    site: LibvirtSite
    report: ReportStep

    def make(self, machine: PlannedMachine, change: ProvisionChange) -> None:
        """Make or change a machine and start it; raises RunFailed with libvirt's error."""
        connection = self.host.connection
        with failing(f"machine {machine.name}"):
            domain_by_name = {domain.name(): domain for domain in connection.listAllDomains()}
            existing = domain_by_name.get(machine.name)
            written = "" if existing is None else domains.mark_of(definition(existing)).seed
            if existing is None:
                domain = self._define(machine, None)
                self._make_volumes(machine)
            else:
                # A lack of room shows while the machine still runs.
                self._make_volumes(machine)
                domain = self._changed(machine, existing, change)
            planned, seed = seed_digest(machine), domains.seed_volume(machine, self.site)
            if written != planned or volume_of(connection, seed) is None:
                self._seed(machine)
                mark = ElementTree.Element("machine", cluster=machine.cluster, seed=planned)
                kind, text = libvirt.VIR_DOMAIN_METADATA_ELEMENT, ElementTree.tostring(mark, "unicode")
                domain.setMetadata(kind, text, "howdah", domains.MARKS, libvirt.VIR_DOMAIN_AFFECT_CONFIG)
            domain.setAutostart(1)
            self.report(f"{'made' if existing is None else 'changed'} {machine.name} on {machine.host}")
            if not domain.isActive():
                domain.create()
                self.report(f"started {machine.name}")

    def _changed(self, machine: PlannedMachine, existing: Any, change: ProvisionChange) -> Any:
        """The existing domain, shut down and defined again if something differs that needs it."""
        if all(difference.what in WHILE_RUNNING for difference in change.differences):
            return existing
        if change.restarts:
            self._shut_down(existing)
        try:
            return self._define(machine, existing)
        except libvirt.libvirtError:
            if change.restarts:
                # It is started as it was, rather than stay down because libvirt rejects a change.
                existing.create()
                self.report(f"started {machine.name} again, as it was")
            raise

    def _define(self, machine: PlannedMachine, existing: Any | None) -> Any:
        before = ElementTree.Element("domain") if existing is None else definition(existing)
        root = domains.planned_domain(
            machine,
            self.site,
            self.host.state,
            domains.DomainMark(machine.cluster, domains.mark_of(before).seed),
            kind=self.host.kind,
            uuid=None if existing is None else existing.UUIDString(),
        )
        domains.keep_assigned(root, before)
        return self.host.connection.defineXML(ElementTree.tostring(root, "unicode"))

    def _make_volumes(self, machine: PlannedMachine) -> None:
        pool = self.host.connection.storagePoolLookupByName(self.site.pool)
        image = pool.storageVolLookupByName(self.site.image)
        system = domains.system_volume(machine, self.site)
        if volume_of(self.host.connection, system) is None:
            size = max(self.site.system_disk, image.info()[1])
            element = ElementTree.fromstring(image.XMLDesc()).find("target/format")
            kind = "raw" if element is None else element.get("type", "raw")
            base = {"path": image.path(), "format": kind}
            pool.createXML(_volume_text(system.name, size, "qcow2", base))
        for disk in machine.disks:
            planned = domains.data_volume(machine, disk)
            if disk.kind == "datastore" and volume_of(self.host.connection, planned) is None:
                store = self.host.connection.storagePoolLookupByName(planned.pool)
                store.createXML(_volume_text(planned.name, disk.size_bytes, "raw"))

    def _seed(self, machine: PlannedMachine) -> None:
        planned, data = domains.seed_volume(machine, self.site), seed_image(machine)
        pool = self.host.connection.storagePoolLookupByName(planned.pool)
        if (old := volume_of(self.host.connection, planned)) is not None:
            old.delete()
        volume = pool.createXML(_volume_text(planned.name, len(data), "raw"))
        stream = self.host.connection.newStream()
        try:
            volume.upload(stream, 0, len(data))
            stream.sendAll(lambda _, size, source: source.read(size), BytesIO(data))
            stream.finish()
        except libvirt.libvirtError as error:
            if error.get_error_code() != libvirt.VIR_ERR_NO_SUPPORT:
                raise
            self.report(f"{planned.name} is empty, because this libvirt accepts no uploads: write it by hand")

    def _shut_down(self, domain: Any) -> None:
        domain.shutdown()
        deadline = time.monotonic() + _SHUTDOWN_S
        while domain.isActive():
            if time.monotonic() > deadline:
                hint = "shut it down by hand, then run the command again"
                raise RunFailed(f"machine {domain.name()}", f"does not shut down in {_SHUTDOWN_S} s", hint)
            time.sleep(0.5)
        self.report(f"shut down {domain.name()}")


def remove(connection: Any, name: str, report: ReportStep) -> None:
    """Remove a domain that howdah made, with the volumes made for it; raw devices keep what they hold."""
    with failing(f"machine {name}"):
        domain = connection.lookupByName(name)
        sources = definition(domain).findall("devices/disk/source")
        if domain.isActive():
            domain.destroy()
        # The volumes first: only the domain shows to which machine they belong.
        for source in sources:
            volume = domains.DiskVolume(source.get("pool", ""), source.get("volume", ""))
            own = volume.pool and domains.is_own_volume(name, volume.name)
            if own and (existing := volume_of(connection, volume)):
                existing.delete()
        domain.undefineFlags(libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE)
    report(f"removed {name}")


def volume_of(connection: Any, planned: domains.DiskVolume) -> Any | None:
    """A volume; None where there is none."""
    pool = connection.storagePoolLookupByName(planned.pool)
    return pool.storageVolLookupByName(planned.name) if planned.name in pool.listVolumes() else None


def _volume_text(name: str, size: int, kind: str, base: Mapping[str, str] | None = None) -> str:
    root = ElementTree.Element("volume")
    ElementTree.SubElement(root, "name").text = name
    ElementTree.SubElement(root, "capacity", unit="bytes").text = str(size)
    ElementTree.SubElement(root, "allocation", unit="bytes").text = "0" if base else str(size)
    ElementTree.SubElement(ElementTree.SubElement(root, "target"), "format", type=kind)
    if base is not None:
        store = ElementTree.SubElement(root, "backingStore")
        ElementTree.SubElement(store, "path").text = base["path"]
        ElementTree.SubElement(store, "format", type=base["format"])
    return ElementTree.tostring(root, "unicode")


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
        differences.admit(
            self.machines, states, existing, network=self._site.bridge, overcommit=self.overcommit
        )
        if problems := [*self._huge_pages(hosts), *self._leftovers(existing)]:
            raise differences.refusal(problems)
        planned: dict[str, Facts] = {}
        for machine in self.machines:
            host, mark = hosts[machine.host], domains.DomainMark(machine.cluster, seed_digest(machine))
            root = domains.planned_domain(machine, self._site, host.state, mark, kind=host.kind)
            own = {HOST: machine.host, POWER: "on", AUTOSTART: "yes", FIRST_BOOT: mark.seed}
            planned[machine.name] = {**domains.domain_facts(root), **own}
        changes = differences.machine_changes(self.machines, planned, existing, WHILE_RUNNING)
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

        def is_own(domain: Any, host: str) -> bool:
            own = domains.mark_of(definition(domain)).cluster == self.cluster
            return own and (domain.name(), host) in planned

        for name, connection in self.connections.items():
            with failing(f"host {name}"):
                host = described(connection, name, self._site)
                taken = sum(
                    domain.info()[1] * 1024
                    for domain in connection.listAllDomains()
                    if domain.isActive() and not is_own(domain, name)
                )
            hosts[name] = host._replace(state=host.state.model_copy(update={"taken_bytes": taken}))
        return hosts

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
                name, ours = domain.name(), mark.cluster
                # A machine of others with a planned name does not matter on another host.
                if ours == self.cluster or names.get(name) == host:
                    yield ExistingMachine(name=name, ours=ours, running=running, host=host, facts=facts)

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
                    problem = f"has {volume.name} in {volume.pool}, which belongs to no machine"
                    hint = f"if nothing uses it: virsh vol-delete {volume.name} {volume.pool}"
                    yield Obstacle(f"host {machine.host}", problem, hint)

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
                size = f"{format_memory(host.huge_bytes)} in huge pages"
                problem = f"has {size}; its machines need {format_memory(needed)}"
                hint = f"reserve {pages} of 2 MiB: hugepages={pages} on its kernel's command line"
                yield Obstacle(f"host {name}", problem, hint)


def _held_where_it_is(change: ProvisionChange) -> ProvisionChange:
    """A change, refused where a machine that is on one host would be made on another as well."""
    moved = next((entry.found for entry in change.differences if entry.what == HOST and entry.found), "")
    if not moved or change.refused:
        return change
    refused = f"it would exist twice: migrate it back from {moved} (virsh migrate)"
    return change.model_copy(update={"refused": refused})

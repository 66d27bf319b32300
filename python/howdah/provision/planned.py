"""Plan and site -> every machine as it should be, and the texts of cloud-init at its first boot.

The texts are JSON, which is YAML too, so that no name can become another key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal

from howdah.errors import UserError
from howdah.model.inventory import DiskRole, HostGroup
from howdah.model.machines import FirstBoot, MachineDisk, PlannedMachine
from howdah.model.placement import PlacedHost, PlacedWorker, placed_hosts, virtual_name
from howdah.model.plan import ClusterPlan, Layout, Master, Setting, Worker
from howdah.model.request import Hypervisor
from howdah.model.site import MachineSite
from howdah.render.text import LIBVIRT, VMX, check_names, guard, of_kind, select
from howdah.units import GIB, MIB


def bound(
    machines: Sequence[PlannedMachine], group: HostGroup, named: Mapping[str, int], *, in_turn: bool
) -> tuple[PlannedMachine, ...]:
    """The machines with the nodes that each is bound to.

    Those that are ``named`` have the node that stands there. The others are left to the hypervisor, or get
    the emptiest node ``in_turn``, or all where they are larger than one.
    """
    count = group.cpu.numa_nodes
    memory = [0] * count
    placed: list[PlannedMachine] = []
    for machine in machines:
        nodes: tuple[int, ...] = ()
        if machine.name in named:
            nodes = (named[machine.name],)
        elif in_turn and machine.numa_nodes > 1:
            nodes = tuple(range(count))
        elif in_turn:
            nodes = (min(range(count), key=lambda node: memory[node]),)
        for node in (node for node in nodes if node < count):
            memory[node] += machine.memory_bytes // len(nodes)
        placed.append(machine.model_copy(update={"nodes": nodes}))
    return tuple(placed)


_FILES = {Hypervisor.VSPHERE: VMX, Hypervisor.KVM: LIBVIRT}
_SIZES = {Hypervisor.VSPHERE: ("numvcpus", "memSize"), Hypervisor.KVM: ("vcpu", "memory")}
"""The settings that say how many virtual CPUs and how much memory, in MiB."""
_FILLED = 0.95  # A file system needs some room beside the disk that fills it.


def hypervisor_of(plan: ClusterPlan, where: str = "the plan") -> Hypervisor:
    """What makes the plan's machines; raises UserError where it has none."""
    cluster = guard(plan)
    dividing = cluster.request.dividing
    if dividing in (None, Hypervisor.NONE) or not any(layout.virtual for layout in cluster.layouts):
        raise UserError(where, "has no virtual machines to create", "plan with --hypervisor")
    return Hypervisor(dividing)


def machines_of(plan: ClusterPlan, site: MachineSite) -> tuple[PlannedMachine, ...]:
    """Every machine of the plan, host by host; raises UserError for what the site does not say."""
    cluster = guard(plan)
    check_names(plan, cluster.request)
    planned = _PlannedMachines(plan, hypervisor_of(plan), site)
    return tuple(machine for host in placed_hosts(cluster) for machine in planned.on(host))


class _PlannedMachines:
    def __init__(self, plan: ClusterPlan, hypervisor: Hypervisor, site: MachineSite) -> None:
        self._plan, self._cluster = plan, plan.cluster
        self._hypervisor, self._site = hypervisor, site
        self._kinds = {worker.name: worker for worker in plan.workers}
        self._layouts = {layout.group: layout for layout in plan.cluster.layouts}
        self._groups = {group.name: group for group in plan.cluster.inventory.groups}
        nodes = {name: address.numa_node for name, address in site.addresses.items()}
        self._nodes = {name: node for name, node in nodes.items() if node is not None}

    def on(self, host: PlacedHost) -> tuple[PlannedMachine, ...]:
        """A host's machines, workers first, each bound to NUMA nodes where the site asks for it."""
        layout = self._layouts.get(host.group)
        # A host without workers may carry masters in machines of their own.
        owned = any(not master.shares and master.address != host.name for master in host.masters)
        if not (layout.virtual if layout else owned):
            return ()
        machines = [self._worker(host, placed, layout) for placed in host.workers if layout]
        machines += [self._master(host, master, layout) for master in host.masters if not master.shares]
        return bound(machines, self._groups[host.group], self._nodes, in_turn=self._site.pin_numa)

    def _worker(self, host: PlacedHost, placed: PlacedWorker, layout: Layout) -> PlannedMachine:
        kind = self._kinds[placed.kind]
        settings = self._settings(kind)
        numbers = {entry.key: int(entry.value) for entry in settings if isinstance(entry.value, int)}
        cpus, memory = (numbers.get(key, 0) for key in _SIZES[self._hypervisor])
        return self._machine(
            placed.name,
            host,
            kind,
            roles=kind.roles,
            master=False,
            vcpus=cpus or kind.vcpus or 1,
            memory_bytes=memory * MIB or _stepped(kind.memory_bytes),
            numa_nodes=kind.numa_nodes or 1,
            disks=self._disks(host, self._first_disk(placed, layout), kind.data_disks or 0),
        )

    def _master(self, host: PlacedHost, master: Master, layout: Layout | None) -> PlannedMachine:
        """A machine for masters has the settings of the workers in whose place it is."""
        places = master.takes or (layout.workers if layout else ())
        kind = self._kinds[places[0]] if places else self._plan.workers[0]
        nodes = self._groups[host.group].cpu.numa_nodes
        fits = master.memory_bytes <= self._groups[host.group].memory_bytes // nodes
        return self._machine(
            master.address,
            host,
            kind,
            roles=master.roles,
            master=True,
            vcpus=master.vcpus,
            memory_bytes=_stepped(master.memory_bytes),
            numa_nodes=1 if fits else nodes,
            shadow_host=master.shadow_host,
        )

    def _machine(self, name: str, host: PlacedHost, kind: Worker, **own: Any) -> PlannedMachine:
        address = self._site.addresses.get(name)
        if address is None:
            raise UserError(f"machine {name}", "has no address in the site", "add it to `machines:`")
        network, ssh = self._site.network, self._site.ssh
        boot = FirstBoot(
            host_name=name,
            address=address.address,
            prefix=network.prefix,
            gateway=network.gateway,
            name_servers=network.name_servers,
            user=ssh.user,
            keys=ssh.keys,
        )
        cluster, settings = self._cluster.inventory.cluster, self._settings(kind)
        shared: dict[str, Any] = {
            "cluster": cluster,
            "host": host.name,
            "kind": kind.name,
            "settings": settings,
        }
        return PlannedMachine(name=name, **shared, mac=address.mac, first_boot=boot, **own)

    def _settings(self, kind: Worker) -> tuple[Setting, ...]:
        return tuple(select(self._plan, _FILES[self._hypervisor], of_kind(kind)))

    def _disks(self, host: PlacedHost, first: int, count: int) -> tuple[MachineDisk, ...]:
        if not count:
            return ()
        group = self._groups[host.group]
        entry = self._site.by_host.get(host.name)
        if entry is None:
            raise UserError(f"host {host.name}", "is not in the site", "add it to `hosts:`, with its devices")
        kind: Literal["device", "datastore"] = "device"
        names = entry.names("devices", host.name)
        if not names:
            kind, names = "datastore", entry.names("datastores", host.name)
        # Which of a host's data disks are this cluster's: all, unless other clusters share the host.
        sharing = self._cluster.request.sharing
        own: Sequence[int] = sharing.disks.get(group.name, ()) if sharing is not None else ()
        own = own or range(1, group.data_disks + 1)
        numbers = own[first : first + count]
        if len(names) < max(numbers):
            problem = f"has {len(names)} {kind}s in the site; its machines need disk {max(numbers)}"
            hint = f"list {max(own)} of them, in the order of the machines"
            raise UserError(f"host {host.name}", problem, hint)
        size_bytes = next((disk.size_bytes for disk in group.disks if disk.role is DiskRole.DATA), 0)
        if kind == "datastore":
            size_bytes = entry.disk_size or int(size_bytes * _FILLED) // GIB * GIB
        return tuple(
            MachineDisk(number=number, kind=kind, name=names[disk - 1], size_bytes=size_bytes)
            for number, disk in enumerate(numbers, start=1)
        )

    def _first_disk(self, placed: PlacedWorker, layout: Layout) -> int:
        """Where a worker's disks begin among the cluster's: a place keeps its disks whoever else has one."""
        counts = [self._kinds[name].data_disks or 0 for name in layout.workers]
        places = [
            virtual_name(placed.host, self._cluster.request.machine(str(number)))
            for number in range(1, len(layout.workers) + 1)
        ]
        return dict(zip(places, accumulate(counts, initial=0), strict=False))[placed.name]


def _stepped(memory_bytes: int) -> int:
    """Memory in steps that every hypervisor takes: vSphere's are of 4 MiB."""
    return memory_bytes // (4 * MIB) * (4 * MIB)


def network_data(boot: FirstBoot, mac: str | None) -> dict[str, Any]:
    """The network, as version 2 of cloud-init's configuration has it: netplan's."""
    card: dict[str, Any] = {
        "match": {"macaddress": mac} if mac else {"name": "e*"},
        "dhcp4": False,
        "dhcp6": False,
        "addresses": [f"{boot.address}/{boot.prefix}"],
    }
    if boot.gateway is not None:
        card["routes"] = [{"to": "::/0" if ":" in boot.gateway else "0.0.0.0/0", "via": boot.gateway}]
    if boot.name_servers:
        card["nameservers"] = {"addresses": list(boot.name_servers)}
    return {"version": 2, "ethernets": {"howdah0": card}}


def meta_data(machine: PlannedMachine) -> str:
    """The machine's identity: it is configured again only if its instance-id changes, which is its name."""
    return _text(_identity(machine))


def guest_meta_data(machine: PlannedMachine) -> str:
    """The same with the network, as cloud-init's source for VMware has both together."""
    return _text({**_identity(machine), "network": network_data(machine.first_boot, machine.mac)})


def _identity(machine: PlannedMachine) -> dict[str, Any]:
    return {"instance-id": machine.name, "local-hostname": machine.first_boot.host_name}


def network_text(machine: PlannedMachine) -> str:
    return _text(network_data(machine.first_boot, machine.mac))


def user_data(machine: PlannedMachine) -> str:
    """Who may log in, by key only."""
    boot = machine.first_boot
    user = {
        "name": boot.user,
        "ssh_authorized_keys": list(boot.keys),
        "sudo": "ALL=(ALL) NOPASSWD:ALL",
        "lock_passwd": True,
        "shell": "/bin/bash",
    }
    head = {"preserve_hostname": False, "fqdn": boot.host_name, "prefer_fqdn_over_hostname": True}
    return "#cloud-config\n" + _text({**head, "users": [user], "ssh_pwauth": False})


def digest(*texts: str) -> str:
    """A short digest that distinguishes two sets of texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, sort_keys=True) + "\n"

"""A lab's network: namespaces, bridges, and cables with a token bucket for their speed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.errors import HowdahError
from howdah.lab import registry
from howdah.lab.kernel.processes import read_mounts, run
from howdah.lab.registry import Leftover
from howdah.lab.state import CLIENT_ADDRESS, SUBNET, HostSpec, LabSpec, MachineSpec
from howdah.model.cluster import LAB_CLIENT

_LATE_S = 0.004  # Delay of the bucket's refill on a busy machine that costs the link no speed.
_LEAST_DEPTH = 16 * 1024  # Less would wake the kernel for every packet; larger ones are segmented.
_QUEUE_S = 0.01
"""The longest wait of a packet. Acknowledgements wait too: with twice as long, as measured, one of two
opposite streams of 1 Gb/s fell to half its speed."""
_LEAST_QUEUE = 64 * 1024  # TCP needs some packets on the way to fill a link, however slow.
_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
SPACES = Path("/run/netns")  # The folder of named network namespaces.
INTERFACE = "eth0"  # A machine's network interface.
UPLINK = "uplink"  # The interface of a virtualised host's uplink, in the host's namespace.
_BRIDGE = "bridge"


def bucket(bits_per_s: int) -> tuple[int, int]:
    """Return the bucket's depth and the queue's limit in bytes, measured from 10 Mb/s to 10 Gb/s."""
    bytes_per_s = bits_per_s / 8
    depth = max(_LEAST_DEPTH, int(bytes_per_s * _LATE_S))
    return depth, depth + max(_LEAST_QUEUE, int(bytes_per_s * _QUEUE_S))


def queueing(device: str, bits_per_s: int) -> str:
    """Return the line for ``tc -batch`` that limits the speed of a device."""
    depth, queue = bucket(bits_per_s)
    return f"qdisc replace dev {device} root tbf rate {bits_per_s}bit burst {depth} limit {queue}"


class Link(NamedTuple):
    """A cable with its near end at the bridge, its far end at the machine, host or client, and its speed."""

    near_space: str
    near: str
    far_space: str
    far: str
    bits_per_s: int | None = None


def space(spec: LabSpec, machine: MachineSpec) -> str:
    """Return the network namespace of a machine, or of its host if it is the host itself."""
    if _host(spec, machine).virtual:
        return registry.machine_space(spec.name, machine.name)
    return registry.host_space(spec.name, machine.host)


def switch_space(spec: LabSpec) -> str:
    """Return the network namespace of the switch, which belongs to shared hosts if there are any."""
    return registry.prefix(spec.lot or spec.name) + registry.SWITCH


def client_space(lab: str) -> str:
    """Return the network namespace of the client."""
    return registry.prefix(lab) + LAB_CLIENT


def build(spec: LabSpec) -> None:
    """Create the missing parts of the network; raises RunFailed if Linux refuses."""
    links = every_link(spec)
    bridges = _bridges(spec)
    spaces = dict.fromkeys([*(end for link in links for end in (link.near_space, link.far_space)), *bridges])
    for name in spaces:
        path = SPACES / name
        if path.exists() and not any(mount.point == path for mount in read_mounts()):
            # The command that created it was killed: only an empty file exists.
            run(spec.name, "ip", "netns", "delete", name)
        if not path.exists():
            run(spec.name, "ip", "netns", "add", name)
    existing = {
        name: {link["ifname"] for link in json.loads(run(spec.name, "ip", "-n", name, "-j", "link", "show"))}
        for name in spaces
    }
    for link in links:
        if link.near not in existing[link.near_space]:
            far = ("peer", "name", link.far, "netns", link.far_space)
            run(spec.name, "ip", "-n", link.near_space, "link", "add", link.near, "type", "veth", *far)
    _set_up(spec, links, {name: _BRIDGE not in existing[name] for name in bridges})
    # Both ends of each link are limited to its speed.
    limits: dict[str, list[str]] = defaultdict(list)
    for link in links:
        if link.bits_per_s is not None:
            limits[link.near_space].append(queueing(link.near, link.bits_per_s))
            limits[link.far_space].append(queueing(link.far, link.bits_per_s))
    for name, commands in limits.items():
        run(spec.name, "tc", "-n", name, "-batch", "-", text="\n".join([*commands, ""]))
    keys = [f"echo {value} >/proc/sys/{key.replace('.', '/')}" for key, value in spec.kernel.items()]
    guests = (client_space(spec.name), *(space(spec, machine) for machine in spec.machines))
    for name in guests if keys else ():
        run(spec.name, "ip", "netns", "exec", name, "sh", "-es", text="\n".join([*keys, ""]))


def set_link(lab: str, link: Link, state: Literal["up", "down"]) -> None:
    """Connect or disconnect a cable at the bridge; the far end keeps its address and route."""
    run(lab, "ip", "-n", link.near_space, "link", "set", link.near, state)


def is_cut(spec: LabSpec, machine: MachineSpec) -> bool:
    """Whether a machine's cable is disconnected; raises RunFailed if there is none."""
    cable = cable_of(spec, machine)
    shown = json.loads(run(spec.name, "ip", "-n", cable.near_space, "-j", "link", "show", cable.near))
    return not any("UP" in link["flags"] for link in shown)


def uplink_of(spec: LabSpec, host: str) -> Link:
    """Return the cable of a physical host to the switch."""
    name = host_space_of(spec, host)
    return next(link for link in every_link(spec) if link.far_space == name and link.near.startswith("host"))


def host_space_of(spec: LabSpec, host: str) -> str:
    """Return the network namespace of a physical host; virtualised ones may be shared by several labs."""
    shared = any(own.name == host and own.virtual for own in spec.hosts)
    return registry.host_space(spec.lot if spec.lot and shared else spec.name, host)


def leftover_spaces(lab: str, used: Collection[str] = ()) -> tuple[Leftover, ...]:
    """Return the network namespaces of a lab or of shared hosts, without those in use."""
    spaces = sorted(SPACES.glob(f"{registry.prefix(lab)}*"))
    return tuple(Leftover("network namespace", path.name) for path in spaces if path.name not in used)


def shared_spaces(spec: LabSpec) -> frozenset[str]:
    """Return the namespaces of shared hosts that a lab uses."""
    return _bridges(spec) if spec.lot else frozenset()


def _bridges(spec: LabSpec) -> frozenset[str]:
    virtual = (host_space_of(spec, host.name) for host in spec.hosts if host.virtual)
    return frozenset((switch_space(spec), *virtual))


def remove(lab: str, used: Collection[str] = ()) -> tuple[Leftover, ...]:
    """Delete the namespaces of a lab or of shared hosts, without those in use; return those that remain.

    The kernel also deletes everything in them.
    """
    remaining = []
    for leftover in leftover_spaces(lab, used):
        try:
            run(lab, "ip", "netns", "delete", leftover.name)
        except HowdahError as error:
            remaining.append(leftover._replace(why=error.what))
    return tuple(remaining)


def remove_hosts(spec: LabSpec, hosts: Collection[str]) -> None:
    """Delete the namespaces of some hosts and their machines, and so their cables."""
    removed = [space(spec, machine) for machine in spec.machines if machine.host in hosts]
    for name in dict.fromkeys([*removed, *(host_space_of(spec, host) for host in hosts)]):
        if (SPACES / name).exists():
            run(spec.name, "ip", "netns", "delete", name)


def every_link(spec: LabSpec) -> tuple[Link, ...]:
    switch, address = switch_space(spec), spec.client_address
    # Clients of other labs may share the switch.
    client = LAB_CLIENT + ("" if address == CLIENT_ADDRESS else str(_offset(address)))
    links = [Link(switch, client, client_space(spec.name), INTERFACE)]
    for host in spec.hosts:
        near, end = f"host{cable_number(spec, host)}", UPLINK if host.virtual else INTERFACE
        links.append(Link(switch, near, host_space_of(spec, host.name), end, host.uplink_bits_per_s))
    for machine in spec.machines:
        if _host(spec, machine).virtual:
            above, near = host_space_of(spec, machine.host), f"machine{_offset(machine.address)}"
            links.append(Link(above, near, space(spec, machine), INTERFACE))
    return tuple(links)


def cable_number(spec: LabSpec, host: HostSpec) -> int:
    """Return the number in the name of a host's cable: its own, or its first machine's.

    Addresses stay when hosts are added or removed, and so do these names.
    """
    own = [machine.address for machine in spec.machines if machine.host == host.name]
    return host.cable or min(map(_offset, own))


def _offset(address: str) -> int:
    return int(ip_address(address)) - int(SUBNET.network_address)


def cable_of(spec: LabSpec, machine: MachineSpec) -> Link:
    """Return the cable from a machine to its host's bridge, or to the switch if it is the host itself."""
    far = (space(spec, machine), INTERFACE)
    return next(link for link in every_link(spec) if (link.far_space, link.far) == far)


def _host(spec: LabSpec, machine: MachineSpec) -> HostSpec:
    return next(host for host in spec.hosts if host.name == machine.host)


def _set_up(spec: LabSpec, links: Iterable[Link], bridges: dict[str, bool]) -> None:
    """Connect cables to bridges, set addresses and activate links; ``bridges`` has those to create."""
    lines: dict[str, list[str]] = defaultdict(list)
    for name, missing in bridges.items():
        if missing:
            lines[name].append(f"link add {_BRIDGE} type bridge")
        lines[name].append(f"link set {_BRIDGE} up")
    for link in links:
        lines[link.near_space] += [f"link set {link.near} master {_BRIDGE}", f"link set {link.near} up"]
        if link.far == UPLINK:
            lines[link.far_space].append(f"link set {link.far} master {_BRIDGE}")
        lines[link.far_space].append(f"link set {link.far} up")
    addresses = {space(spec, machine): machine.address for machine in spec.machines}
    addresses[client_space(spec.name)] = spec.client_address
    # The congestion control of Hadoop's hosts, if this kernel has it: BBR misjudges a lab's round trips of
    # microseconds and leaves a slow link half empty.
    control = "congctl cubic" if "cubic" in _AVAILABLE.read_text().split() else ""
    for name, address in addresses.items():
        lines[name] += [
            f"address replace {address}/{SUBNET.prefixlen} dev {INTERFACE}",
            f"route replace {SUBNET} dev {INTERFACE} proto kernel scope link src {address} {control}",
        ]
    for name, commands in lines.items():
        run(spec.name, "ip", "-n", name, "-batch", "-", text="\n".join(["link set lo up", *commands, ""]))

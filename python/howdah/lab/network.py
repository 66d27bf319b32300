"""The laboratory's network: a switch, hosts on uplinks of planned speed, virtual machines behind them.

Every host is a network namespace, joined by its uplink to a bridge in the switch's namespace and held to
its speed at both ends. Virtual machines are namespaces of their own on a bridge in their host's, so that
what they say to each other never crosses the uplink, as on a real host. Nothing leads out: Hadoop without
Kerberos runs the code of whoever reaches it, so only who may enter the namespaces reaches it.

Deleting the namespaces removes all: no interface, address or route lies outside of them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.errors import HowdahError
from howdah.lab import names
from howdah.lab.leftover import Leftover
from howdah.lab.links import congestion_control, queueing
from howdah.lab.mounts import read_mounts
from howdah.lab.spec import SUBNET, HostSpec, LabSpec, MachineSpec
from howdah.lab.tools import run

SPACES = Path("/run/netns")
"""Where ip keeps the names of network namespaces."""

INTERFACE = "eth0"
"""A machine's network interface."""

UPLINK = "uplink"
"""The interface of a virtualised host's uplink, in the host's namespace."""

_BRIDGE = "bridge"


class _Link(NamedTuple):
    """A cable: two interfaces in two namespaces, and how fast each end may send."""

    near_space: str
    near: str
    far_space: str
    far: str
    bits_per_s: int | None = None


def space(spec: LabSpec, machine: MachineSpec) -> str:
    """The network namespace of a machine: its host's where it is the host itself."""
    return (
        names.machine_space(spec.name, machine.name)
        if _host(spec, machine).virtual
        else names.host_space(spec.name, machine.host)
    )


def switch_space(lab: str) -> str:
    """The network namespace of the switch."""
    return names.prefix(lab) + names.SWITCH


def client_space(lab: str) -> str:
    """The network namespace where jobs are submitted from."""
    return names.prefix(lab) + names.CLIENT


def build(spec: LabSpec) -> None:
    """Make what of the network is missing; raises RunFailed where Linux refuses."""
    links = _links(spec)
    bridges = {switch_space(spec.name), *(_space_of(spec, host) for host in spec.hosts if host.virtual)}
    spaces = dict.fromkeys([*(end for link in links for end in (link.near_space, link.far_space)), *bridges])
    for name in spaces:
        _make_space(spec.name, name)
    there = {name: _interfaces(spec.name, name) for name in spaces}
    for link in links:
        if link.near not in there[link.near_space]:
            far = ("peer", "name", link.far, "netns", link.far_space)
            run(spec.name, "ip", "-n", link.near_space, "link", "add", link.near, "type", "veth", *far)
    _set_up(spec, links, {name: _BRIDGE not in there[name] for name in bridges})
    _hold(spec.name, links)


def cut(spec: LabSpec, machine: MachineSpec) -> None:
    """Take a machine's cable out at its far end: nothing it sends arrives, and nothing reaches it.

    Its own end stays as it is, with its address and route. Raises RunFailed where Linux refuses.
    """
    _switch(spec, machine, "down")


def join(spec: LabSpec, machine: MachineSpec) -> None:
    """Put a machine's cable back; no error if it was never out."""
    _switch(spec, machine, "up")


def is_cut(spec: LabSpec, machine: MachineSpec) -> bool:
    """Whether a machine's cable is out; raises RunFailed where there is none at all."""
    cable = _cable(spec, machine)
    shown = json.loads(run(spec.name, "ip", "-n", cable.near_space, "-j", "link", "show", cable.near))
    return not any("UP" in link["flags"] for link in shown)


def survey(lab: str) -> tuple[Leftover, ...]:
    """The network namespaces of a laboratory."""
    found = sorted(SPACES.glob(f"{names.prefix(lab)}*"))
    return tuple(Leftover("network namespace", path.name) for path in found)


def remove(lab: str) -> tuple[Leftover, ...]:
    """Delete the laboratory's namespaces and with them all that is in them; what could not be deleted."""
    left = []
    for found in survey(lab):
        try:
            run(lab, "ip", "netns", "delete", found.name)
        except HowdahError as error:
            left.append(found._replace(why=error.what))
    return tuple(left)


def _links(spec: LabSpec) -> tuple[_Link, ...]:
    switch = switch_space(spec.name)
    links = [_Link(switch, names.CLIENT, client_space(spec.name), INTERFACE)]
    for number, host in enumerate(spec.hosts, start=1):
        end = UPLINK if host.virtual else INTERFACE
        links.append(_Link(switch, f"host{number}", _space_of(spec, host), end, host.uplink_bits_per_s))
    for number, machine in enumerate(spec.machines, start=1):
        host = _host(spec, machine)
        if host.virtual:
            links.append(_Link(_space_of(spec, host), f"machine{number}", space(spec, machine), INTERFACE))
    return tuple(links)


def _cable(spec: LabSpec, machine: MachineSpec) -> _Link:
    """What joins a machine to the bridge of its host, or to the switch where it is the host itself."""
    return next(
        link for link in _links(spec) if (link.far_space, link.far) == (space(spec, machine), INTERFACE)
    )


def _switch(spec: LabSpec, machine: MachineSpec, state: Literal["up", "down"]) -> None:
    cable = _cable(spec, machine)
    run(spec.name, "ip", "-n", cable.near_space, "link", "set", cable.near, state)


def _host(spec: LabSpec, machine: MachineSpec) -> HostSpec:
    return next(host for host in spec.hosts if host.name == machine.host)


def _space_of(spec: LabSpec, host: HostSpec) -> str:
    return names.host_space(spec.name, host.name)


def _make_space(lab: str, name: str) -> None:
    path = SPACES / name
    if path.exists():
        if any(mount.point == path for mount in read_mounts()):
            return
        # Who made it was killed before the namespace had its name: an empty file is all there is.
        run(lab, "ip", "netns", "delete", name)
    run(lab, "ip", "netns", "add", name)


def _interfaces(lab: str, name: str) -> set[str]:
    return {link["ifname"] for link in json.loads(run(lab, "ip", "-n", name, "-j", "link", "show"))}


def _set_up(spec: LabSpec, links: Iterable[_Link], bridges: dict[str, bool]) -> None:
    """Bridge what belongs together, give addresses, switch all on; of bridges, whether one is to be made."""
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
    control = congestion_control()
    for name, address in addresses.items():
        lines[name] += [
            f"address replace {address}/{SUBNET.prefixlen} dev {INTERFACE}",
            f"route replace {SUBNET} dev {INTERFACE} proto kernel scope link src {address} {control}",
        ]
    for name, commands in lines.items():
        run(spec.name, "ip", "-n", name, "-batch", "-", text="\n".join(["link set lo up", *commands, ""]))


def _hold(lab: str, links: Iterable[_Link]) -> None:
    """Hold both ends of each link to its speed: what leaves the host, and what leaves the switch for it."""
    lines: dict[str, list[str]] = defaultdict(list)
    for link in links:
        if link.bits_per_s is not None:
            lines[link.near_space].append(queueing(link.near, link.bits_per_s))
            lines[link.far_space].append(queueing(link.far, link.bits_per_s))
    for name, commands in lines.items():
        run(lab, "tc", "-n", name, "-batch", "-", text="\n".join([*commands, ""]))

"""The site that machines are made on: what a plan does not know of one's vCenter, libvirt and network.

``site.yaml`` holds no secret: passwords are asked for, or read from a file of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from howdah.model.base import FilePart, Size, WrongValue
from howdah.model.hostname import MOST_HOSTS, expand_all
from howdah.model.inventory import FORMAT, HostPattern, shown, some

_MAC = re.compile(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}")
_KEY = re.compile(r"(?:ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/]+=*(?: [^\x00-\x1f\x7f]*)?")
_LOGIN = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_SECRETS = ("password", "pass", "secret", "token")


def _name(text: str) -> str:
    if not text.strip() or len(text) > 200 or not text.isprintable():
        raise WrongValue(f"{shown(text)} is not a name", "write a line of at most 200 printable characters")
    return text


def _address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise WrongValue(f"{shown(text)} is not an address", "write, for example, 10.0.0.11") from None


def _mac(text: str) -> str:
    lowered = text.lower().replace("-", ":")
    if not _MAC.fullmatch(lowered):
        raise WrongValue(f"{shown(text)} is not a MAC address", "write, for example, 00:50:56:00:00:11")
    if int(lowered[:2], 16) & 1:
        raise WrongValue(f"{text} is a multicast address", "its first byte must be even")
    return lowered


def _key(text: str) -> str:
    if "PRIVATE KEY" in text:
        # It must not be repeated on a terminal.
        raise WrongValue("is a private key", "give the public key, the line of a file that ends in .pub")
    if not _KEY.fullmatch(text):
        problem = f"{shown(text)} is not a public ssh key"
        raise WrongValue(problem, "one line, for instance ssh-ed25519 AAAA…")
    return text


def _login(text: str) -> str:
    if not _LOGIN.fullmatch(text):
        raise WrongValue(f"{shown(text)} is not a user's name", "small letters, digits, _ and -")
    return text


def no_secret(data: Any) -> Any:
    """The same; raises WrongValue for a key that would hold a password."""
    for key in data if isinstance(data, dict) else ():
        if str(key).lower() in _SECRETS:
            problem = "a site contains no secrets"
            raise WrongValue(problem, "leave it out: howdah prompts for it, or give --password-file", (key,))
    return data


def _patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    expand_all(patterns)
    return some(patterns)


Named = Annotated[str, AfterValidator(_name)]  # The name of something of the site's own.
Address = Annotated[str, AfterValidator(_address)]  # An IPv4 or IPv6 address.
MacAddress = Annotated[str, AfterValidator(_mac)]  # A network card's address, ``00:50:56:00:00:11``.
PublicKey = Annotated[str, AfterValidator(_key)]  # A public ssh key on one line.
Login = Annotated[str, AfterValidator(_login)]  # A user of the machines' operating system.
Hosts = Annotated[
    tuple[HostPattern, ...], AfterValidator(_patterns), WithJsonSchema({"type": "array", "minItems": 1})
]  # Names of machines or hosts, ``w[01-32].example.com`` for a range.


_RANGE = re.compile(r"(.*)\[(\d{1,4})-(\d{1,4})\](.*)")
_HOST = "{host}"
VCENTER_PORT = 443  # The default port of a vCenter.
_OF_A_LINK = 2  # Addresses of a network between two machines, which has none for itself.


class VCenterSite(FilePart):
    """Where in a vCenter machines go."""

    datacenter: Named  # The datacentre's name.
    cluster: Named  # The cluster of hosts.
    template: Named  # The template that machines are cloned from, with cloud-init in it.
    port_group: Named  # The port group of the machines' network, of a standard or a distributed switch.
    folder: Named = "howdah"  # The folder for the machines; it is made where there is none.
    resource_pool: Named = "howdah"
    """The resource pool for the machines, below the cluster's own; it is made where there is none."""
    user: Named  # Who logs in; the password is asked for, or read from --password-file.
    ca_file: str | None = None
    """The certificate to trust, beside the site's file; the system's own where left out."""
    high_availability: bool = False
    """Whether vSphere HA is switched on for the whole cluster, where it is off."""


class LibvirtSite(FilePart):
    """What machines are made of on each host."""

    pool: Named  # The storage pool for system disks and cloud-init disks; it must exist and be active.
    image: Named  # The volume in that pool that system disks start from, with cloud-init in it.
    bridge: Named  # The bridge of the machines' network.
    system_disk: Size = 40 * 2**30  # Size of a machine's system disk.


class SiteNetwork(FilePart):
    """What machines are told of their network when they first start."""

    prefix: Annotated[int, Field(strict=True, ge=1, le=128)]
    """Bits of an address that name the network, 24 for 255.255.255.0."""
    gateway: Address | None = None  # The way to other networks.
    name_servers: tuple[Address, ...] = ()  # Who resolves names.


class SiteSsh(FilePart):
    """Who may log in to the machines."""

    user: Login = "hadoop"  # The user that is made, who may become root.
    keys: Annotated[tuple[PublicKey, ...], AfterValidator(some)]  # Public keys of those who may log in.


class SiteHosts(FilePart):
    """What hosts give to their machines; in names, ``{host}`` is the host's own up to its first dot."""

    hosts: Hosts  # The hosts, as the plan's inventory names them; ``w[01-32].example.com`` for a range.
    system_datastore: Named | None = None  # The datastore of system disks, under vSphere.
    devices: tuple[Named, ...] = ()
    """The host's own disks for data, each given to one machine whole: ``naa.5000c500a0b1c2d3`` under
    vSphere, a name below /dev/disk/by-id under KVM; ``naa.{host}-[01-20]`` stands for twenty."""
    datastores: tuple[Named, ...] = ()
    """Or a datastore for each data disk, under KVM a storage pool, which is filled by one disk."""
    disk_size: Size | None = None
    """Size of a data disk in a datastore; 95 % of the inventory's disk where left out."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if self.devices and self.datastores:
            raise WrongValue("data disks are given twice", "leave out devices or datastores", ("datastores",))
        for host in expand_all(self.hosts) if self.devices else ():
            named = self.names("devices", host)
            if twice := next((name for name in named if named.count(name) > 1), None):
                raise WrongValue(f"{twice} is listed twice", "each is one data disk", ("devices",))
        return self

    def names(self, kind: Literal["devices", "datastores", "system_datastore"], host: str) -> tuple[str, ...]:
        """What a key names on one host, in order."""
        short = host.partition(".")[0]
        value: tuple[str, ...] | str | None = getattr(self, kind)
        named = value if isinstance(value, tuple) else () if value is None else (value,)
        return tuple(name for text in named for name in _counted(text.replace(_HOST, short)))


class SiteMachines(FilePart):
    """Addresses of machines; a range of names counts address and MAC up from the first."""

    names: Hosts  # The machines, as `howdah render` lists them in hypervisor/placement.csv.
    address: Address  # The address of the first of them.
    mac: MacAddress | None = None
    """The MAC address of the first of them; the hypervisor chooses where left out."""
    numa_node: Annotated[int, Field(strict=True, ge=0, le=63)] | None = None
    """The NUMA node that each of them is bound to, counted from 0."""


class Addresses(NamedTuple):
    """One machine's addresses, and the node it is bound to."""

    address: str
    mac: str | None
    numa_node: int | None


class MachineSite(FilePart):
    """Where machines are made, and what they are given that no plan knows."""

    howdah: Literal[1] = FORMAT  # The format's version.
    vcenter: Annotated[VCenterSite | None, BeforeValidator(no_secret)] = None
    """Where machines go under vSphere."""
    libvirt: Annotated[LibvirtSite | None, BeforeValidator(no_secret)] = None
    """What they are made of under KVM."""
    network: SiteNetwork  # The machines' network.
    ssh: SiteSsh  # Who may log in.
    pin_numa: bool = False
    """Whether each machine that fits a NUMA node is bound to one, in turn, instead of being left to the
    hypervisor's scheduler."""
    hosts: Annotated[tuple[SiteHosts, ...], AfterValidator(some)]  # The hosts' devices.
    machines: Annotated[tuple[SiteMachines, ...], AfterValidator(some)]  # The machines' addresses.

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.vcenter is None and self.libvirt is None:
            raise WrongValue("has no section for a hypervisor", "add `vcenter:` or `libvirt:`")
        _once("hosts", [expand_all(entry.hosts) for entry in self.hosts])
        _once("names", [expand_all(entry.names) for entry in self.machines], "machines")
        seen: dict[str, str] = {}
        for index, entry in enumerate(self.machines):
            for name, address in _unfolded(entry, (index,)):
                self._in_network(name, address.address, index)
                for text, key in ((address.address, "address"), (address.mac, "mac")):
                    if text is not None and text in seen:
                        problem = f"{name} would have {text}, which belongs to {seen[text]}"
                        raise WrongValue(problem, "give each machine its own", ("machines", index, key))
                    seen |= {text: name} if text else {}
        return self

    def _in_network(self, name: str, address: str, index: int) -> None:
        """Raise WrongValue where a machine would be in no network, or not in its gateway's."""
        prefix, gateway = self.network.prefix, self.network.gateway
        bits = ip_address(address).max_prefixlen
        if prefix > bits:
            problem = f"is {prefix}, and {name}'s address {address} has {bits} bits"
            raise WrongValue(problem, "24 stands for 255.255.255.0", ("network", "prefix"))
        network = ip_interface(f"{address}/{prefix}").network
        taken = dict.fromkeys(map(ip_address, self.network.name_servers), "a name server's")
        if gateway is not None:
            taken[ip_address(gateway)] = "the gateway's"
        if network.num_addresses > _OF_A_LINK:
            taken[network.network_address] = "the network's own"
            if isinstance(network.broadcast_address, IPv4Address):
                taken[network.broadcast_address] = "for all of its network"
        if (owner := taken.get(ip_address(address))) is not None:
            problem = f"{name} would have {address}, which is {owner}"
            raise WrongValue(problem, "give each machine its own", ("machines", index, "address"))
        if gateway is not None and ip_address(gateway) not in network:
            problem = f"{name}'s network would be {network}, and its gateway {gateway} is not in it"
            hint = "correct the address, network.prefix or network.gateway"
            raise WrongValue(problem, hint, ("machines", index, "address"))

    @cached_property
    def addresses(self) -> dict[str, Addresses]:
        entries = enumerate(self.machines)
        return {name: text for index, entry in entries for name, text in _unfolded(entry, (index,))}

    @cached_property
    def by_host(self) -> dict[str, SiteHosts]:
        """What each host gives, by its name."""
        return {name: entry for entry in self.hosts for name in expand_all(entry.hosts)}


def _once(key: str, named: list[tuple[str, ...]], top: str = "hosts") -> None:
    seen: set[str] = set()
    for index, names in enumerate(named):
        for name in names:
            if name.lower() in seen:
                raise WrongValue(f"{name} is listed twice", "list each once", (top, index, key))
            seen.add(name.lower())


def _unfolded(entry: SiteMachines, at: tuple[int, ...]) -> Iterator[tuple[str, Addresses]]:
    first: IPv4Address | IPv6Address = ip_address(entry.address)
    card = None if entry.mac is None else int(entry.mac.replace(":", ""), 16)
    names = expand_all(entry.names)
    if int(first) + len(names) > 1 << first.max_prefixlen:
        raise WrongValue("leaves too few addresses above it", "begin lower", ("machines", *at, "address"))
    if card is not None and card + len(names) > 1 << 48:
        raise WrongValue("leaves too few addresses above it", "begin lower", ("machines", *at, "mac"))
    for number, name in enumerate(names):
        digits = "" if card is None else f"{card + number:012x}"
        mac = ":".join(digits[start : start + 2] for start in range(0, len(digits), 2)) or None
        yield name, Addresses(str(first + number), mac, entry.numa_node)


def _counted(text: str) -> Iterator[str]:
    match = _RANGE.fullmatch(text)
    if match is None or int(match[3]) < int(match[2]):
        yield text
        return
    before, low, high, after = match.groups()
    for number in range(int(low), min(int(high), int(low) + MOST_HOSTS) + 1):
        yield f"{before}{number:0{len(low)}d}{after}"


class Endpoint(NamedTuple):
    """A vCenter, or each host's libvirt."""

    vcenter: str | None
    libvirt: str | None

"""Each host's libvirt: a connection to it, and the host as it describes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NamedTuple
from xml.etree import ElementTree

from howdah.errors import RunFailed, UserError
from howdah.extras import extra
from howdah.model.machines import HostNode, HostState
from howdah.model.site import LibvirtSite
from howdah.provision.kvm.domains import BY_ID
from howdah.services.errors import NotReachable
from howdah.units import MIB

_COMPILED = (
    "; compiling it needs a C compiler, pkg-config and libvirt's headers "
    "(libvirt-dev on Debian, libvirt-devel on Fedora)"
)

with extra("kvm", "--libvirt", note=_COMPILED):
    libvirt: Any = import_module("libvirt")
    pycdlib: Any = import_module("pycdlib")

# libvirt prints every error that it raises as well.
libvirt.registerErrorHandler(lambda context, error: None, None)
HOST = "{host}"
_HUGE_KIB = 2048


class LibvirtHost(NamedTuple):
    """A host's connection, what it is, and what kind of domains it runs."""

    connection: Any
    state: HostState
    kind: str
    huge_bytes: int  # Memory that was set aside in huge pages.


@contextmanager
def connected(uri: str, hosts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Connections to the libvirt of each host; raises UserError where one URI would stand for several."""
    if len(hosts) > 1 and HOST not in uri:
        hint = f"write {HOST} in place of the host's name"
        raise UserError(f"--libvirt {uri}", f"names one libvirt, but the plan has {len(hosts)} hosts", hint)
    connections: dict[str, Any] = {}
    try:
        for host in hosts:
            connections[host] = opened(uri, host)
        yield connections
    finally:
        for connection in connections.values():
            with suppress(libvirt.libvirtError):
                connection.close()


def opened(uri: str, host: str) -> Any:
    """A connection to a host's libvirt; raises NotReachable, or UserError for what is no URI."""
    where = f"--libvirt {uri.replace(HOST, host)}"
    try:
        return libvirt.open(uri.replace(HOST, host))
    except libvirt.libvirtError as error:
        if error.get_error_code() in (libvirt.VIR_ERR_INVALID_ARG, libvirt.VIR_ERR_XML_ERROR):
            raise UserError(where, f"is not a URI of libvirt: {error_text(error)}", "see --help") from error
        hint = f"is libvirt running on {host}, and may you log in?"
        raise NotReachable(where, f"cannot be reached: {error_text(error)}", hint) from error


def error_text(error: Any) -> str:
    return " ".join(str(error.get_error_message() or error).split())[:300]


@contextmanager
def failing(where: str) -> Iterator[None]:
    """Raise an error of libvirt's as RunFailed."""
    try:
        yield
    except libvirt.libvirtError as error:
        hint = "fix that, then run the command again: finished changes stay"
        raise RunFailed(where, error_text(error), hint) from error


def described(connection: Any, name: str, site: LibvirtSite) -> LibvirtHost:
    """The host behind a connection; raises UserError where it has no pool or image of the site's."""
    root = ElementTree.fromstring(connection.getCapabilities())
    kinds = {element.get("type", "") for element in root.iterfind("guest/arch/domain")}
    kind = next((name for name in ("kvm", "test") if name in kinds), "")
    information = connection.getInfo()
    pages = root.findall("host/topology/cells/cell/pages")
    nodes = tuple(
        HostNode(
            memory_bytes=int(cell.findtext("memory", "0")) * 1024,
            cpus=tuple(int(cpu.get("id", "0")) for cpu in cell.iterfind("cpus/cpu")),
        )
        for cell in root.iterfind("host/topology/cells/cell")
    )
    whole = HostNode(memory_bytes=information[1] * MIB, cpus=tuple(range(information[2])))
    pools = connection.listAllStoragePools()
    state = HostState(
        name=name,
        ready="" if kind else "has no KVM: libvirt would emulate its guests",
        memory_bytes=information[1] * MIB,
        threads=information[2],
        cores=information[4] * information[5] * information[6],
        clock_mhz=information[3],
        nodes=nodes or (whole,),
        # Whole disks by every name of theirs, with their sizes.
        devices={
            name: int(disk.findtext("capability/size", "0") or 0)
            for disk, names in _disks(connection)
            for name in names
        },
        held=_held(connection),
        datastores={pool.name(): pool.info()[3] for pool in pools if pool.isActive()},
        networks=frozenset(_bridges(connection)),
    )
    if site.pool not in state.datastores:
        problem, hint = f"is not an active pool of host {name}", "create and start the pool there"
        raise UserError(f"libvirt.pool: {site.pool}", problem, hint)
    if site.image not in connection.storagePoolLookupByName(site.pool).listVolumes():
        problem = f"is not in {site.pool} on host {name}"
        raise UserError(f"libvirt.image: {site.image}", problem, "put the image there")
    huge = sum(int(element.text or 0) for element in pages if element.get("size") == str(_HUGE_KIB))
    return LibvirtHost(connection, state, kind, huge * _HUGE_KIB * 1024)


def definition(domain: Any) -> ElementTree.Element:
    """A domain as it is defined, whether it runs or not."""
    return ElementTree.fromstring(domain.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE))


def _held(connection: Any) -> dict[str, str]:
    """The domain of each disk, by every name of the disk: running or not, howdah's or not."""
    alike = {name: names for _, names in _disks(connection) for name in names}
    held: dict[str, str] = {}
    for domain in connection.listAllDomains():
        for source in definition(domain).iterfind("devices/disk/source[@dev]"):
            path = source.get("dev", "")
            for name in alike.get(path, (path, path.removeprefix(BY_ID))):
                held[name] = domain.name()
    return held


def _disks(connection: Any) -> Iterator[tuple[ElementTree.Element, list[str]]]:
    """Whole disks, and every path that leads to each; below /dev/disk/by-id the name alone, too."""
    for device in connection.listAllDevices(libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_STORAGE):
        root = ElementTree.fromstring(device.XMLDesc())
        nodes = [element.text or "" for element in root.iterfind("devnode")]
        paths = [path for path in (*nodes, root.findtext("capability/block", "")) if path]
        yield root, [name for path in paths for name in (path, path.removeprefix(BY_ID))]


def _bridges(connection: Any) -> Iterator[str]:
    """Bridges of libvirt's networks, and interfaces of the host, a bridge of its own among them."""
    for network in connection.listAllNetworks():
        with suppress(libvirt.libvirtError):
            yield network.bridgeName()
    for device in connection.listAllDevices(libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_NET):
        yield ElementTree.fromstring(device.XMLDesc()).findtext("capability/interface", "")

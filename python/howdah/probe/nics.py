"""Network interfaces: /sys/class/net."""

from __future__ import annotations

from howdah.model.host import Bond, NetworkStack, Nic
from howdah.probe.tree import FileTree

_NET = "sys/class/net"
_IFF_UP = 0x1


def read_nics(tree: FileTree) -> tuple[Nic, ...]:
    """Network cards and bonds of them; in a container, which has neither, whatever is up but ``lo``."""
    names = [name for name in tree.names(_NET) if tree.exists(f"{_NET}/{name}/flags")]
    if not names:
        tree.note("nics", f"/{_NET}: is empty")
    cards = [
        name
        for name in names
        if tree.exists(f"{_NET}/{name}/device") or tree.exists(f"{_NET}/{name}/bonding")
    ]
    if not cards:
        cards = [name for name in names if name != "lo" and _is_up(tree, name)]
    return tuple(_read_nic(tree, name) for name in cards)


def _read_nic(tree: FileTree, name: str) -> Nic:
    folder = f"{_NET}/{name}"
    queues = tree.names(f"{folder}/queues")
    receive = sum(queue.startswith("rx-") for queue in queues)
    send = sum(queue.startswith("tx-") for queue in queues)
    return Nic(
        name=name,
        driver=_driver(tree, name),
        speed_bits_per_s=_speed(tree, name),
        mtu=tree.integer(f"{folder}/mtu", f"nic {name} mtu"),
        rx_queues=receive or None,
        tx_queues=send or None,
        up=_is_up(tree, name),
        bond=_bond(tree, name),
        member_of=_member_of(tree, name),
    )


def _bond(tree: FileTree, name: str) -> Bond | None:
    # Both files hold a word and the number that stands for it: "802.3ad 4".
    mode = (tree.text(f"{_NET}/{name}/bonding/mode") or "").split()
    policy = (tree.text(f"{_NET}/{name}/bonding/xmit_hash_policy") or "").split()
    return Bond(mode=mode[0], hash_policy=policy[0] if policy else None) if mode else None


def _member_of(tree: FileTree, name: str) -> str | None:
    link = tree.link(f"{_NET}/{name}/master")
    above = link.rsplit("/", 1)[-1] if link else None
    return above if above and tree.exists(f"{_NET}/{above}/bonding") else None


def _is_up(tree: FileTree, name: str) -> bool:
    """Switched on and with a carrier, where the driver knows of one."""
    flags = int(tree.text(f"{_NET}/{name}/flags") or "0", 16)
    return bool(flags & _IFF_UP) and tree.text(f"{_NET}/{name}/operstate") in {"up", "unknown"}


def _speed(tree: FileTree, name: str) -> int | None:
    what = f"nic {name} speed"
    megabits = tree.integer(f"{_NET}/{name}/speed", what)
    if megabits is None:
        return None
    if megabits <= 0:
        tree.note(what, f"/{_NET}/{name}/speed: the driver does not report it")
        return None
    return megabits * 10**6


def _driver(tree: FileTree, name: str) -> str | None:
    link = tree.link(f"{_NET}/{name}/device/driver")
    if link is not None:
        return link.rsplit("/", 1)[-1]
    return "bonding" if tree.exists(f"{_NET}/{name}/bonding") else None


def read_network_stack(tree: FileTree) -> NetworkStack:
    """The settings of this network namespace; a container may lack some of them."""
    return NetworkStack(
        rmem_max_bytes=_setting(tree, "core/rmem_max"),
        wmem_max_bytes=_setting(tree, "core/wmem_max"),
        somaxconn=_setting(tree, "core/somaxconn"),
        tcp_mtu_probing=_setting(tree, "ipv4/tcp_mtu_probing"),
        arp_filter=_setting(tree, "ipv4/conf/all/arp_filter"),
        own_address=_own_address(tree),
    )


def _own_address(tree: FileTree) -> str | None:
    """What /etc/hosts says of the host's own name, with its domain or without."""
    own = (tree.text("proc/sys/kernel/hostname") or "").strip().lower().partition(".")[0]
    for line in (tree.text("etc/hosts") or "").splitlines():
        address, *names = line.partition("#")[0].lower().split() or [""]
        if own and own in {name.partition(".")[0] for name in names}:
            return address
    return None


def _setting(tree: FileTree, path: str) -> int | None:
    return tree.integer(f"proc/sys/net/{path}", f"network {path.rsplit('/', 1)[-1]}")

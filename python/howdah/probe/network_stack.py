"""The kernel's settings for TCP: /proc/sys/net."""

from __future__ import annotations

from howdah.model.network import NetworkStack
from howdah.probe.tree import Tree


def read_network_stack(tree: Tree) -> NetworkStack:
    """The settings of this network namespace; a container may lack some of them."""
    return NetworkStack(
        rmem_max_bytes=_setting(tree, "core/rmem_max"),
        wmem_max_bytes=_setting(tree, "core/wmem_max"),
        somaxconn=_setting(tree, "core/somaxconn"),
        tcp_mtu_probing=_setting(tree, "ipv4/tcp_mtu_probing"),
        arp_filter=_setting(tree, "ipv4/conf/all/arp_filter"),
    )


def _setting(tree: Tree, path: str) -> int | None:
    return tree.integer(f"proc/sys/net/{path}", f"network {path.rsplit('/', 1)[-1]}")

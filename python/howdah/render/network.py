"""Network ports of a host or a guest, as systemd-networkd reads them, and what has to be done by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from howdah.model.configset import ConfigFile
from howdah.model.plan import Cluster, ClusterPlan, Setting
from howdah.render.text import hash_comment, plain_key, reason_lines, setting_text
from howdah.render.variant import NETWORK, FileVariant, file_variants, select

_BOND = {
    "bond.mode": "Mode",
    "bond.xmit_hash_policy": "TransmitHashPolicy",
    "bond.lacp_rate": "LACPTransmitRate",
    "bond.miimon": "MIIMonitorSec",
}
_MTU = "mtu"
_PLACEHOLDER = "name-the-ports"
"""No port is called so, and an empty name would stand for every port."""


def network_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """Everything of ``network/``, or of ``network-<group>/`` where groups of hosts differ."""
    for variant in file_variants(plan, (NETWORK,)):
        settings = select(plan, NETWORK, variant)
        if settings:
            yield from _files(variant.folder("network"), settings, _ports(plan.cluster, variant))


def _files(folder: str, settings: Sequence[Setting], ports: int) -> Iterable[ConfigFile]:
    bond = [setting for setting in settings if setting.key in _BOND]
    mtu = [setting for setting in settings if setting.key == _MTU]
    by_hand = [setting for setting in settings if setting not in (*bond, *mtu)]
    if bond:
        yield ConfigFile(path=f"{folder}/10-hadoop.netdev", content=_netdev(bond, mtu))
        yield ConfigFile(path=f"{folder}/20-hadoop-ports.network", content=_members(ports))
    elif mtu:
        yield ConfigFile(path=f"{folder}/20-hadoop.link", content=_link(mtu))
    if by_hand:
        yield ConfigFile(path=f"{folder}/ports.md", content=_checklist(by_hand))


def _netdev(bond: Sequence[Setting], mtu: Sequence[Setting]) -> str:
    head = hash_comment(
        [
            "Goes to /etc/systemd/network/, together with your own .network file that gives hadoop0 the",
            "address that the host has on its ports now: without one the host cannot be reached.",
        ]
    )
    device = "\n[NetDev]\nName=hadoop0\nKind=bond\n" + "".join(
        f"{hash_comment(reason_lines(setting))}MTUBytes={setting_text(setting)}\n" for setting in mtu
    )
    lines = "".join(
        f"{hash_comment(reason_lines(setting))}{_BOND[setting.key]}={_bond_value(setting)}\n"
        for setting in bond
    )
    return f"{head}{device}\n[Bond]\n{lines}"


def _bond_value(setting: Setting) -> str:
    text = setting_text(setting)
    return f"{text}ms" if setting.key == "bond.miimon" and text.isdigit() else text


def _members(ports: int) -> str:
    head = [f"Goes to /etc/systemd/network/. Name the {ports} ports that carry Hadoop's traffic, with spaces"]
    head.append("between them, before you restart systemd-networkd: until then it applies to no port.")
    return f"{hash_comment(head)}\n[Match]\nName={_PLACEHOLDER}\n\n[Network]\nBond=hadoop0\n"


def _link(mtu: Sequence[Setting]) -> str:
    head = [
        "Goes to /etc/systemd/network/. Name the port that carries Hadoop's traffic before you reboot:",
        "until then it applies to no port.",
    ]
    lines = "".join(
        f"{hash_comment(reason_lines(setting))}MTUBytes={setting_text(setting)}\n" for setting in mtu
    )
    return (
        f"{hash_comment(head)}\n[Match]\nOriginalName={_PLACEHOLDER}\n\n[Link]\n"
        f"NamePolicy=keep kernel database onboard slot path\n{lines}"
    )


def _checklist(settings: Sequence[Setting]) -> str:
    lines = (
        f"- [ ] `{plain_key(setting)}` = `{setting_text(setting)}`. {' '.join(reason_lines(setting))}"
        for setting in settings
    )
    return "# Network ports: to be set by hand\n\n" + "\n".join(lines) + "\n"


def _ports(cluster: Cluster, variant: FileVariant) -> int:
    groups = [group for group in cluster.inventory.groups if variant.group in (None, group.name)]
    return max((sum(nic.count for nic in group.nics) for group in groups), default=1)

"""What cloud-init is told: who the machine is and who may log in.

Both texts are JSON, which is YAML too, so that no name can become another key.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from howdah.model.machines import FirstBoot, WantedMachine


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


def meta_data(machine: WantedMachine) -> str:
    """Who the machine is: it is configured anew only where its instance-id changes, which is its name."""
    return _text({"instance-id": machine.name, "local-hostname": machine.first_boot.host_name})


def guest_meta_data(machine: WantedMachine) -> str:
    """The same with the network, as cloud-init's source for VMware has both together."""
    return _text(
        {
            "instance-id": machine.name,
            "local-hostname": machine.first_boot.host_name,
            "network": network_data(machine.first_boot, machine.mac),
        }
    )


def network_text(machine: WantedMachine) -> str:
    """The network, as a file of its own."""
    return _text(network_data(machine.first_boot, machine.mac))


def user_data(machine: WantedMachine) -> str:
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
    """A few letters by which two sets of texts are told apart."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, sort_keys=True) + "\n"

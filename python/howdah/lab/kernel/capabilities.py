"""Capabilities of this machine for a lab: root and kernel features, each tested by use."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.lab.kernel.cgroups import Controller, find_hierarchies
from howdah.lab.spec import LabSpec

_TIMEOUT_S = 20

# A network namespace without a name, which ends with the command that tries it.
_TRY_LINKS = "ip link add one type veth peer name two && ip link add three type bridge"
_TRY_RATES = "tc qdisc add dev lo root tbf rate 1mbit burst 70000 limit 300000"


class Capability(NamedTuple):
    """Whether this machine supports a feature."""

    ok: bool
    why: str = ""
    """The missing part, and how to get it."""

    def __bool__(self) -> bool:
        return self.ok


class Capabilities(NamedTuple):
    """The capabilities of this machine."""

    root: Capability
    """All others need it."""
    namespaces: Capability
    """Separate networks, names and mounts, joined by a bridge."""
    rates: Capability
    """Links of a given speed."""
    controllers: dict[Controller, int]
    """The available controllers of control groups, and their version."""
    loops: Capability
    """Loop devices."""
    file_systems: tuple[str, ...]
    """The file systems that can be created and mounted: ``xfs``, ``ext4``."""


def find_capabilities() -> Capabilities:
    """Test the capabilities of this machine, without side effects."""
    root = (
        Capability(True)
        if os.geteuid() == 0
        else Capability(False, "only root may create namespaces, control groups and disks")
    )
    return Capabilities(
        root=root,
        namespaces=_tried(root, _TRY_LINKS, "network namespaces, veth pairs and bridges"),
        rates=_tried(root, _TRY_RATES, "the token bucket filter (modprobe sch_tbf)"),
        controllers={kind: tree.version for kind, tree in find_hierarchies().items()} if root else {},
        loops=_loops(root),
        file_systems=tuple(name for name in ("xfs", "ext4") if _has_file_system(name)),
    )


def refuse_lacking(capabilities: Capabilities, spec: LabSpec) -> None:
    """Raise UserError for the first capability that the hosts need and this machine lacks.

    Limits of control groups are optional: ``isolation`` shows the missing ones.
    """
    needs = [("root", capabilities.root), ("network", capabilities.namespaces)]
    if any(host.uplink_bits_per_s for host in spec.hosts):
        needs.append(("uplink", capabilities.rates))
    if any(machine.disks for machine in spec.machines):
        needs.append(("disks", capabilities.loops))
        needs.append(("disks", _makes(capabilities, spec.format.file_system)))
    for subject, capability in needs:
        if not capability:
            raise UserError(
                subject,
                capability.why,
                "run as root on a Linux with these features, or without root on loopback addresses",
            )


def _makes(capabilities: Capabilities, name: str) -> Capability:
    if name in capabilities.file_systems:
        return Capability(True)
    return Capability(False, f"this machine has no mkfs.{name}, or its kernel cannot mount {name}")


def _tried(root: Capability, script: str, feature: str) -> Capability:
    if not root:
        return root
    try:
        done = subprocess.run(
            ["unshare", "--net", "sh", "-c", script],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Capability(False, f"this machine has no {feature}: {error}")
    message = " ".join(done.stderr.split())
    return (
        Capability(True)
        if done.returncode == 0
        else Capability(False, f"this machine has no {feature}: {message[:200]}")
    )


def _loops(root: Capability) -> Capability:
    if not root:
        return root
    if not Path("/dev/loop-control").exists():
        return Capability(False, "this machine has no loop devices (modprobe loop)")
    done = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=False)
    free = done.stdout.strip()
    if done.returncode != 0 or not Path(free).is_block_device():
        message = " ".join(done.stderr.split()) or f"{free} does not exist"
        return Capability(False, f"this machine has no free loop device: {message[:200]}")
    return Capability(True)


def _has_file_system(name: str) -> bool:
    if shutil.which(f"mkfs.{name}") is None:
        return False
    supported = {line.split()[-1] for line in Path("/proc/filesystems").read_text().splitlines()}
    return name in supported or _is_module(name)


def _is_module(name: str) -> bool:
    try:
        done = subprocess.run(["modprobe", "--dry-run", name], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0

"""What this machine allows a laboratory: root's rights and the kernel's features, each tried, not guessed."""

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


class Can(NamedTuple):
    """Whether this machine allows something."""

    ok: bool
    """Whether it does."""
    why: str = ""
    """What is missing, if not, and what would bring it."""

    def __bool__(self) -> bool:
        return self.ok


class Capabilities(NamedTuple):
    """What this machine allows."""

    root: Can
    """Everything else needs it."""
    namespaces: Can
    """Networks, names and mounts of a machine's own, joined by a bridge."""
    rates: Can
    """Links of a given speed."""
    controllers: dict[Controller, int]
    """The control groups' controllers that there are, and their version."""
    loops: Can
    """Files taken for disks."""
    file_systems: tuple[str, ...]
    """The file systems that can be made and mounted: ``xfs``, ``ext4``."""


def find_capabilities() -> Capabilities:
    """Try what this machine allows; nothing of it stays."""
    root = (
        Can(True)
        if os.geteuid() == 0
        else Can(False, "only root may create namespaces, control groups and disks")
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
    """Raise UserError for the first thing that the hosts need and this machine does not allow.

    Limits of control groups are not among them: without one, ``isolation`` says what is lost.
    """
    needs = [("root", capabilities.root), ("network", capabilities.namespaces)]
    if any(host.uplink_bits_per_s for host in spec.hosts):
        needs.append(("uplink", capabilities.rates))
    if any(machine.disks for machine in spec.machines):
        needs.append(("disks", capabilities.loops))
        needs.append(("disks", _makes(capabilities, spec.format.file_system)))
    for what, can in needs:
        if not can:
            raise UserError(
                what,
                can.why,
                "run as root on a Linux with these features, or without root on loopback addresses",
            )


def _makes(capabilities: Capabilities, name: str) -> Can:
    if name in capabilities.file_systems:
        return Can(True)
    return Can(False, f"this machine has no mkfs.{name}, or its kernel cannot mount {name}")


def _tried(root: Can, script: str, what: str) -> Can:
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
        return Can(False, f"this machine has no {what}: {error}")
    said = " ".join(done.stderr.split())
    return Can(True) if done.returncode == 0 else Can(False, f"this machine has no {what}: {said[:200]}")


def _loops(root: Can) -> Can:
    if not root:
        return root
    if not Path("/dev/loop-control").exists():
        return Can(False, "this machine has no loop devices (modprobe loop)")
    done = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=False)
    free = done.stdout.strip()
    if done.returncode != 0 or not Path(free).is_block_device():
        said = " ".join(done.stderr.split()) or f"{free} does not exist"
        return Can(False, f"this machine has no free loop device: {said[:200]}")
    return Can(True)


def _has_file_system(name: str) -> bool:
    if shutil.which(f"mkfs.{name}") is None:
        return False
    known = {line.split()[-1] for line in Path("/proc/filesystems").read_text().splitlines()}
    return name in known or _is_module(name)


def _is_module(name: str) -> bool:
    try:
        done = subprocess.run(["modprobe", "--dry-run", name], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0

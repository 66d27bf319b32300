"""What is done to a cable while it is in use: out, one way only, slower; and as it was built again."""

from __future__ import annotations

from typing import Literal

from howdah.errors import RunFailed
from howdah.lab.kernel.network import Link, queueing
from howdah.lab.kernel.tools import run

Way = Literal["in", "out"]
"""Seen from the machine or the host that the cable leads to."""

_DROP = "pfifo limit 0"
"""A queue with no room, which the kernel does not pass by as it does with one that is empty."""


def take_out(lab: str, link: Link) -> None:
    """Take a cable out at the bridge: the other end keeps its address, and nobody is told anything."""
    run(lab, "ip", "-n", link.near_space, "link", "set", link.near, "down")


def silence(lab: str, link: Link, way: Way) -> None:
    """Let nothing pass in one direction."""
    space, device = (link.far_space, link.far) if way == "out" else (link.near_space, link.near)
    run(lab, "tc", "-n", space, "-batch", "-", text=f"qdisc replace dev {device} root {_DROP}\n")


def slow(lab: str, link: Link, bits_per_s: int) -> None:
    """Hold both directions to a speed."""
    for space, device in _ends(link):
        run(lab, "tc", "-n", space, "-batch", "-", text=f"{queueing(device, bits_per_s)}\n")


def restore(lab: str, link: Link) -> None:
    """Make a cable as it was built, whatever was done to it; safe to repeat."""
    run(lab, "ip", "-n", link.near_space, "link", "set", link.near, "up")
    for space, device in _ends(link):
        if link.bits_per_s is None:
            _unqueue(lab, space, device)
        else:
            run(lab, "tc", "-n", space, "-batch", "-", text=f"{queueing(device, link.bits_per_s)}\n")


def _ends(link: Link) -> tuple[tuple[str, str], tuple[str, str]]:
    return (link.near_space, link.near), (link.far_space, link.far)


def _unqueue(lab: str, space: str, device: str) -> None:
    """Remove what a device queues by; the kernel refuses where there is nothing but its own."""
    try:
        run(lab, "tc", "-n", space, "qdisc", "delete", "dev", device, "root")
    except RunFailed:
        if "noqueue" not in run(lab, "tc", "-n", space, "qdisc", "show", "dev", device):
            raise

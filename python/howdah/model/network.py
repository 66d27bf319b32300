"""A host's network ports and its network stack, as far as they could be read.

What could not be read is None.
"""

from __future__ import annotations

from howdah.model.base import Model


class Bond(Model):
    """How a bond spreads traffic over its members."""

    mode: str
    """``balance-xor``, ``802.3ad``, ``active-backup`` and so on."""
    hash_policy: str | None
    """By what a member is chosen: ``layer2``, ``layer3+4``; none where the mode asks for nothing."""


class Nic(Model):
    """One network interface."""

    name: str
    """The kernel's name, ``eth0`` for instance."""
    driver: str | None
    """The kernel's driver."""
    speed_bits_per_s: int | None
    """Link speed, if the driver reports it."""
    mtu: int | None
    """Largest packet, bytes."""
    rx_queues: int | None
    """Receive queues."""
    tx_queues: int | None
    """Transmit queues."""
    up: bool
    """Whether the interface is up."""
    bond: Bond | None = None
    """How it spreads traffic, if it is a bond."""
    member_of: str | None = None
    """The bond it belongs to."""


class NetworkStack(Model):
    """The kernel's settings for TCP."""

    rmem_max_bytes: int | None = None
    """net.core.rmem_max."""
    wmem_max_bytes: int | None = None
    """net.core.wmem_max."""
    somaxconn: int | None = None
    """net.core.somaxconn."""
    tcp_mtu_probing: int | None = None
    """net.ipv4.tcp_mtu_probing."""
    arp_filter: int | None = None
    """net.ipv4.conf.all.arp_filter."""
    own_address: str | None = None
    """The address that /etc/hosts gives for the host's own name; None where it gives none."""

"""Ports of the loopback address for daemons of tests: no two tests are ever given the same."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LEAST_PORT = 20_000
"""Below are those that Hadoop's daemons have by default."""


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses now, nor the kernel gives to anyone who asks for any.

    A daemon that is ended and started again finds its port still free: others' connections begin at those
    that the kernel gives.
    """
    return [next(_PORTS) for _ in range(count)]


def free_range(count: int) -> int:
    """The first of so many ports, one after the other, that nobody uses now."""
    ports = free_ports(count)
    while ports[-1] - ports[0] >= count:
        ports = [*ports[1:], next(_PORTS)]
    return ports[0]


def _dealt() -> Iterator[int]:
    """The free ports of this process of pytest's.

    Of two that run side by side each has every second block, for a port that one has been given and not yet
    listens at looks free to the other.
    """
    block = 100
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    end = int(_EPHEMERAL.read_text().split()[0])
    # Another run of the tests on this machine begins elsewhere.
    blocks = range(_LEAST_PORT, end - block, block)[worker::workers]
    first = os.getpid() % len(blocks)
    while True:
        for start in (*blocks[first:], *blocks[:first]):
            for port in range(start, start + block):
                if _free(port):
                    yield port


def _free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


_PORTS = _dealt()

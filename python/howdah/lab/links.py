"""How a link behaves: held to its speed by a token bucket that TCP can fill, both ways at once."""

from __future__ import annotations

from pathlib import Path

_LATE_S = 0.004
"""How late a busy machine may refill the bucket before the link loses speed."""

_LEAST_DEPTH = 16 * 1024
"""A shallower bucket would wake the kernel for every packet; the kernel cuts up what is larger."""

_QUEUE_S = 0.01
"""How long a packet waits at most. Acknowledgements wait too: with twice as long, as measured, one of two
opposite streams of 1 Gb/s fell to half its speed."""

_LEAST_QUEUE = 64 * 1024
"""TCP needs some packets on the way to fill a link, however slow."""

_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_CUBIC = "cubic"


def bucket(bits_per_s: int) -> tuple[int, int]:
    """The bucket's depth and the queue's limit in bytes, measured from 10 Mb/s to 10 Gb/s."""
    bytes_per_s = bits_per_s / 8
    depth = max(_LEAST_DEPTH, int(bytes_per_s * _LATE_S))
    return depth, depth + max(_LEAST_QUEUE, int(bytes_per_s * _QUEUE_S))


def queueing(device: str, bits_per_s: int) -> str:
    """The line for ``tc -batch`` that holds what leaves a device to a speed."""
    depth, queue = bucket(bits_per_s)
    return f"qdisc replace dev {device} root tbf rate {bits_per_s}bit burst {depth} limit {queue}"


def congestion_control() -> str:
    """What a route says of TCP's congestion control: that of Hadoop's hosts, where this kernel has it.

    A machine set up for the wide area (BBR) takes the laboratory's round trips of microseconds for the
    whole way, and leaves a slow link half empty.
    """
    return f"congctl {_CUBIC}" if _CUBIC in _AVAILABLE.read_text().split() else ""

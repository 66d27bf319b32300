"""How a link is held to a speed: the token bucket's depth and queue."""

from __future__ import annotations

_LARGEST_PACKET = 68 * 1024
"""What TCP hands down at once at most, 64 KiB and headers: a smaller bucket would cut it up."""

_LATE_S = 0.004
"""How late a busy machine may refill the bucket before the link loses speed."""

_QUEUE_S = 0.02
"""How long a packet waits before the next is dropped: what a switch's port holds, about."""

_LEAST_QUEUE = 4 * _LARGEST_PACKET
"""TCP needs a few packets on the way to fill a link, however slow."""


def bucket(bits_per_s: int) -> tuple[int, int]:
    """The bucket's depth and the queue's limit in bytes, for a link that TCP can fill."""
    bytes_per_s = bits_per_s / 8
    depth = max(_LARGEST_PACKET, int(bytes_per_s * _LATE_S))
    return depth, depth + max(_LEAST_QUEUE, int(bytes_per_s * _QUEUE_S))


def queueing(device: str, bits_per_s: int) -> str:
    """The line for ``tc -batch`` that holds what leaves a device to a speed."""
    depth, queue = bucket(bits_per_s)
    return f"qdisc replace dev {device} root tbf rate {bits_per_s}bit burst {depth} limit {queue}"

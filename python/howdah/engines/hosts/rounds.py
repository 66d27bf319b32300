"""Who is measured with whom: rounds of pairs that share no host, and a ring of all machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
Pair = tuple[T, T]


def rounds(hosts: Sequence[T]) -> Iterator[list[Pair[T]]]:
    """Rounds of pairs in which everybody meets everybody once: one stays, the others go round.

    Of an odd number one rests in each round.
    """
    around: list[T | None] = [*hosts, *([None] if len(hosts) % 2 else [])]
    for _ in range(len(around) - 1):
        half = len(around) // 2
        met = zip(around[:half], reversed(around[half:]), strict=True)
        yield [(one, other) for one, other in met if one is not None and other is not None]
        around = [around[0], around[-1], *around[1:-1]]


def ring(machines: Sequence[Sequence[T]]) -> list[Pair[T]]:
    """Everybody sends to one and receives from one of another host, where hosts are alike enough for that.

    ``machines`` are those of each host. Where one host has more than all others together, every host takes
    part with its first machine alone.
    """
    most, every = max(map(len, machines)), [machine for host in machines for machine in host]
    if 2 * most > len(every):
        most, every = 1, [host[0] for host in machines]
    return list(zip(every, every[most:] + every[:most], strict=True))

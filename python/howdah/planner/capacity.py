"""How much data the cluster holds, how many hosts growing data need, and what is the first to be full."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from howdah.model.inventory import Inventory
from howdah.model.plan import Capacity, Layout, Master, Setting, Worker, Year
from howdah.model.request import Growth
from howdah.planner.holding import Holding, holding
from howdah.planner.namespace import HEAP_BYTES_PER_BLOCK

BLOCKS_PER_DATANODE = 1_000_000
"""Replicas beyond which a DataNode's reports and heap become a burden: practice, not a paper."""

_TIMES, _MOST_TIMES = 10, 1_000_000

DISKS = "disks"
HEAP = "NameNode heap"
BLOCKS = "blocks of a DataNode"


def capacity(
    inventory: Inventory,
    layouts: Sequence[Layout],
    kinds: Sequence[Worker],
    masters: Sequence[Master],
    settings: Sequence[Setting],
    *,
    growth: Growth | None,
) -> Capacity:
    """What the planned hosts hold and, where growth was asked for, what every year needs.

    Hosts that are added are like those of the largest group of workers. Raises UserError where a reserve
    leaves HDFS nothing of a disk.
    """
    held = holding(inventory, layouts, kinds, masters, settings)
    years = tuple(_years(held, growth)) if growth else ()
    return Capacity(
        raw_bytes=held.raw_bytes,
        usable_bytes=held.usable_bytes,
        bytes_per_host=held.host_bytes,
        years=years,
        hosts_needed=years[-1].hosts if years else None,
        group=held.group,
    )


def _years(held: Holding, growth: Growth) -> Iterator[Year]:
    for year in range(growth.years + 1):
        need = round(growth.need_bytes * (1 + growth.per_year) ** year)
        fill = _fill(held, need)
        first = max(fill, key=fill.__getitem__)
        yield Year(
            year=year,
            need_bytes=need,
            hosts=_hosts(held, need),
            first_full=f"{first}, {_share(fill[first])} the limit",
            fill=fill,
        )


def _share(full: float) -> str:
    """Percent as far as they tell anything: ``81% of``, ``120 times``."""
    return f"{full:.0%} of" if full < _TIMES else f"{min(full, _MOST_TIMES):,.0f} times"


def _fill(held: Holding, need_bytes: int) -> dict[str, float]:
    """How full each resource of the planned hosts is; at 1 it holds the most it should."""
    blocks = need_bytes / held.block_bytes
    return {
        DISKS: need_bytes / held.usable_bytes,
        HEAP: blocks * HEAP_BYTES_PER_BLOCK / held.heap_bytes,
        BLOCKS: blocks * held.replication / (held.workers * BLOCKS_PER_DATANODE),
    }


def _hosts(held: Holding, need_bytes: int) -> int:
    """The fewest hosts that hold so much, masters' included; more hosts do not widen the NameNode's heap."""
    replicas = need_bytes / held.block_bytes * held.replication
    by_disks = math.ceil((need_bytes - held.usable_bytes) / held.host_bytes)
    by_blocks = math.ceil((replicas / BLOCKS_PER_DATANODE - held.workers) / held.host_workers)
    return max(held.fewest_hosts, held.hosts + max(by_disks, by_blocks))

"""What speaks for and against a platform that runs HBase."""

from __future__ import annotations

import math
from collections.abc import Iterator

from howdah.model.plan import Judgement
from howdah.planner.platforms.division import Division
from howdah.planner.platforms.judging.guests import guest_share
from howdah.planner.rules import platform as rules
from howdah.units import format_counted

VIRTUAL = 0.07
"""YCSB in one virtual machine per host against the host itself (RULES 116)."""

EACH_DOUBLING = 0.05
"""Each doubling of the workers beyond one, the simplest; X3 puts that before local memory (RULES 122)."""

GUEST_MEMORY = 0.5
"""Memory taken by guests is memory taken from caches, which is what HBase's speed rests on (howdah)."""


def judgements(division: Division) -> Iterator[Judgement]:
    """All of them; weights are shares of YCSB's time."""
    count = division.per_host
    if count == 1:
        yield rules.HBASE_ONE.speaks_for(
            "one RegionServer for the whole host: simplest, most memory for its caches"
        )
    else:
        yield rules.HBASE_ONE.speaks_against(
            f"{count} RegionServers on a host: more to run, and smaller caches",
            EACH_DOUBLING * math.log2(count),
        )
    if division.virtual:
        share = guest_share(division)
        yield rules.HBASE_VIRTUAL.speaks_against(
            f"virtual machines take up to {VIRTUAL:.0%} longer than the hosts themselves", VIRTUAL
        )
        yield rules.GUEST_MEMORY.speaks_against(
            f"about {share:.0%} of memory goes to {format_counted(count, 'guest')} with DataNodes",
            GUEST_MEMORY * share,
        )

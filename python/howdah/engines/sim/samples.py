"""What simulated hosts used over time, as the record's samples.

CPU time that is not idle is counted as user time, since the simulator does not tell the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from howdah.engines.sim.columns import Columns, seconds, words
from howdah.engines.sim.hosts import Machines
from howdah.model.tables import SAMPLES_SCHEMA

_METRICS = (
    "cpu/all/user_s",
    "cpu/all/idle_s",
    "disk/data/read_bytes",
    "disk/data/written_bytes",
    "nic/net/rx_bytes",
    "nic/net/tx_bytes",
)
"""By the number in the column ``metric``; ``data`` are a host's data disks and ``net`` its ports together."""


def sample_tables(columns: Columns, machines: Machines, ends_ns: Sequence[int]) -> tuple[pa.Table, ...]:
    """The samples up to the end of every workload in the order of time; what comes later is in the last."""
    times_ns = columns["time_ns"]
    order = np.argsort(times_ns, kind="stable")
    cuts = [int(np.searchsorted(times_ns[order], end_ns, side="right")) for end_ns in ends_ns[:-1]]
    whole = pa.Table.from_arrays(
        [
            pa.array(seconds(times_ns[order])),
            words(columns["host"][order], machines.hosts),
            words(columns["metric"][order], _METRICS),
            pa.array(columns["value"][order]),
        ],
        schema=SAMPLES_SCHEMA,
    )
    edges = [0, *cuts, len(times_ns)]
    return tuple(whole.slice(start, end - start) for start, end in pairwise(edges))

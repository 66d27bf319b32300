"""What simulated hosts used over time, as the record's samples.

CPU time that is not idle is counted as user time, since the simulator does not tell the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from howdah import _native
from howdah.engines.sim.columns import Columns, seconds, words
from howdah.model.tables import SAMPLES_SCHEMA
from howdah.simulation.hosts import Machines


def sample_tables(columns: Columns, machines: Machines, ends_ns: Sequence[int]) -> tuple[pa.Table, ...]:
    """The samples up to the end of every workload in the order of time; what comes later is in the last.

    The simulator's metrics are named as the record's: a host's data disks together are the disk ``data``, its
    network ports the interface ``net``.
    """
    metrics = _native.Simulation.sample_metrics()
    times_ns = columns["time_ns"]
    order = np.argsort(times_ns, kind="stable")
    cuts = [int(np.searchsorted(times_ns[order], end_ns, side="right")) for end_ns in ends_ns[:-1]]
    whole = pa.Table.from_arrays(
        [
            pa.array(seconds(times_ns[order])),
            words(columns["host"][order], machines.hosts),
            words(columns["metric"][order], metrics),
            pa.array(columns["value"][order]),
        ],
        schema=SAMPLES_SCHEMA,
    )
    edges = [0, *cuts, len(times_ns)]
    return tuple(whole.slice(start, end - start) for start, end in pairwise(edges))

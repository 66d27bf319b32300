"""A network of five hosts as a run has it: one slow port, and round trips that grow under load."""

from __future__ import annotations

from itertools import permutations

import pyarrow as pa

from howdah.engines.hosts.engine import ring
from howdah.model.reported import LatencyHistogram, LinkRate, encoded
from howdah.model.tables import LATENCIES_SCHEMA, RunData
from howdah.model.workloads.hadoop_programs import (
    ALL_AT_ONCE,
    BOTH_WAYS,
    IDLE,
    LOADED,
    NETWORK,
    ONE_WAY,
    Network,
    link_metrics,
    round_trip_metrics,
)
from support.building import RunBuilder, Stage

_HOSTS = tuple(f"w{number}" for number in range(1, 6))
_SLOW = "w4"
_NOMINAL = 10**10
_SHARES = {ONE_WAY: 0.944, BOTH_WAYS: 0.895, ALL_AT_ONCE: 0.87}


def network() -> RunData:
    """The run, with an exact wobble instead of noise."""
    links = [
        _link(how, source, target, number)
        for how, pairs in (
            (ONE_WAY, permutations(_HOSTS, 2)),
            (BOTH_WAYS, permutations(_HOSTS, 2)),
            (ALL_AT_ONCE, ring([[host] for host in _HOSTS])),
        )
        for number, (source, target) in enumerate(pairs)
    ]
    rows = [
        LatencyHistogram(
            workload=NETWORK,
            operation=operation,
            host=source,
            peer=target,
            start_s=start_s,
            end_s=start_s + 1,
            operations=100,
            histogram=encoded(base_s * (1 + at * at / 900) for at in range(100)),
        )
        for operation, base_s, start_s in ((IDLE, 80e-6, 1.0), (LOADED, 1.1e-3, 132.0))
        for source, target in ring([[host] for host in _HOSTS])
    ]
    made = RunBuilder(suite=NETWORK, hosts=_HOSTS)
    made.workload(
        Network(streams=4, seconds=5, rounds=4, pairs_at_once=1),
        [
            Stage(name, seconds)
            for name, seconds in (("round trips", 11.0), (ONE_WAY, 120.0), (ALL_AT_ONCE, 6.0))
        ],
        links=tuple(links),
        metrics=(*link_metrics(links), *round_trip_metrics(rows)),
    )
    columns = list(zip(*rows, strict=True))
    table = pa.table(dict(zip(LATENCIES_SCHEMA.names, columns, strict=True)), schema=LATENCIES_SCHEMA)
    return made.build()._replace(latencies=table)


def _link(how: str, source: str, target: str, number: int) -> LinkRate:
    share = _SHARES[how] * (0.1 if _SLOW in (source, target) else 1) * (1 - number % 3 / 500)
    return LinkRate.model_validate(
        {
            "source": source,
            "target": target,
            "how": how,
            "streams": 4,
            "seconds": 5.0,
            "bits_per_s": share * _NOMINAL,
            "nominal_bits_per_s": _NOMINAL,
            "retransmits": 7 if _SLOW in (source, target) else 0,
            "round_trip_s": 0.0011,
            "longest_round_trip_s": 0.0031,
            "source_cpu": 0.42,
            "target_cpu": 0.55,
        }
    )

"""How much PerformanceEvaluation asks of an HBase: as much as YCSB does, in rows of one value."""

from __future__ import annotations

from typing import Any

from howdah.model.workloads.hbase_pe import PerformanceEvaluation, PeWrite
from howdah.model.workloads.ycsb_options import BLOCK_ENCODING, BLOOM_FILTER, COMPRESSION, FIELD_SIZE
from howdah.planner.suite.cluster import ClusterSizes
from howdah.planner.suite.ycsb import choose_records, choose_regions, choose_threads

_VALUE_BYTES = 1000


def evaluation(sizes: ClusterSizes) -> PerformanceEvaluation:
    """One of its commands, on all of the table."""
    program, request = sizes.program, sizes.request
    assert issubclass(program, PerformanceEvaluation)
    given: dict[str, Any] = {
        "records": choose_records(sizes),
        "field_bytes": sizes.choose(
            "size of a value", FIELD_SIZE, _VALUE_BYTES, reason="what a record of YCSB holds", source="howdah"
        ),
        "threads": choose_threads(sizes, clients=1),
    }
    if issubclass(program, PeWrite):
        given |= {
            "regions": choose_regions(sizes),
            "compression": request.of(COMPRESSION),
            "block_encoding": request.of(BLOCK_ENCODING),
            "bloom_filter": request.of(BLOOM_FILTER),
        }
    return program(**given)

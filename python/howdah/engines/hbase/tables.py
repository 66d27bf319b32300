"""How a run's table is made, and what is written down with it."""

from __future__ import annotations

from howdah.engines.hbase.admin import MadeFor
from howdah.engines.hbase.work import RunTable
from howdah.engines.process import this_process
from howdah.model.job import Job
from howdah.model.workloads.ycsb_options import BlockEncoding, BloomFilter, Compression


def made_for(job: Job, suite: str, records: int, table: RunTable) -> MadeFor:
    """What a table of this process's run is for."""
    return MadeFor(
        run=job.run_id,
        suite=suite,
        process=this_process(),
        keep=table.keep,
        records=records,
        fields=table.fields,
        field_bytes=table.field_bytes,
    )


def attributes_of(
    compression: Compression | None, encoding: BlockEncoding | None, bloom: BloomFilter | None
) -> tuple[str, str, str]:
    """The table's compression, block encoding and bloom filter by HBase's own words."""
    words = (compression or Compression.NONE, encoding or BlockEncoding.NONE, bloom or BloomFilter.ROW)
    one, two, three = (word.upper().replace("-", "_") for word in words)
    return one, two, three

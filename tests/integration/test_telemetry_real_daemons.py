"""The beans of real daemons, one of which dies on the way and comes back."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from howdah.model.run import Sample
from howdah.services.web import Web
from howdah.telemetry.beans import beans_of
from howdah.telemetry.daemons import daemon_source
from howdah.telemetry.sampler import Sampler
from support.daemons import put
from support.hadoop_cluster import HadoopCluster, needs_hadoop
from support.patience import wait_until
from support.sinks import MemorySink

pytestmark = [needs_hadoop, pytest.mark.xdist_group("cluster")]

SIZE = 20_000_000
"""Far more than what jobs of earlier tests on the same cluster may still write."""
WRITTEN = "datanode/written_bytes"


def newest(rows: Sequence[Sample]) -> dict[str, float]:
    return {row.metric: row.value for row in rows}


def test_real_daemons(cluster: HadoopCluster) -> None:
    """Everything that is asked for is there; what is written shows; a death is a gap and one warning."""
    sink = MemorySink()
    port = cluster.ports["dfs.datanode.http.address"]
    with Web(silence_s=3.0) as web:
        sources = [
            daemon_source("m1", "namenode", f"http://127.0.0.1:{cluster.namenode_web}", web),
            daemon_source("w1", "datanode", f"http://127.0.0.1:{port}", web),
        ]
        often = [source._replace(interval_s=0.5) for source in sources]
        sampler = Sampler(sink, often, run_start_ns=time.monotonic_ns())
        sampler.start()
        try:
            metrics = {
                number.metric
                for name in ("namenode", "datanode")
                for bean in beans_of(name)
                for number in bean.numbers
            }
            wait_until(lambda: metrics <= set(newest(sink.sampled)), "both daemons are sampled")
            assert set(newest(sink.sampled)) == metrics
            put(f"{cluster.webhdfs}/tmp/telemetry?op=CREATE&overwrite=true&{cluster.user}", b"x" * SIZE)
            # Hadoop works its numbers out anew every ten seconds, unless its configuration says otherwise.
            wait_until(lambda: newest(sink.sampled)[WRITTEN] > 0)
            assert SIZE <= newest(sink.sampled)[WRITTEN] < 1.2 * SIZE
            assert newest(sink.sampled)["namenode/live_datanodes"] == 1
            cluster.daemons.kill("datanode")
            seen = len([row for row in sink.sampled if row.host == "w1"])
            time.sleep(1.5)
            cluster.start("datanode")
            wait_until(lambda: len([row for row in sink.sampled if row.host == "w1"]) > seen + 2)
        finally:
            sampler.stop()
    (warning,) = sampler.warnings
    assert warning.code == "gap-in-datanode-samples"
    assert "no samples of the DataNode of w1 from " in warning.text
    assert "cannot be reached" in warning.text
    assert newest(sink.sampled)[WRITTEN] >= SIZE
    busy = [row.value for row in sink.sampled if row.metric == "jvm/namenode/cpu_s"]
    assert 0 == busy[0] <= busy[-1]
    assert busy[-1] > 0
    heaps = [row.value for row in sink.sampled if row.metric == "jvm/datanode/heap_bytes"]
    assert all(2**20 < heap < 2**30 for heap in heaps)

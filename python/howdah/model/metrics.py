"""The names, units and kinds of everything a sampler records.

A sample's machine is a host, a worker or a master by its name. Where a worker is a virtual machine or
the lab stands in for one, its own use is under its own name, and a host's name has the values that only the
host has: all its CPUs and its uplink. A worker's CPUs are then one, ``all``, whose user, system
and idle time add up to what its limit allows. The machine below a lab, which other programs may use, has its
own name (``cluster.lab.machine``): it is no host of the plan.

A metric's name is ``subject/instance/quantity`` (``disk/vda/read_bytes``) or, where there is only
one instance, ``subject/quantity`` (``memory/cached_bytes``). A counter holds its growth since the
first sample of the run; a gauge holds the value at the moment.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Metric(NamedTuple):
    """One quantity: its pattern (``*`` stands for the instance), unit, kind and meaning."""

    pattern: str
    unit: str
    kind: Literal["counter", "gauge"]
    meaning: str


METRICS: tuple[Metric, ...] = (
    Metric("cpu/*/user_s", "s", "counter", "time in user mode, nice included"),
    Metric("cpu/*/system_s", "s", "counter", "time in the kernel, interrupts included"),
    Metric("cpu/*/iowait_s", "s", "counter", "idle while I/O was outstanding"),
    Metric("cpu/*/steal_s", "s", "counter", "time the hypervisor gave to other machines"),
    Metric("cpu/*/idle_s", "s", "counter", "idle, I/O wait excluded"),
    Metric("disk/*/read_bytes", "B", "counter", "bytes read from the device"),
    Metric("disk/*/written_bytes", "B", "counter", "bytes written to the device"),
    Metric("disk/*/reads", "1", "counter", "read operations completed"),
    Metric("disk/*/writes", "1", "counter", "write operations completed"),
    Metric("disk/*/busy_s", "s", "counter", "time with at least one operation in flight"),
    Metric("nic/*/rx_bytes", "B", "counter", "bytes received"),
    Metric("nic/*/tx_bytes", "B", "counter", "bytes sent"),
    Metric("nic/*/rx_packets", "1", "counter", "packets received"),
    Metric("nic/*/tx_packets", "1", "counter", "packets sent"),
    Metric("nic/*/drops", "1", "counter", "packets dropped, both directions"),
    Metric("memory/available_bytes", "B", "gauge", "memory new work could have without swapping"),
    Metric("memory/cached_bytes", "B", "gauge", "page cache"),
    Metric("memory/dirty_bytes", "B", "gauge", "page cache waiting to be written"),
    Metric("memory/writeback_bytes", "B", "gauge", "page cache being written"),
    Metric("memory/swap_used_bytes", "B", "gauge", "swap in use"),
    Metric("memory/dirtied_bytes", "B", "counter", "page cache that buffered writes made dirty"),
    Metric("memory/written_back_bytes", "B", "counter", "dirty page cache written to devices"),
    Metric("memory/swapped_in_bytes", "B", "counter", "memory read back from swap"),
    Metric("memory/swapped_out_bytes", "B", "counter", "memory written to swap"),
    Metric("memory/major_faults", "1", "counter", "page faults that had to read from a device"),
    Metric("pressure/cpu_some_s", "s", "counter", "time some task waited for a CPU (PSI)"),
    Metric("pressure/io_some_s", "s", "counter", "time some task waited for I/O (PSI)"),
    Metric("pressure/io_full_s", "s", "counter", "time all tasks waited for I/O (PSI)"),
    Metric("pressure/memory_some_s", "s", "counter", "time some task waited for memory (PSI)"),
    Metric("pressure/memory_full_s", "s", "counter", "time all tasks waited for memory (PSI)"),
    Metric("cpu/all/throttled_s", "s", "counter", "time a worker's tasks were throttled by its CPU limit"),
    Metric("memory/used_bytes", "B", "gauge", "memory of a worker or host in the lab, page cache excluded"),
    Metric("nic/*/queue_bytes", "B", "gauge", "bytes that wait for a link limited in speed"),
    Metric("nic/*/retransmits", "1", "counter", "TCP segments sent again"),
    Metric("datanode/read_bytes", "B", "counter", "bytes a DataNode read for clients"),
    Metric("datanode/written_bytes", "B", "counter", "bytes a DataNode wrote, replicas included"),
    Metric("datanode/remote_read_bytes", "B", "counter", "of them read for clients on other machines"),
    Metric("datanode/remote_written_bytes", "B", "counter", "of them written for clients on other machines"),
    Metric("datanode/packet_ack_s", "s", "counter", "time packets took to be acknowledged down the pipeline"),
    Metric("datanode/flush_s", "s", "counter", "time spent flushing to disk"),
    Metric("datanode/send_blocked_s", "s", "counter", "time sending waited for the network"),
    Metric("datanode/send_transfer_s", "s", "counter", "time sending took"),
    Metric("datanode/copied_blocks", "1", "counter", "replicas and units copied to another DataNode"),
    Metric("datanode/rebuilt_units", "1", "counter", "units of coded blocks computed from others"),
    Metric("datanode/rebuild_read_bytes", "B", "counter", "bytes of other units read for that"),
    Metric("datanode/rebuilt_bytes", "B", "counter", "bytes of units that were computed"),
    Metric("datanode/decoding_s", "s", "counter", "time spent computing them"),
    Metric("nodemanager/containers", "1", "gauge", "containers that run"),
    Metric("nodemanager/shuffled_bytes", "B", "counter", "map output served to reduces"),
    Metric("namenode/live_datanodes", "1", "gauge", "DataNodes that report"),
    Metric("namenode/blocks", "1", "gauge", "blocks of the file system"),
    Metric("namenode/under_replicated", "1", "gauge", "blocks with too few replicas"),
    Metric("namenode/draining_datanodes", "1", "gauge", "DataNodes that are being decommissioned"),
    Metric("namenode/calls", "1", "counter", "calls answered"),
    Metric("namenode/queue_s", "s", "counter", "time calls waited"),
    Metric("namenode/processing_s", "s", "counter", "time calls took"),
    Metric("namenode/edits", "1", "counter", "changes of the namespace written to the edit log"),
    Metric("namenode/edit_sync_s", "s", "counter", "time the edit log took to be durable"),
    Metric("namenode/added_blocks", "1", "counter", "blocks that clients requested"),
    Metric("journalnode/written_bytes", "B", "counter", "bytes of edits a JournalNode received and wrote"),
    Metric("journalnode/edits", "1", "counter", "changes of the namespace a JournalNode wrote"),
    Metric("journalnode/batches", "1", "counter", "batches of edits that it synced"),
    Metric("resourcemanager/live_nodemanagers", "1", "gauge", "NodeManagers that report"),
    Metric("resourcemanager/containers", "1", "gauge", "containers that are allocated"),
    Metric("resourcemanager/pending_containers", "1", "gauge", "containers that applications wait for"),
    Metric("regionserver/get_requests", "1", "counter", "gets that clients requested"),
    Metric("regionserver/mutate_requests", "1", "counter", "single puts and deletes that clients requested"),
    Metric("regionserver/scan_requests", "1", "counter", "calls of scans"),
    Metric("regionserver/multi_requests", "1", "counter", "calls that hold many gets or mutations"),
    Metric("regionserver/regions", "1", "gauge", "regions that it serves"),
    Metric("regionserver/local_share", "1", "gauge", "fraction of its files' bytes on its own machine"),
    Metric("regionserver/cache_hits", "1", "counter", "block cache hits"),
    Metric("regionserver/cache_misses", "1", "counter", "block cache misses"),
    Metric("regionserver/cache_evictions", "1", "counter", "blocks evicted from the block cache"),
    Metric("regionserver/cache_bytes", "B", "gauge", "block cache in use"),
    Metric("regionserver/memstore_bytes", "B", "gauge", "data of all memstores"),
    Metric("regionserver/store_files", "1", "gauge", "files of its regions"),
    Metric("regionserver/store_bytes", "B", "gauge", "size of these files"),
    Metric("regionserver/flushes", "1", "counter", "memstores written to files"),
    Metric("regionserver/flushed_bytes", "B", "counter", "size of the files that flushes wrote"),
    Metric("regionserver/flush_queue", "1", "gauge", "regions that wait to be flushed"),
    Metric("regionserver/compactions", "1", "counter", "compactions that ended"),
    Metric("regionserver/compaction_read_bytes", "B", "counter", "size of the files that they read"),
    Metric("regionserver/compacted_bytes", "B", "counter", "size of the files that they wrote"),
    Metric("regionserver/compaction_queue", "1", "gauge", "compactions that wait"),
    Metric("regionserver/blocked_s", "s", "counter", "time that full memstores blocked writes"),
    Metric("regionserver/splits", "1", "counter", "regions that were split"),
    Metric("regionserver/wal_appends", "1", "counter", "entries written to the log of writes (WAL)"),
    Metric("regionserver/wal_written_bytes", "B", "counter", "their bytes, each once"),
    Metric("regionserver/wal_syncs", "1", "counter", "syncs of the WAL"),
    Metric(
        "regionserver/wal_sync_s",
        "s",
        "counter",
        "time of these syncs; HBase reports whole milliseconds of each",
    ),
    Metric("regionserver/wal_sync_99_s", "s", "gauge", "time within which 99 % of the last syncs ended"),
    Metric("regionserver/calls", "1", "counter", "calls answered"),
    Metric("regionserver/queue_s", "s", "counter", "time calls waited, in whole milliseconds of each"),
    Metric("regionserver/processing_s", "s", "counter", "time calls took, in whole milliseconds of each"),
    Metric("regionserver/exceptions", "1", "counter", "calls answered with an exception"),
    Metric(
        "regionserver/too_busy",
        "1",
        "counter",
        "of them because of full memstores; clients wait and retry",
    ),
    Metric("regionserver/not_serving", "1", "counter", "of them because the region was on another server"),
    Metric("regionserver/handlers", "1", "gauge", "handlers at work"),
    Metric("regionserver/calls_queued", "1", "gauge", "calls that wait"),
    Metric("region/*/requests", "1", "counter", "rows read and written in a region while this server had it"),
    Metric("hmaster/live_regionservers", "1", "gauge", "RegionServers that report"),
    Metric("hmaster/dead_regionservers", "1", "gauge", "RegionServers that it considers dead"),
    Metric("hmaster/regions_in_transition", "1", "gauge", "regions without a server at the moment"),
    Metric("hmaster/moves", "1", "counter", "moves of regions begun"),
    Metric("hmaster/splits", "1", "counter", "splits of regions begun"),
    Metric("hmaster/opened_regions", "1", "counter", "regions that were opened anywhere"),
    Metric("jvm/*/cpu_s", "s", "counter", "CPU time of a master's or a RegionServer's process"),
    Metric("jvm/*/gc_s", "s", "counter", "time a daemon was stopped by garbage collection"),
    Metric("jvm/*/heap_bytes", "B", "gauge", "heap of a daemon in use"),
    Metric("load/runnable", "1", "gauge", "tasks that run or wait for a CPU"),
    Metric(
        "kernel/cpu_s", "s", "counter", "CPU time of the kernel's own threads, which work for all processes"
    ),
    Metric("own/*/cpu_s", "s", "counter", "CPU time of the run's own processes: lab, howdah"),
    Metric("own/*/read_bytes", "B", "counter", "bytes they read from disks"),
    Metric("own/*/written_bytes", "B", "counter", "bytes they wrote to disks"),
    Metric("neighbour/*/cpu_s", "s", "counter", "CPU time of another lab's machines on this host"),
    Metric("neighbour/*/sent_bytes", "B", "counter", "bytes that these machines sent"),
    Metric("neighbour/*/received_bytes", "B", "counter", "bytes that these machines received"),
    Metric("process/rss_bytes", "B", "gauge", "resident set of the howdah process"),
)

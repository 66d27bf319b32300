//! Settings of HDFS, the scheduler, a MapReduce job and the masters.

use serde::{Deserialize, Serialize};

/// The file system's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hdfs {
    /// Default number of replicas (`dfs.replication`).
    pub replication: u32,
    /// Bytes of a block (`dfs.blocksize`).
    pub block_bytes: u64,
    /// The placement policy.
    pub placement: Placement,
    /// Filled share of every disk before the first workload, 0 to 1.
    #[serde(default)]
    pub filled: f64,
    /// Erasure coding of all files; null: they have replicas.
    #[serde(default)]
    pub coding: Option<Coding>,
    /// Read-ahead of a DataNode, bytes (`dfs.datanode.readahead.bytes`); 0: the system's.
    #[serde(default = "readahead_bytes")]
    pub readahead_bytes: u64,
    /// Whether written data are dropped from the page cache (`dfs.datanode.drop.cache.behind.writes`).
    #[serde(default)]
    pub drop_behind_writes: bool,
    /// Whether written data go to the disk at once (`dfs.datanode.sync.behind.writes`).
    #[serde(default)]
    pub sync_behind_writes: bool,
}

/// Erasure coding: rows of data cells on different DataNodes, and parity cells that the writer computes from them
/// (org.apache.hadoop.hdfs.DFSStripedOutputStream, StripedBlockUtil).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coding {
    /// Data cells of a row, and so data blocks of a group.
    pub data: u32,
    /// Parity cells of a row.
    pub parity: u32,
    /// Bytes of a cell.
    pub cell_bytes: u64,
    /// CPU for the parity of a byte of data, seconds of the reference core.
    pub encode_s_per_byte: f64,
}

impl Coding {
    /// DataNodes of a group.
    pub fn units(&self) -> u32 {
        self.data + self.parity
    }

    /// Bytes of each parity unit for `bytes` bytes of data: a parity cell is as long as its row's first cell.
    pub(crate) fn parity_bytes(&self, bytes: u64) -> u64 {
        let row = u64::from(self.data) * self.cell_bytes;
        bytes / row * self.cell_bytes + (bytes % row).min(self.cell_bytes)
    }
}

/// HDFS's policies of block placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// The writer's DataNode, then two in another rack. It ignores shared hosts.
    Default,
    /// The same with node groups: no two replicas on one host.
    NodeGroups,
    /// The default policy with hosts as upgrade domains: no two replicas on one host.
    UpgradeDomains,
    /// As many racks as there are replicas.
    RackFaultTolerant,
}

/// How tasks are assigned to workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheduling {
    /// Slots of each kind, or containers of one pool.
    pub kind: SchedulingKind,
    /// Share of maps that must have ended before reduces start.
    pub slowstart: f64,
    /// Time between a worker's heartbeats, seconds.
    pub heartbeat_s: f64,
    /// Whether the end of a task is reported at once rather than by the next heartbeat.
    #[serde(default)]
    pub out_of_band: bool,
    /// Time between two rounds of the scheduler over all workers, seconds. In each round every worker with room gets
    /// one container, independently of heartbeats. None: workers get containers at heartbeats.
    #[serde(default)]
    pub round_s: Option<f64>,
    /// Most containers that a worker gets at a heartbeat; None: no limit.
    #[serde(default)]
    pub containers_per_beat: Option<u32>,
    /// Most of these whose task has no data on the worker's host or rack.
    #[serde(default)]
    pub off_switch_per_beat: Option<u32>,
    /// Whether Hadoop 1's default scheduler assigns tasks (org.apache.hadoop.mapred.JobQueueTaskScheduler).
    #[serde(default)]
    pub job_queue: bool,
    /// How long a job waits for a worker that has its block, seconds.
    #[serde(default)]
    pub locality_delay_s: f64,
    /// Whether slow tasks run twice.
    #[serde(default)]
    pub speculative: bool,
    /// Whether a task's JVM runs the next task of its job.
    #[serde(default)]
    pub jvm_reuse: bool,
}

/// The resources of a worker for tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SchedulingKind {
    /// Hadoop 1: separate map slots and reduce slots.
    Slots,
    /// YARN: one pool; a map takes one part of `map_slots`, a reduce one of `reduce_slots`.
    Containers,
}

/// Settings of a MapReduce job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// A map's sort buffer, bytes (`mapreduce.task.io.sort.mb`).
    pub io_sort_bytes: u64,
    /// Full share of it at which a spill begins (`mapreduce.map.sort.spill.percent`).
    #[serde(default = "spill_share")]
    pub io_sort_spill: f64,
    /// Share of the sort buffer that Hadoop 1 reserved for 16 bytes about each row (`io.sort.record.percent`); null:
    /// rows and their indexes share the whole buffer (MAPREDUCE-64).
    #[serde(default)]
    pub io_sort_records: Option<f64>,
    /// Runs merged together (`mapreduce.task.io.sort.factor`).
    pub io_sort_factor: u32,
    /// Map outputs that a reduce fetches in parallel (`mapreduce.reduce.shuffle.parallelcopies`).
    pub parallel_copies: u32,
    /// Heap of a map, bytes.
    pub map_heap_bytes: u64,
    /// Heap of a reduce, bytes.
    pub reduce_heap_bytes: u64,
    /// Share of a reduce's heap for map output (`mapreduce.reduce.shuffle.input.buffer.percent`).
    pub shuffle_input_buffer: f64,
    /// Full share of that at which it is merged to disk (`mapreduce.reduce.shuffle.merge.percent`).
    pub shuffle_merge: f64,
    /// Map outputs at which it is merged, whatever their size (Hadoop 1's `mapred.inmem.merge.threshold`).
    #[serde(default)]
    pub merge_outputs: Option<u32>,
    /// Share of the heap that may still contain map output while the reduce runs.
    #[serde(default)]
    pub reduce_input_buffer: f64,
    /// Compression of map output.
    pub codec: Codec,
    /// Compression ratio of map output; 1 without compression.
    pub compression_ratio: f64,
    /// Keys that TeraSort samples for its partitions.
    #[serde(default = "partition_samples")]
    pub partition_samples: u64,
}

fn readahead_bytes() -> u64 {
    4 << 20
}

fn spill_share() -> f64 {
    0.80
}

fn partition_samples() -> u64 {
    100_000
}

/// Compression of map output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// None.
    None,
    /// LZ4.
    Lz4,
    /// Snappy.
    Snappy,
    /// Zstandard.
    Zstd,
}

/// The NameNode and the scheduler, each on a separate machine or on one that has room for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Masters {
    /// Speed of a core relative to the reference core.
    pub speed: f64,
    /// How they are protected.
    pub protection: Protection,
}

impl Default for Masters {
    fn default() -> Self {
        Self { speed: 1.0, protection: Protection::None }
    }
}

/// How the masters are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protection {
    /// Not, or by a standby without load.
    None,
    /// A shadow virtual machine in lockstep, on one virtual CPU (vSphere Fault Tolerance).
    Ft,
}

#[cfg(test)]
impl Job {
    /// A job with Hadoop's default sort and shuffle.
    pub(crate) fn for_tests() -> Self {
        Self {
            io_sort_bytes: 100 << 20,
            io_sort_spill: 0.8,
            io_sort_records: None,
            io_sort_factor: 10,
            parallel_copies: 5,
            map_heap_bytes: 1 << 30,
            reduce_heap_bytes: 1 << 30,
            shuffle_input_buffer: 0.7,
            shuffle_merge: 0.66,
            merge_outputs: None,
            reduce_input_buffer: 0.0,
            codec: Codec::None,
            compression_ratio: 1.0,
            partition_samples: 100_000,
        }
    }
}

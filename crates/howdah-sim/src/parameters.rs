//! The quantities that calibration may change. They do not depend on a platform, a workload's name or a size.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A parameter, for documentation and calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, which ends in its unit if it has one.
    pub name: &'static str,
    /// Its value without a calibration.
    pub default: f64,
    /// The smallest valid value.
    pub min: f64,
    /// The largest valid value.
    pub max: f64,
    /// Its meaning.
    pub meaning: &'static str,
}

macro_rules! parameters {
    ($($name:ident = $default:literal, $min:literal ..= $max:literal, $meaning:literal;)*) => {
        /// The calibrated quantities. CPU costs are seconds of an unshared reference core.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Parameters {
            $(#[doc = $meaning] pub $name: f64,)*
        }

        impl Default for Parameters {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Parameters {
            /// All parameters in the order of the documentation.
            pub const ALL: &[Parameter] = &[$(Parameter {
                name: stringify!($name),
                default: $default,
                min: $min,
                max: $max,
                meaning: $meaning,
            },)*];

            /// Returns an error for a value outside its range, or not a number.
            pub(crate) fn check(&self) -> Result<()> {
                for (parameter, value) in Self::ALL.iter().zip([$(self.$name,)*]) {
                    parameter.check(value)?;
                }
                Ok(())
            }
        }
    };
}

parameters! {
    generate_s_per_byte = 4.8e-9, 1e-10 ..= 1e-6, "CPU of TeraGen's rows and their checksums.";
    stream_s_per_byte = 3.0e-9, 1e-11 ..= 1e-6, "CPU of a task's stream into HDFS: checksums and packets.";
    row_stall_s_per_byte = 1.1e-8, 0.0 ..= 1e-6, "Time that a task which writes rows stalls in addition to its CPU: for its JVM's collections, for its stream.";
    write_s_per_byte = 1.3e-9, 1e-11 ..= 1e-6, "CPU of one replica: received, its checksums verified, handed to the disk.";
    read_s_per_byte = 3.0e-9, 1e-11 ..= 1e-6, "CPU of reading from HDFS: DataNode and reader's checksums.";
    network_s_per_byte = 5.0e-10, 0.0 ..= 1e-7, "CPU of each end of a connection between hosts.";
    map_s_per_byte = 2.2e-8, 1e-10 ..= 1e-6, "CPU of a map of TeraSort: rows read, partitioned, collected and written, without sort and codec.";
    map_threads = 2.5, 1.0 ..= 4.0, "Threads that a map of TeraSort keeps busy at most: its own, its spill's, its collector's.";
    compare_s = 5.0e-8, 1e-10 ..= 1e-6, "CPU of one comparison of two rows in a sort or merge.";
    compress_s_per_byte = 2.5e-9, 0.0 ..= 1e-7, "CPU of compressing map output with Snappy.";
    decompress_s_per_byte = 1.2e-9, 0.0 ..= 1e-7, "CPU of decompressing map output with Snappy.";
    shuffle_s_per_byte = 5.0e-9, 0.0 ..= 1e-7, "CPU of serving and fetching map output, for each byte as it is stored.";
    fetch_s = 1.3e-4, 0.0 ..= 1e-1, "CPU of one fetch of one map's output by one reduce, both ends together.";
    reduce_s_per_byte = 1.0e-9, 1e-10 ..= 1e-6, "CPU of a reduce: merged rows read and handed to the output's stream.";
    validate_s_per_byte = 3.0e-9, 1e-10 ..= 1e-6, "CPU of TeraValidate's task: rows compared and summed.";
    thread_gain = 0.25, 0.0 ..= 1.0, "What a core gains when all its hardware threads are busy.";
    oversubscription_cost = 0.1, 0.0 ..= 1.0, "CPU added to the work of a worker with twice as many tasks as CPUs, as a share of it.";
    scale_up_cost = 0.0045, 0.0 ..= 0.05, "CPU that each further CPU of one operating system adds to its work, as a share of it.";
    remote_memory_cost = 0.15, 0.0 ..= 1.0, "CPU added to work whose memory is all on another NUMA node, as a share of it.";
    virtual_cpu_cost = 0.02, 0.0 ..= 0.5, "CPU added to work in a virtual machine, as a share of it.";
    page_walk_cost = 0.3, 0.0 ..= 1.0, "CPU added by nested page walks to remote memory in a virtual machine, as a share of its work.";
    virtual_io_s_per_byte = 3.0e-10, 0.0 ..= 1e-7, "CPU of a virtual machine's disk and network, for each byte.";
    softness = 22.0, 1.0 ..= 1000.0, "How strictly a stream follows its slowest resource alone; great: it overlaps the others perfectly.";
    read_seek_s = 0.006, 0.0 ..= 0.1, "Time a fast rotating disk needs from one stream to the next when it reads.";
    write_seek_s = 0.0042, 0.0 ..= 0.1, "The same when it writes.";
    stream_chunk_bytes = 4194304.0, 4096.0 ..= 1e9, "Bytes that a disk moves for one stream before it goes to the next.";
    used_once_cached = 0.5, 0.01 ..= 1.0, "Share of the page cache for data that are used once; the rest is for what is used again.";
    spill_age_s = 30.0, 0.0 ..= 1e6, "Age at which dirty pages go to disk; a spill that is deleted before is never written.";
    cache_order = 1.0, 0.0 ..= 1.0, "Whether a page cache keeps the blocks that were written last: 1, or 0 if it keeps as much of every block.";
    reduces_first = 1.0, 0.0 ..= 1.0, "Whether YARN serves a job's reduces before its maps, as far as its application master requests them: 1, or 0 if maps are served first.";
    remainder_kept = 1.0, 0.0 ..= 1.0, "Whether a reduce keeps in memory what its last merge to disk leaves: 1, or 0 if it keeps all that it may.";
    piece_seeks = 1.0, 0.0 ..= 1.0, "Whether a disk seeks for every piece of map output that it serves: 1, or 0 if a piece costs no more than its bytes.";
    queue_limits = 1.0, 0.0 ..= 1.0, "Whether Hadoop 1's default scheduler assigns one reduce and one map without near data at a heartbeat: 1, or 0 if as many as fit.";
    runs_in_order = 1.0, 0.0 ..= 1.0, "Whether a page cache evicts runs and map output in the order in which all data entered it: 1, or 0 if it keeps a share of each.";
    local_behind = 1.0, 0.0 ..= 1.0, "Whether intermediate data go to disks behind the tasks, as HDFS's do: 1, or 0 if tasks wait for disks.";
    dirty_share = 0.15, 0.0 ..= 1.0, "Share of the memory for caching at which writers wait for their disk.";
    spill_cached = 1.0, 0.0 ..= 1.0, "Share of the cached spills and map outputs that a map's merge or a late reduce reads from the page cache.";
    link_share = 0.94, 0.1 ..= 1.0, "Payload of a link that is busy both ways, as a share of its nominal speed.";
    block_s = 0.16, 0.0 ..= 10.0, "Time to set up one block's stream of writing, NameNode and DataNodes together.";
    job_start_s = 6.0, 0.0 ..= 120.0, "From a job's submission to its first task.";
    job_end_s = 5.0, 0.0 ..= 120.0, "From a job's last task to its end.";
    task_start_s = 1.0, 0.0 ..= 60.0, "What a task in a new JVM waits before its first byte, in addition to its CPU.";
    task_start_cpu_s = 1.0, 0.0 ..= 60.0, "CPU that starting a JVM takes.";
    task_reuse_s = 0.2, 0.0 ..= 60.0, "What a task waits in a JVM that ran a task of the job before.";
    task_cpu_s = 0.75, 0.0 ..= 60.0, "CPU of a task's setup and commit, in any JVM.";
    task_end_s = 0.3, 0.0 ..= 60.0, "From a task's last byte to its end: commit and report.";
    pi_point_s = 5.0e-8, 1e-10 ..= 1e-5, "CPU of one point of pi's Halton sequence.";
    sample_s = 2.5e-6, 0.0 ..= 1e-3, "Time of sampling one key for TeraSort's partitions.";
    task_spread = 0.02, 0.0 ..= 1.0, "Standard deviation of the logarithm of a task's own speed.";
    host_spread = 0.0, 0.0 ..= 1.0, "Standard deviation of the logarithm of a host's speed.";
    namenode_task_s = 1.5e-3, 0.0 ..= 1.0, "The NameNode's CPU for each task: its split, its directories, its commit.";
    namenode_block_s = 1.6e-4, 0.0 ..= 1.0, "The NameNode's CPU for each replica of a block written, and for each block located.";
    namenode_beat_s = 1.0e-4, 0.0 ..= 1.0, "The NameNode's CPU for each DataNode's heartbeat.";
    scheduler_task_s = 5.4e-3, 0.0 ..= 1.0, "The JobTracker's CPU for each task: set up, assigned, followed, committed.";
    container_s = 1.0e-3, 0.0 ..= 1.0, "CPU of the ResourceManager or the application master for each container, whichever takes longer.";
    scheduler_beat_s = 2.0e-4, 0.0 ..= 1.0, "The scheduler's CPU for each worker's heartbeat.";
    hbase_client_s = 6.0e-5, 0.0 ..= 1.0, "CPU of a client for one operation of YCSB, its values apart.";
    hbase_read_s = 1.0e-4, 0.0 ..= 1.0, "CPU of a RegionServer for one record that is read, its bytes apart.";
    hbase_write_s = 1.0e-4, 0.0 ..= 1.0, "CPU of a RegionServer for one record that is written, its bytes apart.";
    hbase_scan_row_s = 1.0e-5, 0.0 ..= 1.0, "CPU of a RegionServer for each record that a scan reads.";
    hbase_byte_s = 1.0e-8, 0.0 ..= 1e-6, "CPU of each end of a request for each byte asked and answered.";
    hbase_miss_s = 1.5e-4, 0.0 ..= 1.0, "CPU of reading one block that memory does not hold: HDFS's client and checksums.";
    hbase_round_trip_s = 3.0e-4, 0.0 ..= 1.0, "From client to RegionServer and back without load, threads woken on both sides.";
    hbase_sync_s = 5.0e-4, 0.0 ..= 1.0, "What a DataNode takes to answer a sync of the log, in addition to its CPU.";
    hbase_sync_cpu_s = 5.0e-5, 0.0 ..= 1.0, "CPU of a DataNode for one sync of the log, its bytes apart.";
    hbase_merge_byte_s = 1.0e-8, 0.0 ..= 1e-6, "CPU of a RegionServer for each byte that compactions merge.";
    hbase_pause_s = 2.0e-2, 0.0 ..= 10.0, "Mean time that a RegionServer stands still at once, for a collection of its heap or for want of processors.";
    hbase_pause_share = 2.0e-2, 0.0 ..= 0.9, "Share of the time that a RegionServer stands still.";
    lockstep_cost = 0.05, 0.0 ..= 5.0, "CPU added to a master that runs in lockstep with a shadow, as a share of its work.";
}

impl Parameter {
    fn check(&self, value: f64) -> Result<()> {
        if (self.min..=self.max).contains(&value) {
            return Ok(());
        }
        Err(Error::input(
            format!("parameters.{}", self.name),
            format!("{value} is out of range"),
            format!("give {:e} to {:e}", self.min, self.max),
        ))
    }
}

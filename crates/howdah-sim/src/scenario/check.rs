//! Checks of a scenario before any memory is allocated for it.

use super::{HostGroup, Scenario, Workload};
use crate::error::{Error, Result};
use crate::hbase::HBase;

/// The most units of a group of erasure-coded blocks.
const MAX_UNITS: u64 = 16;

/// Maximum sizes of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Hosts.
    pub hosts: u64,
    /// Workers.
    pub workers: u64,
    /// Disks.
    pub disks: u64,
    /// Tasks of one workload.
    pub tasks: u64,
    /// Blocks of one workload's files.
    pub blocks: u64,
}

impl Limits {
    /// About ten times the largest clusters with one NameNode.
    pub const DEFAULT: Self =
        Self { hosts: 20_000, workers: 200_000, disks: 500_000, tasks: 20_000_000, blocks: 50_000_000 };
}

impl Scenario {
    /// Returns an error that names the key if this cannot be simulated.
    pub(super) fn check(&self) -> Result<()> {
        self.parameters.check()?;
        for (number, group) in self.hosts.iter().enumerate() {
            group.check(&format!("hosts[{number}]"))?;
        }
        self.check_sizes()?;
        if let Some(hbase) = &self.hbase {
            return self.check_hbase(hbase);
        }
        self.check_settings()?;
        for (number, workload) in self.workloads.iter().enumerate() {
            self.check_workload(&format!("workloads[{number}]"), workload)?;
        }
        self.check_capacity()
    }

    fn check_sizes(&self) -> Result<()> {
        let limits = Limits::DEFAULT;
        // Sums of u32 products in u128 cannot overflow.
        let sum = |count: &dyn Fn(&HostGroup) -> u128| self.hosts.iter().map(count).sum::<u128>();
        let hosts = sum(&|group| u128::from(group.count));
        let workers = sum(&|group| u128::from(group.count) * group.workers_per_host());
        let disks = sum(&|group| u128::from(group.count) * group.disks_per_host());
        at_most("hosts", "hosts", hosts, limits.hosts)?;
        at_most("hosts", "workers", workers, limits.workers)?;
        at_most("hosts", "disks", disks, limits.disks)?;
        if workers == 0 {
            return Err(Error::input(
                "hosts",
                "no host has a worker",
                "give at least one worker with a disk",
            ));
        }
        let racks = self.hosts.iter().map(|group| group.rack).max().unwrap_or(0);
        at_most("hosts", "racks", u128::from(racks) + 1, limits.hosts)
    }

    fn check_hbase(&self, hbase: &HBase) -> Result<()> {
        if !self.workloads.is_empty() {
            return Err(Error::input(
                "workloads",
                "cannot run together with HBase",
                "simulate them one after the other",
            ));
        }
        let workers = self.hosts.iter().map(|group| u128::from(group.count) * group.workers_per_host());
        hbase.check(workers.sum::<u128>() as usize)
    }

    fn check_settings(&self) -> Result<()> {
        positive("hdfs.block_bytes", self.hdfs.block_bytes as f64)?;
        share("hdfs.filled", self.hdfs.filled)?;
        if let Some(coding) = &self.hdfs.coding {
            at_least("hdfs.coding.data", coding.data, 1)?;
            at_least("hdfs.coding.parity", coding.parity, 1)?;
            at_most("hdfs.coding", "units", u128::from(coding.data) + u128::from(coding.parity), MAX_UNITS)?;
            positive("hdfs.coding.cell_bytes", coding.cell_bytes as f64)?;
            duration("hdfs.coding.encode_s_per_byte", coding.encode_s_per_byte)?;
        }
        share("scheduling.slowstart", self.scheduling.slowstart)?;
        duration("scheduling.heartbeat_s", self.scheduling.heartbeat_s)?;
        duration("scheduling.locality_delay_s", self.scheduling.locality_delay_s)?;
        self.scheduling.round_s.map_or(Ok(()), |round_s| positive("scheduling.round_s", round_s))?;
        for (name, limit) in [
            ("scheduling.containers_per_beat", self.scheduling.containers_per_beat),
            ("scheduling.off_switch_per_beat", self.scheduling.off_switch_per_beat),
        ] {
            limit.map_or(Ok(()), |limit| at_least(name, limit, 1))?;
        }
        duration("network.round_trip_s", self.network.round_trip_s)?;
        for (number, uplink) in self.network.uplinks_bits_per_s.iter().enumerate() {
            uplink.map_or(Ok(()), |rate| positive(&format!("network.uplinks_bits_per_s[{number}]"), rate))?;
        }
        let job = &self.job;
        positive("job.io_sort_bytes", job.io_sort_bytes as f64)?;
        positive("job.io_sort_spill", job.io_sort_spill)?;
        share("job.io_sort_spill", job.io_sort_spill)?;
        if let Some(records) = job.io_sort_records {
            positive("job.io_sort_records", records)?;
            share("job.io_sort_records", records)?;
        }
        at_least("job.io_sort_factor", job.io_sort_factor, 2)?;
        at_least("job.parallel_copies", job.parallel_copies, 1)?;
        positive("job.reduce_heap_bytes", job.reduce_heap_bytes as f64)?;
        share("job.shuffle_input_buffer", job.shuffle_input_buffer)?;
        positive("job.shuffle_input_buffer", job.shuffle_input_buffer)?;
        share("job.shuffle_merge", job.shuffle_merge)?;
        positive("job.shuffle_merge", job.shuffle_merge)?;
        at_least("job.merge_outputs", job.merge_outputs.unwrap_or(1), 1)?;
        share("job.reduce_input_buffer", job.reduce_input_buffer)?;
        if !(1.0..=1000.0).contains(&job.compression_ratio) {
            return Err(out_of_range(
                "job.compression_ratio",
                job.compression_ratio,
                "give 1 to 1000; 1: not compressed",
            ));
        }
        positive("masters.speed", self.masters.speed)?;
        if let Some(interval) = self.record.sample_interval_s {
            positive("record.sample_interval_s", interval)?;
        }
        Ok(())
    }

    fn check_workload(&self, path: &str, workload: &Workload) -> Result<()> {
        let limits = Limits::DEFAULT;
        let (tasks, files, bytes) = match *workload {
            Workload::Teragen { rows, maps, .. } => (maps, maps, u128::from(rows) * 100),
            Workload::Terasort { rows, reduces, .. } => (reduces, reduces, u128::from(rows) * 100),
            Workload::Teravalidate { rows } => (1, 1, u128::from(rows) * 100),
            Workload::DfsioWrite { files, file_bytes } | Workload::DfsioRead { files, file_bytes } => {
                (files, files, u128::from(files) * u128::from(file_bytes))
            }
            Workload::Pi { maps, .. } => (maps, 1, 0),
        };
        at_least(&format!("{path}: tasks"), tasks, 1)?;
        at_most(path, "tasks", u128::from(tasks), limits.tasks)?;
        let blocks = bytes.div_ceil(u128::from(self.hdfs.block_bytes)) + u128::from(files);
        at_most(path, "blocks", blocks, limits.blocks)
    }
}

impl HostGroup {
    fn workers_per_host(&self) -> u128 {
        self.workers.iter().map(|workers| u128::from(workers.count)).sum()
    }

    fn disks_per_host(&self) -> u128 {
        self.disks.iter().map(|disks| u128::from(disks.count)).sum()
    }

    fn check(&self, path: &str) -> Result<()> {
        at_least(&format!("{path}.count"), self.count, 1)?;
        at_least(&format!("{path}.sockets"), self.sockets, 1)?;
        at_least(&format!("{path}.cores_per_socket"), self.cores_per_socket, 1)?;
        at_least(&format!("{path}.threads_per_core"), self.threads_per_core, 1)?;
        at_least(&format!("{path}.numa_nodes"), self.numa_nodes, 1)?;
        positive(&format!("{path}.speed"), self.speed)?;
        for (number, disks) in self.disks.iter().enumerate() {
            let path = format!("{path}.disks[{number}]");
            positive(&format!("{path}.size_bytes"), disks.size_bytes as f64)?;
            positive(&format!("{path}.outer_bytes_per_s"), disks.outer_bytes_per_s)?;
            positive(&format!("{path}.inner_bytes_per_s"), disks.inner_bytes_per_s)?;
        }
        for (number, nics) in self.nics.iter().enumerate() {
            positive(&format!("{path}.nics[{number}].bits_per_s"), nics.bits_per_s)?;
        }
        if let Some(rate) = self.controller_bytes_per_s {
            positive(&format!("{path}.controller_bytes_per_s"), rate)?;
        }
        let used: u128 = self.workers.iter().map(|w| u128::from(w.count) * u128::from(w.disks)).sum();
        if used > self.disks_per_host() {
            return Err(Error::input(
                format!("{path}.workers"),
                format!("the workers have {used} disks, the host has {}", self.disks_per_host()),
                "give each disk to one worker",
            ));
        }
        if self.workers_per_host() > 0 && self.nics.iter().all(|nics| nics.count == 0) {
            return Err(Error::input(format!("{path}.nics"), "the host has no port", "give at least one"));
        }
        for (number, worker) in self.workers.iter().enumerate() {
            let path = format!("{path}.workers[{number}]");
            at_least(&format!("{path}.vcpus"), worker.vcpus, 1)?;
            at_least(&format!("{path}.disks"), worker.disks, 1)?;
            if let Some(local) = worker.local_disks {
                at_least(&format!("{path}.local_disks"), local, 1)?;
                at_most(&format!("{path}.local_disks"), "disks", local.into(), worker.disks.into())?;
            }
            at_least(&format!("{path}.numa_nodes"), worker.numa_nodes, 1)?;
            at_least(&format!("{path}.map_slots"), worker.map_slots, 1)?;
            at_most(&format!("{path}.map_slots"), "slots", worker.map_slots.into(), 10_000)?;
            at_most(&format!("{path}.reduce_slots"), "slots", worker.reduce_slots.into(), 10_000)?;
        }
        Ok(())
    }
}

fn out_of_range(path: &str, value: f64, hint: &str) -> Error {
    Error::input(path, format!("{value} is out of range"), hint)
}

fn positive(path: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(out_of_range(path, value, "give a number above 0"))
    }
}

fn duration(path: &str, value: f64) -> Result<()> {
    if (0.0..=1e6).contains(&value) {
        Ok(())
    } else {
        Err(out_of_range(path, value, "give 0 to 1,000,000 seconds"))
    }
}

fn share(path: &str, value: f64) -> Result<()> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(out_of_range(path, value, "give 0 to 1")) }
}

fn at_least(path: &str, value: u32, least: u32) -> Result<()> {
    if value >= least {
        Ok(())
    } else {
        Err(out_of_range(path, f64::from(value), &format!("give at least {least}")))
    }
}

fn at_most(path: &str, unit: &str, value: u128, limit: u64) -> Result<()> {
    if value <= u128::from(limit) {
        return Ok(());
    }
    Err(Error::input(
        path,
        format!("{value} {unit} are too many to simulate"),
        format!("give at most {limit}"),
    ))
}

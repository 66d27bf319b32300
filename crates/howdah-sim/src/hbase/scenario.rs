//! The scenario of HBase: its servers' settings, its table, and the operations of its clients.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// HBase on the scenario's workers, each with a RegionServer, and the programs that use it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HBase {
    /// Concurrent requests of a RegionServer (`hbase.regionserver.handler.count`).
    pub handlers: u32,
    /// Block cache of a RegionServer, bytes.
    pub block_cache_bytes: f64,
    /// Memory of a worker for the system's page cache, bytes.
    pub page_cache_bytes: f64,
    /// Memory of a RegionServer for unflushed data of all regions together, bytes.
    pub memstore_bytes: f64,
    /// Data in a region's memory at which it is flushed, bytes.
    pub flush_bytes: f64,
    /// Files of a region that are merged together (`hbase.hstore.compaction.min`).
    pub compacted_files: u32,
    /// How the log's replicas are written.
    pub log: Log,
    /// Replicas of files and logs.
    pub replication: u32,
    /// CPUs of each client.
    pub client_cpus: u32,
    /// Share of its threads' time that a worker may use in every tenth of a second; null: all of it.
    #[serde(default)]
    pub cpu_quota: Option<f64>,
    /// Programs to run one after another on one table.
    pub programs: Vec<Program>,
}

/// How a sync of the log reaches its DataNodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Log {
    /// To all of them in parallel (AsyncFSWAL): the slowest decides.
    FanOut,
    /// From one to the next (FSHLog): their times add up.
    Pipeline,
}

/// What an acknowledged write has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// Memory only; the write is not logged.
    SkipWal,
    /// Memory; the log is written later.
    AsyncWal,
    /// The memory of every replica's DataNode.
    SyncWal,
    /// The disks of these DataNodes.
    FsyncWal,
}

/// The distribution of operations over records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// A few popular records, scattered over the table.
    Zipfian,
    /// Every record equally often.
    Uniform,
    /// Mostly the records inserted last.
    Latest,
}

/// Shares of all operations, which sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Shares {
    /// Reads of a record.
    pub read: f64,
    /// Updates of a record, in part or as a whole.
    pub update: f64,
    /// Inserts of a record.
    pub insert: f64,
    /// Reads of consecutive records.
    pub scan: f64,
    /// Reads of a record followed by an update.
    pub read_modify_write: f64,
}

/// The operations of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The workload's name.
    pub kind: String,
    /// Records of the table.
    pub records: u64,
    /// Bytes of a record in HBase, keys included.
    pub record_bytes: f64,
    /// Bytes that an update writes.
    pub update_bytes: f64,
    /// Records that a scan reads on average.
    pub scanned: f64,
    /// Regions of the table.
    pub regions: u32,
    /// Operations of all clients together.
    pub operations: u64,
    /// Their kinds.
    pub shares: Shares,
    /// Their distribution over records.
    pub distribution: Distribution,
    /// What a write waits for.
    pub durability: Durability,
    /// Client machines.
    pub clients: u32,
    /// Threads of each client.
    pub threads: u32,
    /// Target of operations a second of all clients together; null: as many as possible.
    #[serde(default)]
    pub target_per_s: Option<f64>,
}

impl HBase {
    /// Returns an error that names the key if this cannot be simulated.
    pub(crate) fn check(&self, workers: usize) -> Result<()> {
        check_range("hbase.handlers", self.handlers.into(), 1.0, 1e5)?;
        check_range("hbase.compacted_files", self.compacted_files.into(), 2.0, 1e3)?;
        check_range("hbase.replication", self.replication.into(), 1.0, workers as f64)?;
        check_range("hbase.client_cpus", self.client_cpus.into(), 1.0, 1e4)?;
        check_range("hbase.flush_bytes", self.flush_bytes, 1.0, 1e15)?;
        check_range("hbase.cpu_quota", self.cpu_quota.unwrap_or(1.0), 1e-3, 1.0)?;
        for (name, value) in [
            ("hbase.block_cache_bytes", self.block_cache_bytes),
            ("hbase.page_cache_bytes", self.page_cache_bytes),
            ("hbase.memstore_bytes", self.memstore_bytes),
        ] {
            check_range(name, value, 0.0, 1e15)?;
        }
        for (number, program) in self.programs.iter().enumerate() {
            program.check(&format!("hbase.programs[{number}]"))?;
        }
        Ok(())
    }
}

impl Program {
    fn check(&self, path: &str) -> Result<()> {
        check_range(&format!("{path}.records"), self.records as f64, 1.0, 1e13)?;
        check_range(&format!("{path}.record_bytes"), self.record_bytes, 1.0, 1e9)?;
        check_range(&format!("{path}.update_bytes"), self.update_bytes, 0.0, 1e9)?;
        check_range(&format!("{path}.scanned"), self.scanned, 1.0, 1e6)?;
        check_range(&format!("{path}.regions"), self.regions.into(), 1.0, 1e7)?;
        check_range(&format!("{path}.operations"), self.operations as f64, 1.0, 1e15)?;
        check_range(&format!("{path}.clients"), self.clients.into(), 1.0, 1e4)?;
        check_range(&format!("{path}.threads"), self.threads.into(), 1.0, 1e5)?;
        if let Some(target) = self.target_per_s {
            check_range(&format!("{path}.target_per_s"), target, 1e-3, 1e9)?;
        }
        let shares = self.shares.all();
        let sum: f64 = shares.iter().sum();
        if (sum - 1.0).abs() > 0.01 || shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
            return Err(Error::input(
                format!("{path}.shares"),
                format!("the shares sum to {sum}"),
                "give shares from 0 to 1 that sum to 1",
            ));
        }
        Ok(())
    }
}

impl Shares {
    /// In the order of [`super::operation::Operation::ALL`].
    pub(crate) fn all(&self) -> [f64; 5] {
        [self.read, self.update, self.insert, self.scan, self.read_modify_write]
    }
}

fn check_range(path: &str, value: f64, min: f64, max: f64) -> Result<()> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let hint = format!("give from {min} to {max}");
    Err(Error::input(path, format!("{value} is out of range"), hint))
}

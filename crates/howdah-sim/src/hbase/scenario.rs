//! What of HBase is simulated: its servers' settings, its table, and the operations that clients ask for.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// HBase on the scenario's workers, each of which has a RegionServer, and what is asked of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HBase {
    /// Operations that a RegionServer works on at once (`hbase.regionserver.handler.count`).
    pub handlers: u32,
    /// Memory of a RegionServer for blocks of its files, bytes.
    pub block_cache_bytes: f64,
    /// Memory of a worker that is left for the system's page cache, bytes.
    pub page_cache_bytes: f64,
    /// Memory of a RegionServer for what has not been flushed, all regions together, bytes.
    pub memstore_bytes: f64,
    /// What a region holds in memory before it is flushed, bytes.
    pub flush_bytes: f64,
    /// Files of a region that are merged at once (`hbase.hstore.compaction.min`).
    pub compacted_files: u32,
    /// How the log's replicas are written.
    pub log: Log,
    /// Replicas of files and logs.
    pub replication: u32,
    /// CPUs of each client.
    pub client_cpus: u32,
    /// Share of its threads' time that a worker may use, a tenth of a second at a time; null: all of it.
    #[serde(default)]
    pub cpu_quota: Option<f64>,
    /// What runs, one after another, on one table.
    pub programs: Vec<Program>,
}

/// How a sync of the log reaches its DataNodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Log {
    /// To all of them at once (AsyncFSWAL): the slowest decides.
    FanOut,
    /// From each to the next (FSHLog): their times add up.
    Pipeline,
}

/// What has become of a write when it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// It is in memory alone.
    SkipWal,
    /// It will be written to the log.
    AsyncWal,
    /// It is in the memory of every replica's DataNode.
    SyncWal,
    /// It is on their disks.
    FsyncWal,
}

/// Which records are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// A few again and again, wherever they lie.
    Zipfian,
    /// All alike.
    Uniform,
    /// Those that were added last.
    Latest,
}

/// Shares of all operations, which sum to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Shares {
    /// One record is read.
    pub read: f64,
    /// A record is written anew, in part or as a whole.
    pub update: f64,
    /// A record is added.
    pub insert: f64,
    /// Some records in a row are read.
    pub scan: f64,
    /// A record is read, and then written.
    pub read_modify_write: f64,
}

/// Operations of one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The workload's name.
    pub kind: String,
    /// Records of the table.
    pub records: u64,
    /// Bytes of a record as HBase keeps it, keys included.
    pub record_bytes: f64,
    /// Bytes that an update writes.
    pub update_bytes: f64,
    /// Records that a scan reads on average.
    pub scanned: f64,
    /// Regions of the table.
    pub regions: u32,
    /// Operations of all clients together.
    pub operations: u64,
    /// What they are.
    pub shares: Shares,
    /// Which records they are about.
    pub distribution: Distribution,
    /// What a write waits for.
    pub durability: Durability,
    /// Machines that ask.
    pub clients: u32,
    /// Operations at once of each.
    pub threads: u32,
    /// Operations in a second that all of them ask for together; null: as many as are answered.
    #[serde(default)]
    pub target_per_s: Option<f64>,
}

impl HBase {
    /// Refuses what cannot be simulated on so many workers, naming the key.
    pub(crate) fn check(&self, workers: usize) -> Result<()> {
        whole("hbase.handlers", self.handlers.into(), 1.0, 1e5)?;
        whole("hbase.compacted_files", self.compacted_files.into(), 2.0, 1e3)?;
        whole("hbase.replication", self.replication.into(), 1.0, workers as f64)?;
        whole("hbase.client_cpus", self.client_cpus.into(), 1.0, 1e4)?;
        whole("hbase.flush_bytes", self.flush_bytes, 1.0, 1e15)?;
        whole("hbase.cpu_quota", self.cpu_quota.unwrap_or(1.0), 1e-3, 1.0)?;
        for (name, value) in [
            ("hbase.block_cache_bytes", self.block_cache_bytes),
            ("hbase.page_cache_bytes", self.page_cache_bytes),
            ("hbase.memstore_bytes", self.memstore_bytes),
        ] {
            whole(name, value, 0.0, 1e15)?;
        }
        for (number, program) in self.programs.iter().enumerate() {
            program.check(&format!("hbase.programs[{number}]"))?;
        }
        Ok(())
    }
}

impl Program {
    fn check(&self, path: &str) -> Result<()> {
        whole(&format!("{path}.records"), self.records as f64, 1.0, 1e13)?;
        whole(&format!("{path}.record_bytes"), self.record_bytes, 1.0, 1e9)?;
        whole(&format!("{path}.update_bytes"), self.update_bytes, 0.0, 1e9)?;
        whole(&format!("{path}.scanned"), self.scanned, 1.0, 1e6)?;
        whole(&format!("{path}.regions"), self.regions.into(), 1.0, 1e7)?;
        whole(&format!("{path}.operations"), self.operations as f64, 1.0, 1e15)?;
        whole(&format!("{path}.clients"), self.clients.into(), 1.0, 1e4)?;
        whole(&format!("{path}.threads"), self.threads.into(), 1.0, 1e5)?;
        if let Some(target) = self.target_per_s {
            whole(&format!("{path}.target_per_s"), target, 1e-3, 1e9)?;
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

fn whole(path: &str, value: f64, least: f64, most: f64) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let hint = format!("give from {least} to {most}");
    Err(Error::input(path, format!("{value} is out of range"), hint))
}

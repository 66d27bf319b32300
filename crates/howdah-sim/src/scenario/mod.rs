//! Scenarios: hosts, network, software and workloads as plain data.
//!
//! Sizes are bytes, rates bytes or bits per second, times seconds. An unknown key is an error, so a misspelt key
//! cannot silently get its default.

mod capacity;
mod check;
mod hosts;
mod software;
mod workloads;

use serde::{Deserialize, Serialize};

pub use check::Limits;
pub use hosts::{DiskGroup, DiskKind, HostGroup, Network, NicGroup, WorkerGroup};
pub use software::{Codec, Coding, Hdfs, Job, Masters, Placement, Protection, Scheduling, SchedulingKind};
pub use workloads::Workload;

use crate::error::{Error, Result};
use crate::hbase::HBase;
use crate::parameters::Parameters;

/// The complete input of a simulation: the same scenario gives the same outcome, byte for byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Groups of identical hosts; hosts are numbered in this order from 0.
    pub hosts: Vec<HostGroup>,
    /// The network between the hosts.
    #[serde(default)]
    pub network: Network,
    /// The file system's settings.
    pub hdfs: Hdfs,
    /// How tasks are assigned to workers.
    pub scheduling: Scheduling,
    /// Settings of a MapReduce job.
    pub job: Job,
    /// The NameNode and the scheduler.
    #[serde(default)]
    pub masters: Masters,
    /// Workloads to run one after another.
    pub workloads: Vec<Workload>,
    /// HBase and its programs; then there are no workloads.
    #[serde(default)]
    pub hbase: Option<HBase>,
    /// The calibrated quantities.
    #[serde(default)]
    pub parameters: Parameters,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// What to record in addition to the summary.
    #[serde(default)]
    pub record: Recording,
    /// Whether a few hosts may represent all, if these are identical.
    #[serde(default)]
    pub quick: bool,
}

/// What to record in addition to the summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recording {
    /// Every task attempt.
    pub tasks: bool,
    /// Samples of every host at this interval, seconds; null: no samples.
    pub sample_interval_s: Option<f64>,
}

impl Scenario {
    /// Parses and checks a scenario in JSON; an [`Error::Input`] names the wrong key.
    pub fn from_json(text: &str) -> Result<Self> {
        let scenario: Self = serde_json::from_str(text)
            .map_err(|error| Error::input("scenario", error.to_string(), "see the fields of Scenario"))?;
        scenario.check()?;
        Ok(scenario)
    }

    /// The largest number of concurrent reduces on a worker.
    pub(crate) fn concurrent_reduces(&self) -> u32 {
        let reduces = self.workloads.iter().filter_map(|workload| match *workload {
            Workload::Terasort { reduces, .. } => Some(reduces),
            _ => None,
        });
        let workers = self
            .hosts
            .iter()
            .map(|group| group.count * group.workers.iter().map(|workers| workers.count).sum::<u32>());
        reduces.max().unwrap_or(0).div_ceil(workers.sum::<u32>().max(1))
    }
}

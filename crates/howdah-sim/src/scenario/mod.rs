//! What is simulated: hosts, network, software and workloads, as plain data.
//!
//! Sizes are bytes, rates bytes or bits per second, times seconds. A key that is not known is refused, so that a
//! misspelt one cannot silently mean its default.

mod check;
mod hosts;
mod room;
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

/// Everything that a simulated run depends on: the same scenario gives the same outcome, byte for byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Groups of equal hosts; hosts are numbered in this order from 0.
    pub hosts: Vec<HostGroup>,
    /// What joins the hosts.
    #[serde(default)]
    pub network: Network,
    /// The file system's settings.
    pub hdfs: Hdfs,
    /// How tasks come to workers.
    pub scheduling: Scheduling,
    /// Settings of a MapReduce job.
    pub job: Job,
    /// The NameNode and the scheduler.
    #[serde(default)]
    pub masters: Masters,
    /// What runs, one after another.
    pub workloads: Vec<Workload>,
    /// HBase, where that is what is asked; then no other workload runs.
    #[serde(default)]
    pub hbase: Option<HBase>,
    /// The calibrated quantities.
    #[serde(default)]
    pub parameters: Parameters,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// What to write down.
    #[serde(default)]
    pub record: Record,
    /// Whether a few hosts may stand for all, where these are alike.
    #[serde(default)]
    pub quick: bool,
}

/// What is written down beside the summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Record {
    /// One row for each task attempt.
    pub tasks: bool,
    /// Samples of every host at this interval, seconds; none where it is null.
    pub sample_interval_s: Option<f64>,
}

impl Scenario {
    /// Reads a scenario from JSON and checks it; an [`Error::Input`] names the key at fault.
    pub fn from_json(text: &str) -> Result<Self> {
        let scenario: Self = serde_json::from_str(text)
            .map_err(|error| Error::input("scenario", error.to_string(), "see the fields of Scenario"))?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Reduces that run on a worker at once at the most, as far as there are any.
    pub(crate) fn reduces_at_once(&self) -> u32 {
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

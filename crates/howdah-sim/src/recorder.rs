//! Records what happens during a simulation.

use crate::attempt::{Attempt, Kind, State};
use crate::cluster::Cluster;
use crate::models::scheduling::Locality;
use crate::outcome::{Outcome, PhaseSummary, WorkloadSummary};
use crate::scenario::Recording;
use crate::time::Time;
use crate::totals::{HostTotals, Totals};

/// Collects the outcome.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    outcome: Outcome,
    tasks: bool,
    /// Totals at the start of the current phase.
    begun: Totals,
}

impl Recorder {
    pub(crate) fn new(record: &Recording) -> Self {
        Self { tasks: record.tasks, ..Self::default() }
    }

    pub(crate) fn begin_workload(&mut self, kind: &'static str, begun: Totals) {
        let start_ns = begun.time.0;
        self.outcome.summary.workloads.push(WorkloadSummary {
            kind: kind.into(),
            start_ns,
            ..Default::default()
        });
        self.begun = begun;
    }

    /// The current workload.
    pub(crate) fn workload(&mut self) -> &mut WorkloadSummary {
        self.outcome.summary.workloads.last_mut().expect("a workload is begun before anything is counted")
    }

    /// Ends the phase that began with the workload or at the end of the phase before.
    pub(crate) fn end_phase(&mut self, name: &'static str, cluster: &Cluster, ended: Totals) {
        let phase = phase(name, cluster, &self.begun, &ended);
        self.begun = ended;
        self.workload().phases.push(phase);
    }

    pub(crate) fn end_workload(&mut self, now: Time) {
        self.workload().end_ns = now.0;
    }

    pub(crate) fn end_attempt(&mut self, attempt: &Attempt, host: u32, now: Time) {
        if attempt.kind == Kind::Map && attempt.state == State::Active {
            let locality = &mut self.workload().locality;
            match attempt.locality {
                Locality::Worker => locality.worker += 1,
                Locality::Host => locality.host += 1,
                Locality::Rack => locality.rack += 1,
                Locality::Away => locality.away += 1,
            }
        }
        if self.tasks {
            let workload = (self.outcome.summary.workloads.len() - 1) as u8;
            self.outcome.tasks.push(workload, attempt, host, now);
        }
    }

    pub(crate) fn sample(&mut self, now: Time, host: u32, metric: u8, value: f64) {
        self.outcome.samples.push(now, host, metric, value);
    }

    pub(crate) fn finish(mut self, activities: u64) -> Outcome {
        self.outcome.summary.activities = activities;
        self.outcome
    }
}

fn phase(name: &'static str, cluster: &Cluster, begun: &Totals, ended: &Totals) -> PhaseSummary {
    let seconds = ended.time.since(begun.time);
    let share = |before: f64, after: f64| if seconds > 0.0 { (after - before) / seconds } else { 0.0 };
    let mut sums = HostTotals::default();
    let mut busy = 0.0;
    for (number, host) in cluster.hosts.iter().enumerate() {
        let (before, after) = (begun.hosts[number], ended.hosts[number]);
        sums.read_bytes += after.read_bytes - before.read_bytes;
        sums.written_bytes += after.written_bytes - before.written_bytes;
        sums.received_bytes += after.received_bytes - before.received_bytes;
        sums.sent_bytes += after.sent_bytes - before.sent_bytes;
        busy += share(before.busy_s, after.busy_s) / host.processors.count();
    }
    let working = cluster.hosts.iter().filter(|host| !host.workers.is_empty()).count();
    PhaseSummary {
        name,
        start_ns: begun.time.0,
        end_ns: ended.time.0,
        disk_read_bytes: sums.read_bytes,
        disk_written_bytes: sums.written_bytes,
        received_bytes: sums.received_bytes,
        sent_bytes: sums.sent_bytes,
        cpu_busy: busy / working as f64,
        namenode_busy: share(begun.namenode_s, ended.namenode_s),
        scheduler_busy: share(begun.scheduler_s, ended.scheduler_s),
    }
}

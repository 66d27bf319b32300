//! Busy hardware threads of each host, as its operating system would count them.
//!
//! If *n* threads want to run, no more than there are hardware threads, each gets *C(n)/n* core-seconds per second
//! of the capacity *C*; a use of *u* core-seconds per second is then *u·n/C(n)* running threads. Updates are frequent
//! enough that n hardly changes in between.

use crate::cluster::Cluster;
use crate::machine::Machine;
use crate::sharing::Network;
use crate::time::Time;
use crate::uses::PLAIN_USE;

/// Seconds between two updates.
const INTERVAL_S: f64 = 4.0;

/// Busy threads by host.
#[derive(Clone, Debug)]
pub(crate) struct CpuMeter {
    last: Time,
    used: Vec<f64>,
    busy_s: Vec<f64>,
}

impl CpuMeter {
    pub(crate) fn new(hosts: usize) -> Self {
        Self { last: Time::ZERO, used: vec![0.0; hosts], busy_s: vec![0.0; hosts] }
    }

    /// When the next update is due.
    pub(crate) fn due(&self) -> Time {
        self.last.after(INTERVAL_S)
    }

    /// Updates every host.
    pub(crate) fn update(&mut self, now: Time, cluster: &Cluster, network: &mut Network<Machine>) {
        let elapsed = now.since(self.last);
        if elapsed == 0.0 {
            return;
        }
        for ((host, before), busy_s) in cluster.hosts.iter().zip(&mut self.used).zip(&mut self.busy_s) {
            let used = network.used(now, host.cpu, PLAIN_USE);
            let demand = network.load(host.cpu).total_demand();
            *busy_s += host.processors.busy((used - *before) / elapsed, demand) * elapsed;
            *before = used;
        }
        self.last = now;
    }

    /// Busy thread-seconds of a host since the start of the run.
    pub(crate) fn busy_s(&self, host: usize) -> f64 {
        self.busy_s[host]
    }
}

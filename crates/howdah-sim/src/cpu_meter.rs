//! How many hardware threads of each host are busy, as its operating system would count them.
//!
//! With *n* threads that want to run, no more than there are hardware threads, each gets *C(n)/n* core-seconds per second
//! of the capacity *C*; a use of *u* core-seconds per second is then *u·n/C(n)* threads that run. It is looked at often
//! enough that n hardly changes in between.

use crate::cluster::Cluster;
use crate::machine::Machine;
use crate::sharing::Network;
use crate::time::Time;

/// Seconds between two looks.
const INTERVAL_S: f64 = 4.0;

/// Class of every use of a processor.
const ONLY: u8 = 0;

/// Busy threads by host.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    last: Time,
    used: Vec<f64>,
    busy_s: Vec<f64>,
}

impl Meter {
    pub(crate) fn new(hosts: usize) -> Self {
        Self { last: Time::ZERO, used: vec![0.0; hosts], busy_s: vec![0.0; hosts] }
    }

    /// When it should look again.
    pub(crate) fn due(&self) -> Time {
        self.last.after(INTERVAL_S)
    }

    /// Looks at every host.
    pub(crate) fn look(&mut self, now: Time, cluster: &Cluster, network: &mut Network<Machine>) {
        let elapsed = now.since(self.last);
        if elapsed == 0.0 {
            return;
        }
        for ((host, before), busy_s) in cluster.hosts.iter().zip(&mut self.used).zip(&mut self.busy_s) {
            let used = network.used(now, host.cpu, ONLY);
            let demand = network.load(host.cpu).all_demand();
            *busy_s += host.processors.busy((used - *before) / elapsed, demand) * elapsed;
            *before = used;
        }
        self.last = now;
    }

    /// Thread-seconds that a host was busy since the start of the run.
    pub(crate) fn busy_s(&self, host: usize) -> f64 {
        self.busy_s[host]
    }
}

//! Samples of every host at equal intervals of simulated time.

use crate::cluster::Cluster;
use crate::recorder::Recorder;
use crate::time::Time;
use crate::totals::HostTotals;

/// Samples the totals of hosts.
#[derive(Debug)]
pub(crate) struct Sampler {
    interval_s: f64,
    next: Time,
    last: Option<Time>,
}

impl Sampler {
    pub(crate) fn new(interval_s: f64) -> Self {
        Self { interval_s, next: Time::ZERO, last: None }
    }

    /// When the next sample is due.
    pub(crate) fn due(&self) -> Time {
        self.next
    }

    /// Records the totals of each host in the order of `Samples::METRICS`; only once at the same time.
    pub(crate) fn take(
        &mut self,
        now: Time,
        cluster: &Cluster,
        hosts: &[HostTotals],
        recorder: &mut Recorder,
    ) {
        if now >= self.next {
            self.next = self.next.after(self.interval_s);
        }
        if self.last == Some(now) {
            return;
        }
        for (number, totals) in hosts.iter().enumerate() {
            let idle_s = now.seconds() * cluster.hosts[number].processors.count() - totals.busy_s;
            let values = [
                totals.busy_s,
                idle_s.max(0.0),
                totals.read_bytes,
                totals.written_bytes,
                totals.received_bytes,
                totals.sent_bytes,
            ];
            for (metric, value) in (0..).zip(values) {
                recorder.sample(now, number as u32, metric, value);
            }
        }
        self.last = Some(now);
    }
}

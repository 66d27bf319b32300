//! Samples of the machine's counters.

use serde::Serialize;

use super::machine::Machine;
use crate::time::{SECOND, Time};

/// Counters since the start of the run, sampled at its start and at every interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Samples {
    /// The time of each sample.
    pub time_ns: Vec<i64>,
    /// CPU seconds used.
    pub cpu_s: Vec<f64>,
    /// Bytes read, by directory.
    pub read_bytes: Vec<Vec<f64>>,
    /// Bytes written, by directory.
    pub written_bytes: Vec<Vec<f64>>,
}

/// Takes samples at intervals of simulated time.
#[derive(Debug)]
pub struct Sampler {
    interval: i64,
    next: Time,
    samples: Samples,
}

impl Sampler {
    /// A sampler without samples.
    pub fn new(interval_s: f64) -> Self {
        let interval = ((interval_s * SECOND as f64) as i64).max(1);
        Self { interval, next: Time::ZERO, samples: Samples::default() }
    }

    /// Takes every sample due until a time, before anything changes at that time.
    pub fn catch_up(&mut self, machine: &mut Machine, until: Time) {
        while self.next <= until {
            self.take(machine, self.next);
            self.next = self.next + self.interval;
        }
    }

    /// Takes a last sample and returns all.
    pub fn finish(mut self, machine: &mut Machine, end: Time) -> Samples {
        self.catch_up(machine, end);
        if self.samples.time_ns.last() != Some(&end.0) {
            self.take(machine, end);
        }
        self.samples
    }

    fn take(&mut self, machine: &mut Machine, now: Time) {
        let (cpu_s, disks) = machine.totals(now);
        self.samples.time_ns.push(now.0);
        self.samples.cpu_s.push(cpu_s);
        self.samples.read_bytes.push(disks.iter().map(|disk| disk.0).collect());
        self.samples.written_bytes.push(disks.iter().map(|disk| disk.1).collect());
    }
}

//! Durations of operations, counted by microseconds with a resolution of a thousandth, as in HdrHistogram.

use std::collections::BTreeMap;

use serde::Serialize;

use super::operation::Operation;

/// Longer times are rounded to this many steps.
const RESOLUTION: f64 = 10_000.0;

/// Durations of one kind of operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    counts: BTreeMap<u64, u64>,
}

/// The durations of an outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Latencies {
    /// The operation by YCSB's name.
    pub operation: String,
    /// Durations, microseconds.
    pub microseconds: Vec<u64>,
    /// Operations with each of these durations.
    pub counts: Vec<u64>,
}

/// The operations that ended in an interval of the simulated time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Interval {
    /// Seconds since the start of the measurement.
    pub start_s: f64,
    /// Seconds since the start of the measurement.
    pub end_s: f64,
    /// Durations by kind of operation.
    pub latencies: Vec<Latencies>,
}

/// Durations of every kind of operation, from its start and from its intended start.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationTimes {
    pub(crate) measured: [Histogram; 5],
    pub(crate) intended: [Histogram; 5],
}

impl OperationTimes {
    /// The durations of all kinds that occurred, in the order of [`Operation::ALL`].
    pub(crate) fn into_latencies(self) -> Vec<Latencies> {
        let measured =
            Operation::ALL.iter().zip(self.measured).map(|(kind, times)| times.into_latencies(kind.name()));
        let intended = Operation::ALL
            .iter()
            .zip(self.intended)
            .map(|(kind, times)| times.into_latencies(&format!("{}, intended", kind.name())));
        measured.chain(intended).filter(|latencies| !latencies.counts.is_empty()).collect()
    }
}

impl Histogram {
    pub(crate) fn count(&mut self, seconds: f64) {
        let microseconds = (seconds * 1e6).round().max(1.0);
        let step = 10_f64.powi((microseconds / RESOLUTION).log10().ceil().max(0.0) as i32);
        *self.counts.entry(((microseconds / step).round() * step) as u64).or_default() += 1;
    }

    pub(crate) fn into_latencies(self, operation: &str) -> Latencies {
        let (microseconds, counts) = self.counts.into_iter().unzip();
        Latencies { operation: operation.to_owned(), microseconds, counts }
    }
}

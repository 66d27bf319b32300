//! How long operations took, counted by microseconds: to a thousandth of themselves, as HdrHistogram keeps them.

use std::collections::BTreeMap;

use serde::Serialize;

/// Longer times are rounded to so many steps.
const KEPT: f64 = 10_000.0;

/// Times of one kind of operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    counts: BTreeMap<u64, u64>,
}

/// Times as an outcome has them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Latencies {
    /// What was timed, by YCSB's word.
    pub operation: String,
    /// Microseconds.
    pub microseconds: Vec<u64>,
    /// How many operations took each of them.
    pub counts: Vec<u64>,
}

impl Times {
    pub(crate) fn count(&mut self, seconds: f64) {
        let microseconds = (seconds * 1e6).round().max(1.0);
        let step = 10_f64.powi((microseconds / KEPT).log10().ceil().max(0.0) as i32);
        *self.counts.entry(((microseconds / step).round() * step) as u64).or_default() += 1;
    }

    pub(crate) fn told(self, operation: &str) -> Latencies {
        let (microseconds, counts) = self.counts.into_iter().unzip();
        Latencies { operation: operation.to_owned(), microseconds, counts }
    }
}

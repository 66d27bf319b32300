//! How long operations took, counted by microseconds: to a thousandth of themselves, as HdrHistogram keeps them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::operation::Operation;

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

/// What ended in one stretch of the time that was simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Interval {
    /// Seconds since counting began.
    pub start_s: f64,
    /// Seconds since counting began.
    pub end_s: f64,
    /// Times of operations, kind by kind.
    pub latencies: Vec<Latencies>,
}

/// Times of every kind of operation, and of those from when they should have begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimesOfAll {
    pub(crate) asked: [Times; 5],
    pub(crate) intended: [Times; 5],
}

impl TimesOfAll {
    /// Those kinds that there were, in the order of [`Operation::ALL`].
    pub(crate) fn told(self) -> Vec<Latencies> {
        let asked = Operation::ALL.iter().zip(self.asked).map(|(kind, times)| times.told(kind.word()));
        let intended = Operation::ALL
            .iter()
            .zip(self.intended)
            .map(|(kind, times)| times.told(&format!("{}, intended", kind.word())));
        asked.chain(intended).filter(|latencies| !latencies.counts.is_empty()).collect()
    }
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

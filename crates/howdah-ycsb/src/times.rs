//! Latencies: a histogram for each kind of operation and interval, merged over threads.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use howdah_sort::{Context, TimedInterval};

use crate::mix::{OPERATIONS, Operation};

const MAX_MICROSECONDS: u64 = 3_600_000_000;
const DIGITS: u8 = 3;

/// Two series for each operation: from its start, and from its intended start.
const SERIES: usize = 2 * OPERATIONS.len();

/// One thread's times in one interval; a series without operations has no histogram.
#[derive(Default)]
pub struct Times {
    series: [Option<Histogram<u32>>; SERIES],
}

impl Times {
    /// Records an operation's time, and its time since the intended start.
    pub fn record(&mut self, operation: Operation, took: Duration, intended: Option<Duration>) {
        self.note(2 * operation as usize, took);
        if let Some(intended) = intended {
            self.note(2 * operation as usize + 1, intended);
        }
    }

    fn note(&mut self, series: usize, took: Duration) {
        // Histograms start small and grow with the longest time: thousands of threads each have several.
        let histogram = self.series[series].get_or_insert_with(|| {
            let mut histogram = Histogram::new(DIGITS).expect("three digits are allowed");
            histogram.auto(true);
            histogram
        });
        let microseconds = ((took.as_nanos() + 500) / 1000).clamp(1, u128::from(MAX_MICROSECONDS)) as u64;
        histogram.record(microseconds).expect("the histogram grows");
    }
}

/// Times of all threads, of one interval or several.
#[derive(Default)]
pub struct MergedTimes {
    series: [Option<Histogram<u64>>; SERIES],
}

impl MergedTimes {
    /// Adds the times of a thread.
    pub fn add(&mut self, times: &Times) {
        for (sum, histogram) in self.series.iter_mut().zip(&times.series) {
            if let Some(histogram) = histogram {
                let sum = sum.get_or_insert_with(|| {
                    Histogram::new_with_bounds(1, MAX_MICROSECONDS, DIGITS).expect("these bounds are allowed")
                });
                for value in histogram.iter_recorded() {
                    sum.record_n(value.value_iterated_to(), value.count_at_value().into())
                        .expect("it has the bounds");
                }
            }
        }
    }

    /// For each series its name, the number of operations, and HdrHistogram's compressed form (V2).
    pub fn encoded(&self) -> Vec<(&'static str, u64, Vec<u8>)> {
        let names = OPERATIONS.iter().flat_map(|operation| [operation.name(), operation.intended()]);
        let recorded = names.zip(&self.series).filter_map(|(name, series)| Some((name, series.as_ref()?)));
        recorded.map(|(name, histogram)| (name, histogram.len(), encoded(histogram))).collect()
    }
}

fn encoded(histogram: &Histogram<u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("memory takes what is written to it");
    bytes
}

/// Intervals that at least one thread has not left.
pub struct Intervals<'a> {
    context: &'a Context,
    start: Duration,
    length: Duration,
    /// The current interval of each thread.
    reached: Vec<u64>,
    open: BTreeMap<u64, MergedTimes>,
    total: MergedTimes,
}

impl<'a> Intervals<'a> {
    /// Consecutive intervals of one length from `start` on.
    pub fn new(context: &'a Context, start: Duration, length: Duration, threads: usize) -> Self {
        let (reached, open) = (vec![0; threads], BTreeMap::new());
        Self { context, start, length, reached, open, total: MergedTimes::default() }
    }

    /// Adds a thread's times of an interval. The thread is now in interval `reached` and has no more times
    /// of earlier ones.
    pub fn add(&mut self, thread: usize, interval: u64, times: &Times, reached: u64) {
        self.open.entry(interval).or_default().add(times);
        self.total.add(times);
        self.reached[thread] = reached;
        let oldest = self.reached.iter().copied().min().unwrap_or(u64::MAX);
        while let Some(entry) = self.open.first_entry().filter(|entry| *entry.key() < oldest) {
            let (interval, times) = entry.remove_entry();
            let start = self.start + self.length * interval as u32;
            for (name, operations, histogram) in times.encoded() {
                let end = start + self.length;
                self.context.finish_interval(TimedInterval { name, start, end, operations, histogram });
            }
        }
    }

    /// The times of all intervals.
    pub fn total(self) -> MergedTimes {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times_of(microseconds: &[u64]) -> Times {
        let mut times = Times::default();
        for &microseconds in microseconds {
            times.record(Operation::Read, Duration::from_micros(microseconds), None);
        }
        times
    }

    fn merged(threads: &[&[u64]]) -> Vec<(&'static str, u64, Vec<u8>)> {
        let mut merged = MergedTimes::default();
        threads.iter().for_each(|thread| merged.add(&times_of(thread)));
        merged.encoded()
    }

    proptest! {
        #[test]
        fn merged_times_do_not_depend_on_the_division_into_threads(
            first in prop::collection::vec(0u64..5_000_000_000, 1..40),
            second in prop::collection::vec(0u64..5_000, 1..40),
        ) {
            let all: Vec<u64> = first.iter().chain(&second).copied().collect();
            prop_assert_eq!(merged(&[&first, &second]), merged(&[&all]));
        }
    }

    #[test]
    fn an_interval_is_reported_once_every_thread_has_left_it() {
        let context = Context::default();
        let second = Duration::from_secs(1);
        let mut intervals = Intervals::new(&context, second, second, 2);
        intervals.add(0, 0, &times_of(&[5, 6]), 1);
        intervals.add(0, 1, &times_of(&[7]), 3);
        assert!(context.take_intervals().is_empty());
        intervals.add(1, 0, &times_of(&[8]), 2);
        let spans: Vec<_> = context
            .take_intervals()
            .iter()
            .map(|interval| (interval.start.as_secs(), interval.end.as_secs(), interval.operations))
            .collect();
        assert_eq!(spans, [(1, 2, 3), (2, 3, 1)]);
        intervals.add(0, 3, &times_of(&[1]), u64::MAX);
        intervals.add(1, 2, &times_of(&[]), u64::MAX);
        assert_eq!(context.take_intervals().len(), 1);
        assert_eq!(intervals.total().encoded()[0].1, 5);
    }
}

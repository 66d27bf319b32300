//! How long operations took: one histogram for each kind and interval, merged over threads.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use howdah_sort::{Context, TimedInterval};

use crate::mix::{OPERATIONS, Operation};

const MOST_MICROSECONDS: u64 = 3_600_000_000;
const DIGITS: u8 = 3;

/// Kinds of times: of each operation from its start, and from where it should have started.
const SERIES: usize = 2 * OPERATIONS.len();

/// One thread's times in one interval, of each kind that there were any of.
#[derive(Default)]
pub struct Times {
    series: [Option<Histogram<u32>>; SERIES],
}

impl Times {
    /// Notes what an operation took, and what it took from where it should have started.
    pub fn record(&mut self, operation: Operation, took: Duration, intended: Option<Duration>) {
        self.note(2 * operation as usize, took);
        if let Some(intended) = intended {
            self.note(2 * operation as usize + 1, intended);
        }
    }

    fn note(&mut self, series: usize, took: Duration) {
        // Small at first: it grows with the longest time, and with thousands of threads there are as many.
        let histogram = self.series[series].get_or_insert_with(|| {
            let mut histogram = Histogram::new(DIGITS).expect("three digits are allowed");
            histogram.auto(true);
            histogram
        });
        let microseconds = ((took.as_nanos() + 500) / 1000).clamp(1, u128::from(MOST_MICROSECONDS)) as u64;
        histogram.record(microseconds).expect("the histogram grows");
    }
}

/// All threads' times, of one interval or of several.
#[derive(Default)]
pub struct MergedTimes {
    series: [Option<Histogram<u64>>; SERIES],
}

impl MergedTimes {
    /// Adds a thread's times.
    pub fn add(&mut self, times: &Times) {
        for (sum, histogram) in self.series.iter_mut().zip(&times.series) {
            if let Some(histogram) = histogram {
                let sum = sum.get_or_insert_with(|| {
                    Histogram::new_with_bounds(1, MOST_MICROSECONDS, DIGITS)
                        .expect("these bounds are allowed")
                });
                for value in histogram.iter_recorded() {
                    sum.record_n(value.value_iterated_to(), value.count_at_value().into())
                        .expect("it has the bounds");
                }
            }
        }
    }

    /// Each kind of times by name, with how many there are and HdrHistogram's compressed form of them (V2).
    pub fn encoded(&self) -> Vec<(&'static str, u64, Vec<u8>)> {
        let names = OPERATIONS.iter().flat_map(|operation| [operation.name(), operation.intended()]);
        let found = names.zip(&self.series).filter_map(|(name, histogram)| Some((name, histogram.as_ref()?)));
        found.map(|(name, histogram)| (name, histogram.len(), encoded(histogram))).collect()
    }
}

fn encoded(histogram: &Histogram<u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("memory takes what is written to it");
    bytes
}

/// Intervals that some thread is still in.
pub struct Intervals<'a> {
    context: &'a Context,
    start: Duration,
    length: Duration,
    /// The interval that each thread is in.
    reached: Vec<u64>,
    open: BTreeMap<u64, MergedTimes>,
    whole: MergedTimes,
}

impl<'a> Intervals<'a> {
    /// Intervals of that length from `start` on, which so many threads go through.
    pub fn new(context: &'a Context, start: Duration, length: Duration, threads: usize) -> Self {
        let (reached, open) = (vec![0; threads], BTreeMap::new());
        Self { context, start, length, reached, open, whole: MergedTimes::default() }
    }

    /// Takes a thread's times of an interval; it says nothing of earlier ones than `reached` any more.
    pub fn take(&mut self, thread: usize, interval: u64, times: &Times, reached: u64) {
        self.open.entry(interval).or_default().add(times);
        self.whole.add(times);
        self.reached[thread] = reached;
        let least = self.reached.iter().copied().min().unwrap_or(u64::MAX);
        while let Some(entry) = self.open.first_entry().filter(|entry| *entry.key() < least) {
            let (interval, times) = entry.remove_entry();
            let start = self.start + self.length * interval as u32;
            for (name, operations, histogram) in times.encoded() {
                let end = start + self.length;
                self.context.finish_interval(TimedInterval { name, start, end, operations, histogram });
            }
        }
    }

    /// The times of all intervals.
    pub fn whole(self) -> MergedTimes {
        self.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(microseconds: &[u64]) -> Times {
        let mut times = Times::default();
        for &took in microseconds {
            times.record(Operation::Read, Duration::from_micros(took), None);
        }
        times
    }

    fn merged(threads: &[&[u64]]) -> Vec<(&'static str, u64, Vec<u8>)> {
        let mut merged = MergedTimes::default();
        threads.iter().for_each(|thread| merged.add(&of(thread)));
        merged.encoded()
    }

    proptest! {
        #[test]
        fn two_threads_times_are_those_of_one_with_all(
            one in prop::collection::vec(0u64..5_000_000_000, 1..40),
            other in prop::collection::vec(0u64..5_000, 1..40),
        ) {
            let all: Vec<u64> = one.iter().chain(&other).copied().collect();
            prop_assert_eq!(merged(&[&one, &other]), merged(&[&all]));
        }
    }

    #[test]
    fn an_interval_is_told_once_every_thread_has_left_it() {
        let context = Context::default();
        let second = Duration::from_secs(1);
        let mut intervals = Intervals::new(&context, second, second, 2);
        intervals.take(0, 0, &of(&[5, 6]), 1);
        intervals.take(0, 1, &of(&[7]), 3);
        assert!(context.take_intervals().is_empty());
        intervals.take(1, 0, &of(&[8]), 2);
        let told: Vec<_> = context.take_intervals();
        let spans: Vec<_> =
            told.iter().map(|one| (one.start.as_secs(), one.end.as_secs(), one.operations)).collect();
        assert_eq!(spans, [(1, 2, 3), (2, 3, 1)]);
        intervals.take(0, 3, &of(&[1]), u64::MAX);
        intervals.take(1, 2, &of(&[]), u64::MAX);
        assert_eq!(context.take_intervals().len(), 1);
        assert_eq!(intervals.whole().encoded()[0].1, 5);
    }
}

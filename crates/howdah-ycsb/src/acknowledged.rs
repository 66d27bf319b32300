//! Counts the records that can be read while inserts are in flight.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Numbers for inserts, and the number below which every insert is acknowledged.
///
/// Inserts end in a different order than they begin. A record may be read only after every insert
/// with a smaller number is acknowledged.
#[derive(Debug)]
pub struct AcknowledgedCounter {
    next: AtomicU64,
    acknowledged: AtomicU64,
    /// Acknowledged before a smaller number was; at most one for each thread.
    early: Mutex<BTreeSet<u64>>,
}

impl AcknowledgedCounter {
    /// A table with records 0 to below `records`.
    pub fn new(records: u64) -> Self {
        Self { next: AtomicU64::new(records), acknowledged: AtomicU64::new(records), early: Mutex::default() }
    }

    /// The number of the next record to insert.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Marks an insert as acknowledged.
    pub fn acknowledge(&self, number: u64) {
        let mut early = self.early.lock().unwrap_or_else(PoisonError::into_inner);
        early.insert(number);
        let mut readable = self.acknowledged.load(Ordering::Relaxed);
        while early.first() == Some(&readable) {
            early.pop_first();
            readable += 1;
        }
        self.acknowledged.store(readable, Ordering::Release);
    }

    /// Records 0 to below this number can be read.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_once_all_before_it_are_acknowledged() {
        let counter = AcknowledgedCounter::new(5);
        let numbers: Vec<u64> = (0..4).map(|_| counter.next()).collect();
        assert_eq!(numbers, [5, 6, 7, 8]);
        counter.acknowledge(7);
        counter.acknowledge(6);
        assert_eq!(counter.acknowledged(), 5);
        counter.acknowledge(5);
        assert_eq!(counter.acknowledged(), 8);
    }
}

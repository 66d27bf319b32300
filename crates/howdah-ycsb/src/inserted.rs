//! Which records are there while others are being inserted.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Numbers handed out to those who insert, and how far all before have been acknowledged.
///
/// What is read must have been inserted: insertions end in another order than they began in, so a number
/// counts only once every smaller one has been acknowledged.
#[derive(Debug)]
pub struct Inserted {
    next: AtomicU64,
    acknowledged: AtomicU64,
    /// Acknowledged before a smaller one; at most one for each thread.
    early: Mutex<BTreeSet<u64>>,
}

impl Inserted {
    /// A table with records 0 to below `records`.
    pub fn new(records: u64) -> Self {
        Self { next: AtomicU64::new(records), acknowledged: AtomicU64::new(records), early: Mutex::default() }
    }

    /// The number of the next record to insert.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Says that a record has been inserted.
    pub fn acknowledge(&self, number: u64) {
        let mut early = self.early.lock().unwrap_or_else(PoisonError::into_inner);
        early.insert(number);
        let mut there = self.acknowledged.load(Ordering::Relaxed);
        while early.first() == Some(&there) {
            early.pop_first();
            there += 1;
        }
        self.acknowledged.store(there, Ordering::Release);
    }

    /// Records 0 to below this one are there.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_once_all_before_it_are_acknowledged() {
        let inserted = Inserted::new(5);
        let numbers: Vec<u64> = (0..4).map(|_| inserted.next()).collect();
        assert_eq!(numbers, [5, 6, 7, 8]);
        inserted.acknowledge(7);
        inserted.acknowledge(6);
        assert_eq!(inserted.acknowledged(), 5);
        inserted.acknowledge(5);
        assert_eq!(inserted.acknowledged(), 8);
    }
}

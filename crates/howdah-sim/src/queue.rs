//! Events in the order of their times; events of the same time in the order of their arrival.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::time::Time;

/// A queue of events.
#[derive(Debug)]
pub struct Queue<E> {
    heap: BinaryHeap<Entry<E>>,
    pushed: u64,
    now: Time,
}

#[derive(Debug)]
struct Entry<E> {
    time: Time,
    sequence: u64,
    event: E,
}

impl<E> Queue<E> {
    /// A queue without events, at the start of the run.
    #[must_use]
    pub fn new() -> Self {
        Queue { heap: BinaryHeap::new(), pushed: 0, now: Time::ZERO }
    }

    /// Adds an event.
    ///
    /// # Panics
    /// If an event of a later time was removed before.
    pub fn push(&mut self, time: Time, event: E) {
        assert!(time >= self.now, "an event at {time:?} comes after one at {:?}", self.now);
        self.heap.push(Entry { time, sequence: self.pushed, event });
        self.pushed += 1;
    }

    /// When the next event is due.
    #[must_use]
    pub fn due(&self) -> Option<Time> {
        self.heap.peek().map(|entry| entry.time)
    }

    /// Removes the next event.
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let Entry { time, event, .. } = self.heap.pop()?;
        self.now = time;
        Some((time, event))
    }
}

impl<E> Default for Queue<E> {
    fn default() -> Self {
        Queue::new()
    }
}

// The heap returns its greatest entry first, so the earliest entry must be the greatest.
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.sequence).cmp(&(self.time, self.sequence))
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.sequence == other.sequence
    }
}

impl<E> Eq for Entry<E> {}

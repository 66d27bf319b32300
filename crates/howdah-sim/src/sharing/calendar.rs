//! The times at which flows are due: a heap with entries that can be moved and removed.

use crate::time::Time;

/// Children of an entry. Four fit into a cache line, and the heap is half as deep as with two.
const CHILDREN: usize = 4;

/// The position of an entry that is not in the heap.
const UNPLACED: u32 = u32::MAX;

/// Slots by the time at which they are due; for the same time by slot.
///
/// An entry whose time is postponed is not moved until it is the first: most are moved again before that.
#[derive(Debug, Default)]
pub struct Calendar {
    heap: Vec<(Time, u32)>,
    entries: Vec<Entry>,
}

/// The entry of a slot.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// When it is due.
    due: Time,
    /// Its position in the heap.
    position: u32,
}

impl Calendar {
    /// The earliest entry.
    pub fn first(&mut self) -> Option<(Time, u32)> {
        loop {
            let &(time, slot) = self.heap.first()?;
            let due = self.entries[slot as usize].due;
            if due == time {
                return Some((time, slot));
            }
            self.sift(0, (due, slot));
        }
    }

    /// Adds a slot, or moves it to another time.
    pub fn set(&mut self, slot: u32, time: Time) {
        let index = slot as usize;
        if self.entries.len() <= index {
            self.entries.resize(index + 1, Entry { due: Time::ZERO, position: UNPLACED });
        }
        let entry = &mut self.entries[index];
        entry.due = time;
        let position = entry.position;
        if position == UNPLACED {
            self.heap.push((time, slot));
            self.sift(self.heap.len() - 1, (time, slot));
        } else if time < self.heap[position as usize].0 {
            self.sift(position as usize, (time, slot));
        }
    }

    /// Removes a slot, if it is in the calendar.
    pub fn drop(&mut self, slot: u32) {
        let Some(entry) = self.entries.get_mut(slot as usize) else { return };
        let position = std::mem::replace(&mut entry.position, UNPLACED) as usize;
        if position == UNPLACED as usize {
            return;
        }
        let last = self.heap.pop().expect("an entry with a place is in the heap");
        if position < self.heap.len() {
            self.sift(position, last);
        }
    }

    /// Moves an entry to its position, starting from a free one.
    fn sift(&mut self, mut position: usize, entry: (Time, u32)) {
        while position > 0 {
            let parent = (position - 1) / CHILDREN;
            if self.heap[parent] <= entry {
                break;
            }
            self.put(position, self.heap[parent]);
            position = parent;
        }
        loop {
            let first = position * CHILDREN + 1;
            let children = first..self.heap.len().min(first + CHILDREN);
            let Some(least) = children.min_by_key(|&child| self.heap[child]) else { break };
            if self.heap[least] >= entry {
                break;
            }
            self.put(position, self.heap[least]);
            position = least;
        }
        self.put(position, entry);
    }

    fn put(&mut self, position: usize, entry: (Time, u32)) {
        self.heap[position] = entry;
        self.entries[entry.1 as usize].position = position as u32;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn entries_come_in_the_order_of_a_sorted_list(steps in prop::collection::vec((0_u32..40, prop::option::of(0_i64..20)), 1..400)) {
            let mut calendar = Calendar::default();
            let mut list = std::collections::BTreeMap::new();
            for (slot, time) in steps {
                if let Some(time) = time {
                    calendar.set(slot, Time(time));
                    list.insert(slot, Time(time));
                } else {
                    calendar.drop(slot);
                    list.remove(&slot);
                }
                let first = list.iter().map(|(&slot, &time)| (time, slot)).min();
                prop_assert_eq!(calendar.first(), first);
            }
        }
    }
}

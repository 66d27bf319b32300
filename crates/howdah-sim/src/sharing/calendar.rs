//! When flows are due: a heap whose entries can be moved and dropped.

use crate::time::Time;

/// Children of an entry. Four lie in a cache line, and the heap is half as deep as with two.
const CHILDREN: usize = 4;

/// An entry that is not in the heap has this place.
const NOWHERE: u32 = u32::MAX;

/// Slots by the time that they are due, the lower slot first where times are equal.
///
/// An entry that is put off keeps its place until it is the first: most are moved again before that.
#[derive(Debug, Default)]
pub struct Calendar {
    heap: Vec<(Time, u32)>,
    entries: Vec<Entry>,
}

/// What is known of a slot.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// When it is due.
    due: Time,
    /// Its place in the heap.
    place: u32,
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
            self.settle(0, (due, slot));
        }
    }

    /// Enters a slot, or moves it to another time.
    pub fn set(&mut self, slot: u32, time: Time) {
        let index = slot as usize;
        if self.entries.len() <= index {
            self.entries.resize(index + 1, Entry { due: Time::ZERO, place: NOWHERE });
        }
        let entry = &mut self.entries[index];
        entry.due = time;
        let place = entry.place;
        if place == NOWHERE {
            self.heap.push((time, slot));
            self.settle(self.heap.len() - 1, (time, slot));
        } else if time < self.heap[place as usize].0 {
            self.settle(place as usize, (time, slot));
        }
    }

    /// Drops a slot, if it is entered.
    pub fn drop(&mut self, slot: u32) {
        let Some(entry) = self.entries.get_mut(slot as usize) else { return };
        let place = std::mem::replace(&mut entry.place, NOWHERE) as usize;
        if place == NOWHERE as usize {
            return;
        }
        let last = self.heap.pop().expect("an entry with a place is in the heap");
        if place < self.heap.len() {
            self.settle(place, last);
        }
    }

    /// Puts an entry where it belongs, given the place that is free.
    fn settle(&mut self, mut place: usize, entry: (Time, u32)) {
        while place > 0 {
            let parent = (place - 1) / CHILDREN;
            if self.heap[parent] <= entry {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        loop {
            let first = place * CHILDREN + 1;
            let children = first..self.heap.len().min(first + CHILDREN);
            let Some(least) = children.min_by_key(|&child| self.heap[child]) else { break };
            if self.heap[least] >= entry {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: (Time, u32)) {
        self.heap[place] = entry;
        self.entries[entry.1 as usize].place = place as u32;
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

//! Many lists in one piece of memory: nothing is allocated for one alone, and large pages hold them all.

/// Where a list lies, and how long it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct List {
    start: u32,
    len: u32,
    room: u32,
}

/// Entries of lists.
#[derive(Debug)]
pub struct Lists<T> {
    entries: Vec<T>,
}

impl List {
    /// Whether it has no entry.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T: Copy> Lists<T> {
    /// No list yet.
    pub fn new() -> Self {
        Lists { entries: Vec::new() }
    }

    /// The entries of a list.
    pub fn of(&self, list: List) -> &[T] {
        let start = list.start as usize;
        &self.entries[start..start + list.len as usize]
    }

    /// Puts an entry at the end of a list.
    ///
    /// A list without room for it moves to the end of all with twice the room; what it leaves is not used again, and
    /// less than what it then has.
    pub fn push(&mut self, list: &mut List, entry: T) {
        if list.len == list.room {
            let from = list.start as usize;
            let start = self.entries.len();
            list.room = (2 * list.room).max(4);
            self.entries.extend_from_within(from..from + list.len as usize);
            self.entries.resize(start + list.room as usize, entry);
            u32::try_from(self.entries.len()).expect("entries are numbered in 32 bits");
            list.start = start as u32;
        }
        self.entries[(list.start + list.len) as usize] = entry;
        list.len += 1;
    }

    /// Takes an entry out; the last one takes its place.
    pub fn swap_remove(&mut self, list: &mut List, place: usize) {
        assert!(place < list.len as usize, "entry {place} of {}", list.len);
        list.len -= 1;
        let start = list.start as usize;
        self.entries[start + place] = self.entries[start + list.len as usize];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_as_if_each_were_alone(steps in prop::collection::vec((0_usize..5, prop::option::of(0_usize..8)), 1..400)) {
            let mut lists = Lists::new();
            let mut ours = [List::default(); 5];
            let mut alone = vec![Vec::new(); 5];
            for (number, (list, removed)) in steps.into_iter().enumerate() {
                match removed {
                    None => {
                        lists.push(&mut ours[list], number);
                        alone[list].push(number);
                    }
                    Some(place) if place < alone[list].len() => {
                        lists.swap_remove(&mut ours[list], place);
                        alone[list].swap_remove(place);
                    }
                    Some(_) => {}
                }
                for (ours, alone) in ours.iter().zip(&alone) {
                    prop_assert_eq!(lists.of(*ours), alone);
                    prop_assert_eq!(ours.is_empty(), alone.is_empty());
                }
            }
        }
    }
}

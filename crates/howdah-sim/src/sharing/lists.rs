//! Many lists in one allocation: no list allocates memory itself, and huge pages can contain all of them.

/// The position and the length of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct List {
    start: u32,
    len: u32,
    capacity: u32,
}

/// The entries of all lists.
#[derive(Debug)]
pub struct Lists<T> {
    entries: Vec<T>,
}

impl List {
    /// Whether it has no entries.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T: Copy> Lists<T> {
    /// No lists.
    pub fn new() -> Self {
        Lists { entries: Vec::new() }
    }

    /// The entries of a list.
    pub fn of(&self, list: List) -> &[T] {
        let start = list.start as usize;
        &self.entries[start..start + list.len as usize]
    }

    /// Appends an entry to a list.
    ///
    /// A full list moves to the end of all with twice the capacity. Its old memory is not reused; it is smaller than the
    /// new.
    pub fn push(&mut self, list: &mut List, entry: T) {
        if list.len == list.capacity {
            let from = list.start as usize;
            let start = self.entries.len();
            list.capacity = (2 * list.capacity).max(4);
            self.entries.extend_from_within(from..from + list.len as usize);
            self.entries.resize(start + list.capacity as usize, entry);
            u32::try_from(self.entries.len()).expect("entries are numbered in 32 bits");
            list.start = start as u32;
        }
        self.entries[(list.start + list.len) as usize] = entry;
        list.len += 1;
    }

    /// Removes an entry; the last one takes its place.
    pub fn swap_remove(&mut self, list: &mut List, index: usize) {
        assert!(index < list.len as usize, "entry {index} of {}", list.len);
        list.len -= 1;
        let start = list.start as usize;
        self.entries[start + index] = self.entries[start + list.len as usize];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_behave_like_separate_vectors(steps in prop::collection::vec((0_usize..5, prop::option::of(0_usize..8)), 1..400)) {
            let mut lists = Lists::new();
            let mut actual = [List::default(); 5];
            let mut expected = vec![Vec::new(); 5];
            for (number, (list, removed)) in steps.into_iter().enumerate() {
                match removed {
                    None => {
                        lists.push(&mut actual[list], number);
                        expected[list].push(number);
                    }
                    Some(index) if index < expected[list].len() => {
                        lists.swap_remove(&mut actual[list], index);
                        expected[list].swap_remove(index);
                    }
                    Some(_) => {}
                }
                for (actual, expected) in actual.iter().zip(&expected) {
                    prop_assert_eq!(lists.of(*actual), expected);
                    prop_assert_eq!(actual.is_empty(), expected.is_empty());
                }
            }
        }
    }
}

//! Merges sorted lists of entries with a loser tree (Knuth, The Art of Computer Programming 3, 5.4.1).

use super::entry::{END, Entry, entry};
use super::prefetch::prefetch;
use crate::record::ROW;

/// A source of ascending entries.
pub trait Sorted {
    /// The next entry, or [`END`].
    fn next(&mut self) -> Entry;
}

/// Sorted entries in memory.
pub struct SortedEntries<'a>(std::slice::Iter<'a, Entry>);

impl<'a> SortedEntries<'a> {
    /// All of `entries`.
    pub fn new(entries: &'a [Entry]) -> Self {
        Self(entries.iter())
    }
}

/// Prefetch distance in bytes. Processors detect only a few dozen streams; a merge reads hundreds, so each list
/// prefetches explicitly.
const LOOK_AHEAD: usize = 256;

impl Sorted for SortedEntries<'_> {
    #[inline]
    fn next(&mut self) -> Entry {
        prefetch(self.0.as_slice().as_ptr().wrapping_byte_add(LOOK_AHEAD));
        self.0.next().copied().unwrap_or(END)
    }
}

/// Sorted rows in an arena; their entries are made on demand.
pub struct SortedRows<'a> {
    arena: &'a [u8],
    at: usize,
    end: usize,
    /// The next entry, made one call early to hide the latency of memory.
    ready: Entry,
}

impl<'a> SortedRows<'a> {
    /// The rows in bytes `at` to `end` of `arena`.
    pub fn new(arena: &'a [u8], at: usize, end: usize) -> Self {
        let mut rows = Self { arena, at, end, ready: END };
        rows.next();
        rows
    }
}

impl Sorted for SortedRows<'_> {
    #[inline]
    fn next(&mut self) -> Entry {
        let next = if self.at < self.end {
            prefetch(self.arena.as_ptr().wrapping_add(self.at + 4 * ROW));
            let next = entry(&self.arena[self.at..], self.at as u64);
            self.at += ROW;
            next
        } else {
            END
        };
        std::mem::replace(&mut self.ready, next)
    }
}

/// Merges sorted lists; each step costs one comparison per level of a binary tree over the lists.
pub struct LoserTree<S> {
    lists: Vec<S>,
    /// `nodes[1..]` contain the loser of the match at each inner node of the tree, `nodes[0]` the winner.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Node {
    entry: Entry,
    list: usize,
}

impl<S: Sorted> LoserTree<S> {
    /// A tree over `lists`.
    pub fn new(mut lists: Vec<S>) -> Self {
        let leaves = lists.len().next_power_of_two();
        let mut winners: Vec<Node> = (0..leaves)
            .map(|list| Node { entry: lists.get_mut(list).map_or(END, Sorted::next), list })
            .collect();
        let mut nodes = vec![Node { entry: END, list: 0 }; leaves];
        let mut level = leaves;
        while level > 1 {
            level /= 2;
            for at in 0..level {
                let (left, right) = (winners[2 * at], winners[2 * at + 1]);
                let left_wins = left.entry <= right.entry;
                nodes[level + at] = if left_wins { right } else { left };
                winners[at] = if left_wins { left } else { right };
            }
        }
        nodes[0] = winners[0];
        Self { lists, nodes }
    }

    /// The smallest remaining entry, or [`END`].
    pub fn peek(&self) -> Entry {
        self.nodes[0].entry
    }

    /// Removes and returns the smallest remaining entry, or [`END`].
    #[inline]
    pub fn pop(&mut self) -> Entry {
        let winner = self.nodes[0];
        if winner.entry == END {
            return END;
        }
        let mut rising = Node { entry: self.lists[winner.list].next(), list: winner.list };
        let mut at = (self.nodes.len() + winner.list) / 2;
        while at > 0 {
            let node = self.nodes[at];
            // The comparison is unpredictable: written so that it compiles to moves, not a branch.
            let swap = node.entry < rising.entry;
            self.nodes[at] = if swap { rising } else { node };
            rising = if swap { node } else { rising };
            at /= 2;
        }
        self.nodes[0] = rising;
        winner.entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merging_equals_sorting(
            mut lists in proptest::collection::vec(proptest::collection::vec(0..1000 as Entry, 0..50), 0..20)
        ) {
            lists.iter_mut().for_each(|list| list.sort_unstable());
            let mut expected = lists.concat();
            expected.sort_unstable();
            let mut tree = LoserTree::new(lists.iter().map(|list| SortedEntries::new(list)).collect());
            for entry in expected {
                prop_assert_eq!(tree.peek(), entry);
                prop_assert_eq!(tree.pop(), entry);
            }
            prop_assert_eq!(tree.pop(), END);
        }
    }
}

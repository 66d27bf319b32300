//! Entries: what is sorted in place of rows.
//!
//! An entry is a row's key in the upper 80 bits of a `u128` and, in the lower 48, where the row is.
//! Plain integer order is therefore key order, with equal keys in the order of their places. Places
//! are handed out in input order, so the sort is stable, its output does not depend on how many
//! threads made it, and no two entries are equal: equal keys can be split over partitions freely.

use super::prefetch::prefetch;
use crate::record::ROW;

/// A row's key and place.
pub type Entry = u128;

/// An entry after all others; no row has it, as no place is this large.
pub const END: Entry = Entry::MAX;

const PLACE_BITS: u32 = 48;
const PLACE: Entry = (1 << PLACE_BITS) - 1;

/// The entry of the row at the start of `row`, which has at least 16 bytes, at `place`.
#[inline]
pub fn entry(row: &[u8], place: u64) -> Entry {
    let head: [u8; 16] = row[..16].try_into().expect("a row has more than 16 bytes");
    (Entry::from_be_bytes(head) & !PLACE) | Entry::from(place)
}

/// The same key at another place.
#[inline]
pub fn moved(entry: Entry, place: u64) -> Entry {
    (entry & !PLACE) | Entry::from(place)
}

/// Where the row is.
#[inline]
pub fn place(entry: Entry) -> usize {
    (entry & PLACE) as usize
}

/// Rows are read past at a stride that processors do not follow well by themselves.
const LOOK_AHEAD: usize = 32 * ROW;

/// Writes the sorted entries of `rows`, the first of which is at byte `start` of its arena.
pub fn sorted_entries(rows: &[u8], start: usize, entries: &mut [Entry]) {
    for (at, (row, slot)) in rows.chunks_exact(ROW).zip(entries.iter_mut()).enumerate() {
        prefetch(row.as_ptr().wrapping_add(LOOK_AHEAD));
        *slot = entry(row, (start + at * ROW) as u64);
    }
    entries.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_order_by_key_then_place() {
        let mut rows = [0u8; 3 * ROW];
        rows[0] = 2;
        rows[ROW + 9] = 1;
        rows[2 * ROW] = 2;
        // The value behind the key does not count.
        rows[10] = 255;
        let mut entries = [0; 3];
        sorted_entries(&rows, 4096, &mut entries);
        assert_eq!(entries.map(place), [4096 + ROW, 4096, 4096 + 2 * ROW]);
        assert_eq!(place(moved(entries[0], 7)), 7);
        assert!(entries[2] < END);
    }
}

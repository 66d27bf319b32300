//! Entries: sorted instead of rows.
//!
//! An entry is a row's key in the upper 80 bits of a `u128` and the row's position in the lower 48.
//! So integer order is key order, with equal keys in the order of their positions. Positions increase in input order.
//! Therefore the sort is stable, its output does not depend on the number of threads, and no two entries are equal:
//! equal keys can be divided between partitions freely.

use super::prefetch::prefetch;
use crate::record::ROW;

/// A row's key and position.
pub type Entry = u128;

/// An entry after all others; no position is this large.
pub const END: Entry = Entry::MAX;

const POSITION_BITS: u32 = 48;
const POSITION: Entry = (1 << POSITION_BITS) - 1;

/// The entry of the row at the start of `row`, which has at least 16 bytes, with a position.
#[inline]
pub fn entry(row: &[u8], position: u64) -> Entry {
    let head: [u8; 16] = row[..16].try_into().expect("a row has more than 16 bytes");
    (Entry::from_be_bytes(head) & !POSITION) | Entry::from(position)
}

/// The same key with another position.
#[inline]
pub fn with_position(entry: Entry, position: u64) -> Entry {
    (entry & !POSITION) | Entry::from(position)
}

/// The position of the row.
#[inline]
pub fn position(entry: Entry) -> usize {
    (entry & POSITION) as usize
}

/// Prefetch distance; processors do not predict a stride of a row well.
const LOOK_AHEAD: usize = 32 * ROW;

/// Writes the sorted entries of `rows`; the first row is at byte `start` of its arena.
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
    fn entries_are_ordered_by_key_then_position() {
        let mut rows = [0u8; 3 * ROW];
        rows[0] = 2;
        rows[ROW + 9] = 1;
        rows[2 * ROW] = 2;
        // The value after the key does not count.
        rows[10] = 255;
        let mut entries = [0; 3];
        sorted_entries(&rows, 4096, &mut entries);
        assert_eq!(entries.map(position), [4096 + ROW, 4096, 4096 + 2 * ROW]);
        assert_eq!(position(with_position(entries[0], 7)), 7);
        assert!(entries[2] < END);
    }
}

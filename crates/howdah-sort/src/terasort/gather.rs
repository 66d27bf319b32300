//! Rows copied out in the order of their merged entries.

use super::entry::{END, place};
use super::merge::{LoserTree, Sorted};
use super::prefetch::prefetch;
use super::stream::Stream;
use crate::error::Result;
use crate::record::ROW;

/// So many rows are asked for from memory before the first of them is copied: enough to hide the
/// latency of memory behind the merge, few enough to stay in the nearest cache.
const AHEAD: usize = 64;

/// What rows are put into.
pub trait RowSink {
    /// Appends one row.
    fn put_row(&mut self, row: &[u8; ROW]) -> Result<()>;
}

impl<B, E> RowSink for Stream<'_, B, E> {
    #[inline]
    fn put_row(&mut self, row: &[u8; ROW]) -> Result<()> {
        Stream::put_row(self, row)
    }
}

impl RowSink for Vec<u8> {
    #[inline]
    fn put_row(&mut self, row: &[u8; ROW]) -> Result<()> {
        self.extend_from_slice(row);
        Ok(())
    }
}

/// So many rows are merged between two looks at whether to go on.
pub const CHECK_ROWS: usize = 1 << 16;

/// Puts the next `most` rows, or as many as there are, of `arena` into `sink`, and returns their number.
pub fn gather<S: Sorted>(
    tree: &mut LoserTree<S>,
    arena: &[u8],
    most: usize,
    sink: &mut impl RowSink,
) -> Result<usize> {
    let mut places = [0; AHEAD];
    let mut done = 0;
    while done < most {
        let mut count = 0;
        while count < AHEAD.min(most - done) {
            let entry = tree.pop();
            if entry == END {
                break;
            }
            places[count] = place(entry);
            // A row lies on two or three cache lines.
            for at in [0, 64, ROW - 1] {
                prefetch(arena.as_ptr().wrapping_add(places[count] + at));
            }
            count += 1;
        }
        if count == 0 {
            break;
        }
        for &place in &places[..count] {
            let row = arena[place..].first_chunk().expect("places are those of whole rows");
            sink.put_row(row)?;
        }
        done += count;
    }
    Ok(done)
}

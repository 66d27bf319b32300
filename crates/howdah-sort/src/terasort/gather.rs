//! Copies rows in the order of their merged entries.

use super::entry::{END, position};
use super::merge::{LoserTree, Sorted};
use super::prefetch::prefetch;
use super::stream::Stream;
use crate::error::Result;
use crate::record::ROW;

/// Rows to prefetch before the first of them is copied: enough to hide the latency of memory
/// behind the merge, few enough to stay in the nearest cache.
const AHEAD: usize = 64;

/// A destination of rows.
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

/// Rows merged between two checks for cancellation.
pub const CHECK_ROWS: usize = 1 << 16;

/// Puts up to `limit` rows of `arena` into `sink` and returns their number.
pub fn gather<S: Sorted>(
    tree: &mut LoserTree<S>,
    arena: &[u8],
    limit: usize,
    sink: &mut impl RowSink,
) -> Result<usize> {
    let mut positions = [0; AHEAD];
    let mut done = 0;
    while done < limit {
        let mut count = 0;
        while count < AHEAD.min(limit - done) {
            let entry = tree.pop();
            if entry == END {
                break;
            }
            positions[count] = position(entry);
            // A row spans two or three cache lines.
            for at in [0, 64, ROW - 1] {
                prefetch(arena.as_ptr().wrapping_add(positions[count] + at));
            }
            count += 1;
        }
        if count == 0 {
            break;
        }
        for &position in &positions[..count] {
            let row = arena[position..].first_chunk().expect("positions are those of whole rows");
            sink.put_row(row)?;
        }
        done += count;
    }
    Ok(done)
}

//! Division of the pool into the parts that a phase needs.

use super::entry::Entry;
use crate::file::ALIGN;
use crate::pool::Slab;

/// Splits the first `count` elements off `rest`.
pub fn split_front<'p, T>(rest: &mut &'p mut [T], count: usize) -> &'p mut [T] {
    let (part, after) = std::mem::take(rest).split_at_mut(count);
    *rest = after;
    part
}

/// The unused rest of a pool.
pub struct PoolSplitter<'p>(Slab<'p>);

impl<'p> PoolSplitter<'p> {
    /// A splitter of the whole pool.
    pub fn new(pool: Slab<'p>) -> Self {
        Self(pool)
    }

    /// Splits off `bytes`, aligned for direct I/O.
    pub fn bytes(&mut self, bytes: usize) -> Slab<'p> {
        &mut split_front(&mut self.0, bytes.next_multiple_of(ALIGN))[..bytes]
    }

    /// Splits off `count` pieces of `bytes` each.
    pub fn pieces(&mut self, count: usize, bytes: usize) -> Vec<Slab<'p>> {
        (0..count).map(|_| self.bytes(bytes)).collect()
    }

    /// Splits off memory for `count` entries.
    pub fn entries(&mut self, count: usize) -> &'p mut [Entry] {
        bytemuck::cast_slice_mut(self.bytes(count * size_of::<Entry>()))
    }

    /// Splits off memory for `count` offsets.
    pub fn offsets(&mut self, count: usize) -> &'p mut [u64] {
        bytemuck::cast_slice_mut(self.bytes(count * size_of::<u64>()))
    }

    /// The unused rest.
    pub fn rest(self) -> Slab<'p> {
        self.0
    }
}

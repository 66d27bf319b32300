//! The pool cut into the parts that a phase works with.

use super::entry::Entry;
use crate::file::ALIGN;
use crate::pool::Slab;

/// Cuts the first `count` elements off `rest`.
pub fn cut_off<'p, T>(rest: &mut &'p mut [T], count: usize) -> &'p mut [T] {
    let (part, after) = std::mem::take(rest).split_at_mut(count);
    *rest = after;
    part
}

/// What is left of the pool.
pub struct Carver<'p>(Slab<'p>);

impl<'p> Carver<'p> {
    /// Nothing cut off yet.
    pub fn new(pool: Slab<'p>) -> Self {
        Self(pool)
    }

    /// Cuts off `bytes`, aligned for direct I/O.
    pub fn bytes(&mut self, bytes: usize) -> Slab<'p> {
        &mut cut_off(&mut self.0, bytes.next_multiple_of(ALIGN))[..bytes]
    }

    /// Cuts off `count` pieces of `bytes` each.
    pub fn pieces(&mut self, count: usize, bytes: usize) -> Vec<Slab<'p>> {
        (0..count).map(|_| self.bytes(bytes)).collect()
    }

    /// Cuts off room for `count` entries.
    pub fn entries(&mut self, count: usize) -> &'p mut [Entry] {
        bytemuck::cast_slice_mut(self.bytes(count * size_of::<Entry>()))
    }

    /// Cuts off room for `count` offsets.
    pub fn offsets(&mut self, count: usize) -> &'p mut [u64] {
        bytemuck::cast_slice_mut(self.bytes(count * size_of::<u64>()))
    }

    /// Everything that is left.
    pub fn rest(self) -> Slab<'p> {
        self.0
    }
}

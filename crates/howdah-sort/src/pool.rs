//! Memory that is allocated once, touched before any clock runs, and reused.
//!
//! The first touch of a page costs far more than a copy into it, especially on a virtual machine whose
//! host has not backed its memory yet. A pool is created once for a whole suite.

use memmap2::{Advice, MmapMut};

use crate::error::{Error, Result};
use crate::file::ALIGN;

/// A page-aligned stretch of pre-touched memory, backed by huge pages where the kernel has them.
pub struct Pool {
    map: MmapMut,
}

/// A part of a [`Pool`], aligned for direct I/O.
pub type Slab<'a> = &'a mut [u8];

impl Pool {
    /// Maps and touches `bytes` of memory with `threads` threads.
    pub fn new(bytes: usize, threads: usize) -> Result<Self> {
        let bytes = bytes.next_multiple_of(HUGE_PAGE);
        let mut map =
            MmapMut::map_anon(bytes).map_err(|_| Error::Memory { budget: 0, needed: bytes as u64 })?;
        // Huge pages save the page-table walks that random row copies would pay; a kernel without them is only slower.
        let _ = map.advise(Advice::HugePage);
        let share = bytes.div_ceil(threads.max(1)).next_multiple_of(HUGE_PAGE);
        std::thread::scope(|scope| {
            for part in map.chunks_mut(share) {
                scope.spawn(move || part.iter_mut().step_by(ALIGN).for_each(|page| *page = 0));
            }
        });
        Ok(Self { map })
    }

    /// The pool's size in bytes.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether the pool has no memory at all.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The whole pool; split it with `split_at_mut` at multiples of [`ALIGN`].
    pub fn as_mut_slice(&mut self) -> Slab<'_> {
        &mut self.map
    }
}

/// The usual size of a huge page.
const HUGE_PAGE: usize = 2 << 20;

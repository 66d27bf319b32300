//! A pool cut into blocks that hold whole rows and can be read and written directly.

use crate::error::{Error, Result};
use crate::file::ALIGN;
use crate::pool::{Pool, Slab};
use crate::record::ROW;

/// The smallest length that is both whole rows and whole pages of direct I/O: their least common multiple.
pub const STRIDE: usize = ROW * ALIGN / 4;

/// The longest useful block: with several MiB to a request, a disk's rate no longer depends on it.
const LARGEST: usize = 40 * STRIDE;

/// Cuts the pool into `count` equal blocks of a whole number of [`STRIDE`]s.
pub fn row_blocks(pool: &mut Pool, count: usize) -> Result<Vec<Slab<'_>>> {
    let length = (pool.len() / count).min(LARGEST) / STRIDE * STRIDE;
    if length == 0 {
        return Err(Error::Memory { given: pool.len() as u64, needed: (count * STRIDE) as u64 });
    }
    Ok(pool.as_mut_slice().chunks_exact_mut(length).take(count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole_rows_and_whole_pages() {
        assert_eq!((STRIDE % ROW, STRIDE % ALIGN), (0, 0));
        let mut pool = Pool::new(4 << 20, 1).unwrap();
        let start = pool.as_mut_slice().as_ptr() as usize;
        let blocks = row_blocks(&mut pool, 3).unwrap();
        assert_eq!(blocks.len(), 3);
        for block in blocks {
            assert_eq!((block.as_ptr() as usize - start) % ALIGN, 0);
            assert_eq!((block.len() % STRIDE, block.len() / STRIDE), (0, 13));
        }
    }

    #[test]
    fn too_small_a_pool_says_how_much_it_takes() {
        let mut pool = Pool::new(2 << 20, 1).unwrap();
        let needed = match row_blocks(&mut pool, 21) {
            Err(Error::Memory { needed, .. }) => needed,
            other => panic!("{other:?}"),
        };
        assert_eq!(needed, 21 * STRIDE as u64);
        let mut pool = Pool::new(needed as usize, 1).unwrap();
        assert_eq!(row_blocks(&mut pool, 21).unwrap().len(), 21);
    }
}

//! A pool divided into blocks of whole rows for direct I/O.

use crate::error::{Error, Result};
use crate::file::ALIGN;
use crate::pool::{Pool, Slab};
use crate::record::ROW;

/// The smallest length of whole rows and whole pages of direct I/O: their least common multiple.
pub const STRIDE: usize = ROW * ALIGN / 4;

/// The largest useful block: beyond several MiB the size of requests does not affect a disk's rate.
const LARGEST: usize = 40 * STRIDE;

/// Divides the pool into `count` equal blocks, multiples of [`STRIDE`].
fn row_blocks(pool: &mut Pool, count: usize) -> Result<Vec<Slab<'_>>> {
    let length = (pool.len() / count).min(LARGEST) / STRIDE * STRIDE;
    if length == 0 {
        return Err(Error::Memory { budget: pool.len() as u64, needed: (count * STRIDE) as u64 });
    }
    Ok(pool.as_mut_slice().chunks_exact_mut(length).take(count).collect())
}

/// Divides the pool into two blocks for each of `slots` slots: one is filled while the other is emptied.
pub fn row_block_pairs(pool: &mut Pool, slots: usize) -> Result<Vec<[Slab<'_>; 2]>> {
    let mut blocks = row_blocks(pool, 2 * slots)?.into_iter();
    Ok(std::iter::from_fn(|| Some([blocks.next()?, blocks.next()?])).collect())
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
    fn too_small_a_pool_is_an_error_with_the_memory_needed() {
        let mut pool = Pool::new(2 << 20, 1).unwrap();
        let needed = match row_blocks(&mut pool, 21) {
            Err(Error::Memory { needed, .. }) => needed,
            result => panic!("{result:?}"),
        };
        assert_eq!(needed, 21 * STRIDE as u64);
        let mut pool = Pool::new(needed as usize, 1).unwrap();
        assert_eq!(row_blocks(&mut pool, 21).unwrap().len(), 21);
    }
}

//! Intermediate files: streams of bytes striped over the data disks.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::stream::Target;
use crate::context::Context;
use crate::error::Result;
use crate::file::{ALIGN, UnnamedFile};

/// An intermediate file on each disk, shared by all streams.
///
/// Stripes of all streams go to the disks in turn, so every disk gets the same number whatever the number of
/// streams, and only one file on each disk must be removed. The files have no names, so they vanish when they are
/// closed, even by `kill -9`.
#[derive(Debug)]
pub struct SpillFiles {
    files: Vec<UnnamedFile>,
    stripe: usize,
    next: AtomicUsize,
}

impl SpillFiles {
    /// A file in each of `dirs`, written in stripes of `stripe` bytes, a multiple of [`ALIGN`].
    pub fn create(dirs: &[PathBuf], stripe: usize) -> Result<Self> {
        let files = dirs.iter().map(|dir| UnnamedFile::create(dir)).collect::<Result<_>>()?;
        Ok(Self { files, stripe, next: AtomicUsize::new(0) })
    }

    /// Whether all files bypass the page cache.
    pub fn is_direct(&self) -> bool {
        self.files.iter().all(UnnamedFile::is_direct)
    }

    /// A new stream.
    pub fn stream<'a>(&'a self, context: &'a Context) -> SpillStream<'a> {
        SpillStream { files: self, context, stripes: Vec::new(), len: 0 }
    }

    /// Reads part of a stream that begins at `offset` bytes; `offset` and the buffer's length are
    /// multiples of [`ALIGN`].
    pub fn read(&self, spilled: &Spilled, mut offset: u64, mut buffer: &mut [u8]) -> Result<()> {
        let stripe_len = self.stripe as u64;
        while !buffer.is_empty() {
            let within = offset % stripe_len;
            let (now, later) = buffer.split_at_mut(buffer.len().min((stripe_len - within) as usize));
            let (file, start) = self.locate(spilled.stripes[(offset / stripe_len) as usize]);
            file.read_at(now, start + within)?;
            offset += now.len() as u64;
            buffer = later;
        }
        Ok(())
    }

    fn locate(&self, stripe: usize) -> (&UnnamedFile, u64) {
        (&self.files[stripe % self.files.len()], (stripe / self.files.len() * self.stripe) as u64)
    }
}

/// A stream being written.
pub struct SpillStream<'a> {
    files: &'a SpillFiles,
    context: &'a Context,
    stripes: Vec<usize>,
    len: u64,
}

/// The location of a written stream.
pub struct Spilled {
    stripes: Vec<usize>,
    /// Its length in bytes.
    pub len: u64,
}

impl SpillStream<'_> {
    /// Writes a block as the next stripe; only its first `len` bytes count.
    fn write(&mut self, block: &[u8], len: usize) -> Result<()> {
        debug_assert!(block.len() <= self.files.stripe && block.len() % ALIGN == 0);
        let stripe = self.files.next.fetch_add(1, Ordering::Relaxed);
        let (file, start) = self.files.locate(stripe);
        file.write_at(block, start)?;
        self.stripes.push(stripe);
        self.len += len as u64;
        self.context.advance(len as u64);
        Ok(())
    }
}

impl Target for SpillStream<'_> {
    type Done = Spilled;

    fn append(&mut self, block: &[u8]) -> Result<()> {
        self.write(block, block.len())
    }

    fn finish(mut self, padded: &[u8], len: usize) -> Result<Spilled> {
        if len > 0 {
            self.write(padded, len)?;
        }
        Ok(Spilled { stripes: self.stripes, len: self.len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::Pool;

    #[test]
    fn streams_are_read_back_and_disks_share_them_evenly() {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let paths: Vec<PathBuf> = dirs.iter().map(|dir| dir.path().to_owned()).collect();
        let files = SpillFiles::create(&paths, 2 * ALIGN).unwrap();
        let context = Context::default();
        let mut pool = Pool::new(1 << 20, 1).unwrap();
        let (block, back) = pool.as_mut_slice().split_at_mut(2 * ALIGN);
        // Two streams grow in turn; stripe s of stream t is filled with the byte 10 t + s.
        let mut streams = [files.stream(&context), files.stream(&context)];
        for stripe in 0..3 {
            for (number, stream) in streams.iter_mut().enumerate() {
                block.fill((10 * number + stripe) as u8);
                stream.append(block).unwrap();
            }
        }
        let [_, second] = streams;
        block.fill(13);
        let second = second.finish(&block[..ALIGN], 5).unwrap();
        assert_eq!(second.len, 6 * ALIGN as u64 + 5);
        // From the middle of the first stripe to the last bytes.
        let back = &mut back[..6 * ALIGN];
        files.read(&second, ALIGN as u64, back).unwrap();
        let first_bytes: Vec<u8> = back.chunks(ALIGN).map(|page| page[0]).collect();
        assert_eq!(first_bytes, [10, 11, 11, 12, 12, 13]);
        assert_eq!(files.next.load(Ordering::Relaxed), 7);
        for dir in paths {
            assert_eq!(std::fs::read_dir(dir).unwrap().count(), 0, "a spill file has a name");
        }
    }
}

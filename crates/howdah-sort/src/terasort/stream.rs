//! A stream of bytes from one thread to another that writes them, in reused flush buffers.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::team::closed;
use crate::error::Result;
use crate::file::ALIGN;
use crate::pool::Slab;
use crate::record::ROW;

/// Messages to the writing thread, in this order for each target: `Begin`, any number of `Full`, `End`.
enum Piece<'p, B, E> {
    /// A new target begins.
    Begin(B),
    /// A full buffer.
    Full(Slab<'p>),
    /// The target's last buffer, with the number of bytes in it.
    End(Slab<'p>, usize, E),
}

/// A destination of blocks.
pub trait Target {
    /// The result of a finished target.
    type Done;
    /// Appends a full buffer.
    fn append(&mut self, block: &[u8]) -> Result<()>;
    /// Appends the last `len` bytes, passed in a block padded to a multiple of [`ALIGN`].
    fn finish(self, padded: &[u8], len: usize) -> Result<Self::Done>;
}

/// The filling thread's end.
pub struct Stream<'p, B, E> {
    buffer: Slab<'p>,
    filled: usize,
    written: u64,
    pieces: Sender<Piece<'p, B, E>>,
    free: Receiver<Slab<'p>>,
}

/// The writing thread's end.
pub struct Writer<'p, B, E> {
    pieces: Receiver<Piece<'p, B, E>>,
    free: Sender<Slab<'p>>,
}

/// Both ends of a stream with `buffers` of equal size.
pub fn stream<'p, B, E>(buffers: impl IntoIterator<Item = Slab<'p>>) -> (Stream<'p, B, E>, Writer<'p, B, E>) {
    let (pieces, to_write) = channel();
    let (written, free) = channel();
    for buffer in buffers {
        written.send(buffer).expect("the receiver exists");
    }
    let writer = Writer { pieces: to_write, free: written };
    (Stream { buffer: Slab::default(), filled: 0, written: 0, pieces, free }, writer)
}

impl<B, E> Stream<'_, B, E> {
    /// Begins a new target.
    pub fn begin(&mut self, target: B) -> Result<()> {
        self.pieces.send(Piece::Begin(target)).map_err(closed)?;
        self.buffer = self.free.recv().map_err(closed)?;
        self.filled = 0;
        self.written = 0;
        Ok(())
    }

    /// The bytes put since the target began.
    pub fn len(&self) -> u64 {
        self.written + self.filled as u64
    }

    /// Appends one row.
    #[inline]
    pub fn put_row(&mut self, row: &[u8; ROW]) -> Result<()> {
        if let Some(space) = self.buffer[self.filled..].first_chunk_mut::<ROW>() {
            *space = *row;
            self.filled += ROW;
            Ok(())
        } else {
            self.put(row)
        }
    }

    /// Appends any bytes.
    #[cold]
    pub fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        loop {
            let (now, later) = bytes.split_at(bytes.len().min(self.buffer.len() - self.filled));
            self.buffer[self.filled..][..now.len()].copy_from_slice(now);
            self.filled += now.len();
            if later.is_empty() {
                return Ok(());
            }
            self.flush()?;
            bytes = later;
        }
    }

    /// Ends the target.
    pub fn end(&mut self, outcome: E) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.pieces.send(Piece::End(buffer, self.filled, outcome)).map_err(closed)
    }

    fn flush(&mut self) -> Result<()> {
        self.written += self.filled as u64;
        self.filled = 0;
        self.pieces.send(Piece::Full(std::mem::take(&mut self.buffer))).map_err(closed)?;
        self.buffer = self.free.recv().map_err(closed)?;
        Ok(())
    }
}

impl<B, E> Writer<'_, B, E> {
    /// Writes targets until the filling thread ends: `open` opens a target, `done` is called when it is written.
    pub fn write<T: Target>(
        self,
        check: impl Fn() -> Result<()>,
        mut open: impl FnMut(&B) -> Result<T>,
        mut done: impl FnMut(B, E, T::Done),
    ) -> Result<()> {
        let mut current = None;
        while let Ok(piece) = self.pieces.recv() {
            check()?;
            match piece {
                Piece::Begin(begin) => current = Some((open(&begin)?, begin)),
                Piece::Full(buffer) => {
                    current.as_mut().expect("a target begins before its bytes").0.append(buffer)?;
                    // The filling thread may have put its last row.
                    let _ = self.free.send(buffer);
                }
                Piece::End(buffer, len, outcome) => {
                    let (target, begin) = current.take().expect("a target begins before it ends");
                    let finished = target.finish(&buffer[..len.next_multiple_of(ALIGN)], len)?;
                    let _ = self.free.send(buffer);
                    done(begin, outcome, finished);
                }
            }
        }
        Ok(())
    }
}

//! Disks: zones from the outer to the inner edge, and streams that take turns.
//!
//! A track's bytes per rotation grow with its radius, and the capacity outside of it with the square of the radius. So if
//! a rotating disk is filled to the share *x*, its rate is *√(o² − x·(o² − i²))* with the outer rate *o* and the inner *i*.
//!
//! *k* streams take turns, each with a chunk of *c* bytes, and the head needs *t* seconds from one to the next: the disk's
//! rate is *r / (1 + (1 − 1/k)·t·r/c)*. A single stream has no such cost; a disk without a head has t = 0. A chunk of a
//! reading stream is no larger than the read-ahead. If a stream reads scattered pieces of *p < c* bytes, its chunk is a
//! piece, and a byte takes *1/r + t/p* instead of *1/r + t/c*.
//! (C. Ruemmler and J. Wilkes, *An introduction to disk drive modeling*, 1994.)

use crate::parameters::Parameters;
use crate::scenario::{DiskGroup, DiskKind};
use crate::sharing::Load;

/// Class of a read.
pub(crate) const READ: u8 = 0;
/// Class of a write.
pub(crate) const WRITE: u8 = 1;
/// Class of a seek, measured in bytes that the disk could have moved meanwhile.
pub(crate) const SEEK: u8 = 2;

/// Seeks of a disk with 7,200 rotations a minute relative to those of one with 10,000, which the parameters describe: data
/// sheets state 8.5 and 4.5 ms for a mean seek, and half a rotation takes 4.2 and 3 ms.
pub(crate) const SLOW_TURN: f64 = 1.7;

/// The kernel's default read-ahead: two windows of 128 KiB, one in use while the other is read.
const READ_AHEAD: f64 = 2.0 * 128.0 * 1024.0;

/// A disk and how full it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Disk {
    outer: f64,
    inner: f64,
    size: f64,
    written: f64,
    read_offset: f64,
    read_seek: f64,
    write_seek: f64,
    chunk: f64,
    read_chunk: f64,
    rotating: bool,
}

impl Disk {
    pub(crate) fn new(
        group: &DiskGroup,
        filled: f64,
        speed: f64,
        readahead_bytes: u64,
        parameters: &Parameters,
    ) -> Self {
        let turn = match group.kind {
            DiskKind::Hdd => SLOW_TURN,
            DiskKind::FastHdd => 1.0,
            DiskKind::Ssd => 0.0,
        };
        let size = group.size_bytes as f64;
        Self {
            outer: group.outer_bytes_per_s * speed,
            inner: group.inner_bytes_per_s * speed,
            size,
            written: filled * size,
            read_offset: filled * size,
            read_seek: parameters.read_seek_s * turn,
            write_seek: parameters.write_seek_s * turn,
            chunk: parameters.stream_chunk_bytes,
            read_chunk: parameters.stream_chunk_bytes.min((readahead_bytes as f64).max(READ_AHEAD)),
            rotating: turn > 0.0,
        }
    }

    /// Bytes per second for its current streams.
    pub(crate) fn capacity(&self, load: &Load) -> f64 {
        let reads = f64::from(load.flows[usize::from(READ)]);
        let writes = f64::from(load.flows[usize::from(WRITE)]);
        let streams = (reads + writes).max(1.0);
        let reading = if reads + writes > 0.0 { reads / streams } else { 1.0 };
        // Seconds for a byte: the transfer, and its part of the seek to the stream.
        let turns = 1.0 - 1.0 / streams;
        let read = 1.0 / self.rate(self.read_offset) + turns / self.read_chunk * self.read_seek;
        let write = 1.0 / self.rate(self.written) + turns / self.chunk * self.write_seek;
        1.0 / (reading * read + (1.0 - reading) * write)
    }

    /// Bytes that it could have moved during the seeks between scattered pieces, for each byte of these.
    pub(crate) fn seeks(&self, piece_bytes: f64) -> f64 {
        let more = (1.0 / piece_bytes - 1.0 / self.read_chunk).max(0.0) * self.read_seek;
        more / (1.0 / self.rate(self.read_offset) + self.read_seek / self.read_chunk)
    }

    /// Adds permanent data.
    pub(crate) fn fill(&mut self, bytes: f64) {
        self.written = (self.written + bytes).min(self.size);
    }

    /// Bytes in use.
    pub(crate) fn filled(&self) -> f64 {
        self.written
    }

    /// Sets the position of the data that are read next, bytes from the outer edge.
    pub(crate) fn set_read_offset(&mut self, bytes: f64) {
        self.read_offset = bytes;
    }

    fn rate(&self, offset: f64) -> f64 {
        if !self.rotating {
            return self.outer;
        }
        let share = (offset / self.size).clamp(0.0, 1.0);
        (self.outer * self.outer - share * (self.outer * self.outer - self.inner * self.inner)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::Disk;
    use crate::parameters::Parameters;
    use crate::scenario::{DiskGroup, DiskKind};
    use crate::sharing::Load;

    fn disk(kind: DiskKind, filled: f64) -> Disk {
        let group = DiskGroup {
            count: 1,
            size_bytes: 1_000_000_000_000,
            outer_bytes_per_s: 200e6,
            inner_bytes_per_s: 100e6,
            kind,
        };
        Disk::new(&group, filled, 1.0, 4 << 20, &Parameters::default())
    }

    fn load(reads: u32, writes: u32) -> Load {
        Load { flows: [reads, writes, 0], demand: [0.0; 3] }
    }

    #[test]
    fn a_disk_slows_from_its_outer_to_its_inner_edge() {
        let rate = |filled| disk(DiskKind::Hdd, filled).capacity(&load(0, 1));
        assert_eq!(rate(0.0).round(), 200e6);
        assert_eq!(rate(1.0).round(), 100e6);
        // Half of the capacity lies outside the radius whose square is half way.
        assert_eq!(rate(0.5).round(), (250e14_f64.sqrt()).round());
    }

    #[test]
    fn only_streams_that_share_a_head_are_slower() {
        assert!(disk(DiskKind::Hdd, 0.0).capacity(&load(2, 0)) < 0.9 * 200e6);
        assert!(
            disk(DiskKind::Hdd, 0.0).capacity(&load(2, 0))
                < disk(DiskKind::FastHdd, 0.0).capacity(&load(2, 0))
        );
        assert_eq!(disk(DiskKind::Ssd, 0.7).capacity(&load(9, 9)).round(), 200e6);
    }

    #[test]
    fn small_pieces_cost_a_seek_each_and_large_ones_only_turns() {
        let disk = disk(DiskKind::FastHdd, 0.0);
        let chunk = f64::from(4 << 20);
        assert_eq!(disk.seeks(chunk), 0.0);
        // 64 KiB take 0.33 ms to move and 6 ms to reach; in turns of 4 MiB they take 0.42 ms.
        assert!((disk.seeks(65_536.0) - 14.0).abs() < 0.2, "{}", disk.seeks(65_536.0));
        assert_eq!(self::disk(DiskKind::Ssd, 0.0).seeks(65_536.0), 0.0);
    }

    #[test]
    fn written_data_fill_the_disk_and_are_read_at_their_position() {
        let mut disk = disk(DiskKind::Hdd, 0.0);
        disk.fill(1e12);
        assert_eq!(disk.capacity(&load(0, 1)).round(), 100e6);
        assert_eq!(disk.capacity(&load(1, 0)).round(), 200e6);
        disk.set_read_offset(1e12);
        assert_eq!(disk.capacity(&load(1, 0)).round(), 100e6);
    }
}

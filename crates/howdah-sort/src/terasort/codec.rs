//! Compression of intermediate blocks.

use std::io;

use crate::error::{Error, Result};

/// Codecs of intermediate data, by Hadoop's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// No compression.
    None,
    /// LZ4 blocks.
    Lz4,
    /// Snappy's raw format.
    Snappy,
    /// Zstandard at its fastest regular level.
    Zstd,
}

/// Intermediate data is written and read once, so only the fastest level can gain more than it costs.
const ZSTD_LEVEL: i32 = 1;

impl Codec {
    /// The codec with this name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "none" => Ok(Self::None),
            "lz4" => Ok(Self::Lz4),
            "snappy" => Ok(Self::Snappy),
            "zstd" => Ok(Self::Zstd),
            _ => Err(Error::Input {
                subject: "codec".to_owned(),
                what: format!("unknown codec {name:?}"),
                hint: "give none, lz4, snappy or zstd".to_owned(),
            }),
        }
    }
}

/// Compresses blocks of one size.
pub struct Compressor {
    coder: Coder,
    packed: Vec<u8>,
}

enum Coder {
    Lz4,
    Snappy(Box<snap::raw::Encoder>),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    /// A compressor for blocks of at most `block` bytes; None if `codec` does not compress.
    pub fn new(codec: Codec, block: usize) -> io::Result<Option<Self>> {
        let (coder, most) = match codec {
            Codec::None => return Ok(None),
            Codec::Lz4 => (Coder::Lz4, lz4_flex::block::get_maximum_output_size(block)),
            Codec::Snappy => {
                (Coder::Snappy(Box::new(snap::raw::Encoder::new())), snap::raw::max_compress_len(block))
            }
            Codec::Zstd => (
                Coder::Zstd(zstd::bulk::Compressor::new(ZSTD_LEVEL)?),
                zstd::zstd_safe::compress_bound(block),
            ),
        };
        Ok(Some(Self { coder, packed: vec![0; most] }))
    }

    /// The bytes to store for `block`: compressed, or unchanged if that is no longer.
    pub fn pack<'a>(&'a mut self, block: &'a [u8]) -> io::Result<&'a [u8]> {
        let len = match &mut self.coder {
            Coder::Lz4 => {
                lz4_flex::block::compress_into(block, &mut self.packed).map_err(io::Error::other)?
            }
            Coder::Snappy(encoder) => encoder.compress(block, &mut self.packed)?,
            Coder::Zstd(compressor) => compressor.compress_to_buffer(block, self.packed.as_mut_slice())?,
        };
        Ok(if len < block.len() { &self.packed[..len] } else { block })
    }
}

/// The error of a compressor, which fails on blocks of the expected size only if there is no memory.
pub fn compressor_failed(source: io::Error) -> Error {
    Error::Io { path: "compressor".into(), action: "compress", source }
}

/// Decompresses the output of a [`Compressor`].
pub enum Decompressor {
    /// LZ4 blocks.
    Lz4,
    /// Snappy's raw format.
    Snappy(snap::raw::Decoder),
    /// Zstandard frames.
    Zstd(zstd::bulk::Decompressor<'static>),
}

impl Decompressor {
    /// A decompressor; None if `codec` does not compress.
    pub fn new(codec: Codec) -> io::Result<Option<Self>> {
        Ok(match codec {
            Codec::None => None,
            Codec::Lz4 => Some(Self::Lz4),
            Codec::Snappy => Some(Self::Snappy(snap::raw::Decoder::new())),
            Codec::Zstd => Some(Self::Zstd(zstd::bulk::Decompressor::new()?)),
        })
    }

    /// Fills `block`, which has the original length, from `stored`.
    pub fn unpack(&mut self, stored: &[u8], block: &mut [u8]) -> io::Result<()> {
        if stored.len() == block.len() {
            block.copy_from_slice(stored);
            return Ok(());
        }
        let len = match self {
            Self::Lz4 => lz4_flex::block::decompress_into(stored, block).map_err(io::Error::other)?,
            Self::Snappy(decoder) => decoder.decompress(stored, block)?,
            Self::Zstd(decompressor) => decompressor.decompress_to_buffer(stored, block)?,
        };
        if len == block.len() {
            Ok(())
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a block has a different length after decompression",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RowRandom, fill_rows};

    #[test]
    fn blocks_are_restored_and_rows_shrink() {
        let mut rows = vec![0; 100 * crate::ROW];
        fill_rows(0, &mut rows);
        // Random bytes do not shrink; they are stored unchanged.
        let mut random = RowRandom::at(0);
        let noise: Vec<u8> = (0..625).flat_map(|_| random.draw().to_be_bytes()).collect();
        for codec in [Codec::Lz4, Codec::Snappy, Codec::Zstd] {
            let mut compressor = Compressor::new(codec, rows.len()).unwrap().unwrap();
            let mut decompressor = Decompressor::new(codec).unwrap().unwrap();
            for (block, shrinks) in [(&rows, true), (&noise, false)] {
                let stored = compressor.pack(block).unwrap().to_vec();
                assert_eq!(stored.len() < block.len(), shrinks, "{codec:?}");
                let mut back = vec![0; block.len()];
                decompressor.unpack(&stored, &mut back).unwrap();
                assert!(&back == block, "{codec:?}");
            }
        }
    }

    #[test]
    fn damaged_blocks_are_detected() {
        let mut decompressor = Decompressor::new(Codec::Zstd).unwrap().unwrap();
        assert!(decompressor.unpack(&[1, 2, 3], &mut [0; 100]).is_err());
    }

    #[test]
    fn names_are_hadoops() {
        assert_eq!(Codec::parse("snappy").unwrap(), Codec::Snappy);
        assert!(matches!(Codec::parse("gzip"), Err(Error::Input { .. })));
    }
}

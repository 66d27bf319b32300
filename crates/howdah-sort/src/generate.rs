//! Generation of rows in memory, as fast as a core can store them.
//!
//! Of a row's 100 bytes only the random number's 16 and the row number's last two digits change from one row to the next.
//! Everything else is stored from constants and from a template that is renewed every 256 rows. The checksum is computed
//! from the same parts' shares of the CRC, see [`crate::crc`], so it costs look-ups in 17 KiB of tables and no second pass
//! over the row.

use crate::crc::SHARES;
use crate::record::{KEY, ROW, RowRandom};

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// The position of the row number's last two digits; rows that differ only in these share a template.
const LAST_DIGITS: usize = 42;
const TEMPLATE_ROWS: u64 = 256;

/// The position of the filler, and the number of the random number's bytes in it, eight filler bytes for each.
const FILLER: usize = 48;
const FILLER_SOURCES: usize = 6;

/// A byte's two hexadecimal digits.
static BYTE_DIGITS: [[u8; 2]; 256] = byte_digits();

/// The change of a row's CRC by the row number's last byte, written as two digits.
static LAST_DIGITS_SHARES: [u32; 256] = last_digits_shares();

/// A byte's two hexadecimal digits, each four times: its filler.
static BYTE_FILLER: [[u8; 8]; 256] = byte_filler();

/// The change of a row's CRC by each of the random number's last six bytes, written as filler.
static FILLER_SHARES: [[u32; 256]; FILLER_SOURCES] = filler_shares();

const fn byte_digits() -> [[u8; 2]; 256] {
    let mut table = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    table
}

const fn last_digits_shares() -> [u32; 256] {
    let digits = byte_digits();
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let [high, low] = digits[byte];
        table[byte] = SHARES[LAST_DIGITS][high as usize] ^ SHARES[LAST_DIGITS + 1][low as usize];
        byte += 1;
    }
    table
}

const fn byte_filler() -> [[u8; 8]; 256] {
    let digits = byte_digits();
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let [high, low] = digits[byte];
        table[byte] = [high, high, high, high, low, low, low, low];
        byte += 1;
    }
    table
}

const fn filler_shares() -> [[u32; 256]; FILLER_SOURCES] {
    let filler = byte_filler();
    let mut table = [[0; 256]; FILLER_SOURCES];
    let mut source = 0;
    while source < FILLER_SOURCES {
        let mut byte = 0;
        while byte < 256 {
            let mut at = 0;
            while at < 8 {
                table[source][byte] ^= SHARES[FILLER + 8 * source + at][filler[byte][at] as usize];
                at += 1;
            }
            byte += 1;
        }
        source += 1;
    }
    table
}

/// The common part of the rows around a row number.
struct Template {
    /// The row, with zeros for the random number's parts and the row number's last two digits.
    bytes: [u8; ROW],
    /// The CRC of those bytes.
    crc: u32,
}

impl Template {
    fn around(row: u64) -> Self {
        let mut bytes = [0; ROW];
        bytes[10..12].copy_from_slice(&[0x00, 0x11]);
        bytes[12..28].fill(b'0');
        let number = row.to_be_bytes();
        for (pair, byte) in number.into_iter().enumerate().take(7) {
            bytes[28 + 2 * pair..30 + 2 * pair].copy_from_slice(&BYTE_DIGITS[byte as usize]);
        }
        bytes[44..48].copy_from_slice(&[0x88, 0x99, 0xAA, 0xBB]);
        bytes[96..100].copy_from_slice(&[0xCC, 0xDD, 0xEE, 0xFF]);
        Self { bytes, crc: crc32fast::hash(&bytes) }
    }

    #[inline(always)]
    fn write(&self, out: &mut [u8; ROW], last_byte: u8, random: u128) {
        let random = random.to_be_bytes();
        // Whole words are stored over whole words, so no load waits for two narrower stores.
        out[..8].copy_from_slice(&random[..8]);
        let mut key_end = [0; 8];
        key_end.copy_from_slice(&self.bytes[8..16]);
        key_end[..KEY - 8].copy_from_slice(&random[8..KEY]);
        out[8..16].copy_from_slice(&key_end);
        out[16..FILLER].copy_from_slice(&self.bytes[16..FILLER]);
        out[LAST_DIGITS..LAST_DIGITS + 2].copy_from_slice(&BYTE_DIGITS[last_byte as usize]);
        for (source, filler) in out[FILLER..96].chunks_exact_mut(8).enumerate() {
            filler.copy_from_slice(&BYTE_FILLER[random[KEY + source] as usize]);
        }
        out[96..].copy_from_slice(&self.bytes[96..]);
    }

    #[inline(always)]
    fn row_crc(&self, last_byte: u8, random: u128) -> u32 {
        let random = random.to_be_bytes();
        let mut crc = self.crc ^ LAST_DIGITS_SHARES[last_byte as usize];
        for (shares, byte) in SHARES.iter().zip(&random[..KEY]) {
            crc ^= shares[*byte as usize];
        }
        for (shares, byte) in FILLER_SHARES.iter().zip(&random[KEY..]) {
            crc ^= shares[*byte as usize];
        }
        crc
    }
}

/// Fills `out`, whose length is a multiple of [`ROW`], with the rows from `first_row` on.
pub fn fill_rows(first_row: u64, out: &mut [u8]) {
    fill::<false>(first_row, out);
}

/// Like [`fill_rows`], and returns the sum of the rows' CRC-32s: their part of TeraGen's checksum.
pub fn fill_rows_summed(first_row: u64, out: &mut [u8]) -> u128 {
    fill::<true>(first_row, out)
}

fn fill<const SUMMED: bool>(first_row: u64, out: &mut [u8]) -> u128 {
    assert!(out.len() % ROW == 0, "a buffer of rows is a multiple of {ROW} bytes long");
    let mut random = RowRandom::at(first_row);
    let mut row = first_row;
    let mut remaining = out;
    let mut sum = 0;
    while !remaining.is_empty() {
        let same_template = (TEMPLATE_ROWS - row % TEMPLATE_ROWS) as usize * ROW;
        let (now, later) = remaining.split_at_mut(same_template.min(remaining.len()));
        let template = Template::around(row);
        let mut template_sum = 0u64;
        for out in now.chunks_exact_mut(ROW) {
            let out = out.try_into().expect("the chunk is a row long");
            let number = random.draw();
            template.write(out, row as u8, number);
            if SUMMED {
                template_sum += u64::from(template.row_crc(row as u8, number));
            }
            row = row.wrapping_add(1);
        }
        sum += u128::from(template_sum);
        remaining = later;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows built field by field from gensort's description, without the optimizations above.
    fn plain_rows(first_row: u64, count: u64) -> Vec<u8> {
        let mut rows = Vec::new();
        for row in first_row..first_row + count {
            let random = RowRandom::at(row).draw();
            rows.extend_from_slice(&random.to_be_bytes()[..KEY]);
            rows.extend_from_slice(&[0x00, 0x11]);
            rows.extend_from_slice(format!("{row:032X}").as_bytes());
            rows.extend_from_slice(&[0x88, 0x99, 0xAA, 0xBB]);
            for digit in format!("{random:032X}").bytes().skip(20) {
                rows.extend_from_slice(&[digit; 4]);
            }
            rows.extend_from_slice(&[0xCC, 0xDD, 0xEE, 0xFF]);
        }
        rows
    }

    fn plain_sum(rows: &[u8]) -> u128 {
        rows.chunks(ROW).map(|row| u128::from(crc32fast::hash(row))).sum()
    }

    #[test]
    fn checksums_are_hadoops() {
        for (rows, checksum) in [(10, 0x5b2d1434d), (1000, 0x1f9ffe645ec)] {
            assert_eq!(fill_rows_summed(0, &mut vec![0; rows * ROW]), checksum, "{rows} rows");
        }
    }

    proptest! {
        #[test]
        fn fast_rows_equal_plain_rows(first_row in 0..u64::MAX - 1000, count in 0usize..700) {
            let expected = plain_rows(first_row, count as u64);
            let mut rows = vec![0xA5; count * ROW];
            fill_rows(first_row, &mut rows);
            prop_assert_eq!(&rows, &expected);
            rows.fill(0x5A);
            prop_assert_eq!(fill_rows_summed(first_row, &mut rows), plain_sum(&expected));
            prop_assert_eq!(rows, expected);
        }
    }
}

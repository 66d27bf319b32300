//! Rows written into memory, as fast as a core can store them.
//!
//! Of a row's 100 bytes only the random number's 16 and the row number's last two digits change from
//! one row to the next, so everything else is stored from constants and from a template that is made
//! anew for every 256 rows.

use crate::record::{ROW, RowRandom};

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// A byte's two hexadecimal digits.
static BYTE_DIGITS: [[u8; 2]; 256] = byte_digits();

/// A byte's two hexadecimal digits, each four times: the filler that it makes.
static BYTE_FILLER: [[u8; 8]; 256] = byte_filler();

const fn byte_digits() -> [[u8; 2]; 256] {
    let mut table = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    table
}

const fn byte_filler() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let [high, low] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        table[byte] = [high, high, high, high, low, low, low, low];
        byte += 1;
    }
    table
}

/// A row with everything in place but the random number's part and the row number's last two digits.
fn template(row: u64) -> [u8; ROW] {
    let mut bytes = [0; ROW];
    bytes[10..12].copy_from_slice(&[0x00, 0x11]);
    bytes[12..28].fill(b'0');
    for (place, byte) in row.to_be_bytes().into_iter().enumerate() {
        bytes[28 + 2 * place..30 + 2 * place].copy_from_slice(&BYTE_DIGITS[byte as usize]);
    }
    bytes[44..48].copy_from_slice(&[0x88, 0x99, 0xAA, 0xBB]);
    bytes[96..100].copy_from_slice(&[0xCC, 0xDD, 0xEE, 0xFF]);
    bytes
}

#[inline(always)]
fn write_row(out: &mut [u8; ROW], template: &[u8; ROW], row: u64, random: u128) {
    let bytes = random.to_be_bytes();
    out[0..8].copy_from_slice(&bytes[0..8]);
    let mut second: [u8; 8] = [0; 8];
    second.copy_from_slice(&template[8..16]);
    second[0..2].copy_from_slice(&bytes[8..10]);
    out[8..16].copy_from_slice(&second);
    out[16..48].copy_from_slice(&template[16..48]);
    out[42..44].copy_from_slice(&BYTE_DIGITS[(row & 0xff) as usize]);
    for place in 0..6 {
        out[48 + 8 * place..56 + 8 * place].copy_from_slice(&BYTE_FILLER[bytes[10 + place] as usize]);
    }
    out[96..100].copy_from_slice(&template[96..100]);
}

/// Fills `out`, whose length is a multiple of [`ROW`], with the rows from `first_row` on.
pub fn fill_rows(first_row: u64, out: &mut [u8]) {
    assert!(out.len() % ROW == 0, "a buffer of rows is a multiple of {ROW} bytes long");
    let mut random = RowRandom::at(first_row);
    let mut row = first_row;
    let mut left = out;
    while !left.is_empty() {
        let same_template = (256 - (row & 0xff)) as usize * ROW;
        let (now, later) = left.split_at_mut(same_template.min(left.len()));
        let template = template(row);
        for out in now.chunks_exact_mut(ROW) {
            let out = out.try_into().expect("the chunk is a row long");
            write_row(out, &template, row, random.draw());
            row += 1;
        }
        left = later;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows built field by field as gensort describes them, with none of the shortcuts above.
    fn plain_rows(first_row: u64, count: u64) -> Vec<u8> {
        let mut rows = Vec::new();
        for row in first_row..first_row + count {
            let random = RowRandom::at(row).draw();
            rows.extend_from_slice(&random.to_be_bytes()[..10]);
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

    fn filled(first_row: u64, count: usize) -> Vec<u8> {
        let mut rows = vec![0xA5; count * ROW];
        fill_rows(first_row, &mut rows);
        rows
    }

    proptest! {
        #[test]
        fn fast_rows_equal_plain_rows(first_row in 0..u64::MAX - 1000, count in 0usize..700) {
            prop_assert_eq!(filled(first_row, count), plain_rows(first_row, count as u64));
        }
    }
}

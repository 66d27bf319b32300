//! The CRC-32 of a row, and the contribution of each of its bytes.
//!
//! A CRC is linear over GF(2): for messages of one length, it is the CRC of zeros exclusive-or a share for every byte,
//! independent of the other bytes. So a generated row's CRC is computed from precomputed shares, without reading the
//! row again.

use crate::record::ROW;

/// The CRC-32 polynomial of zlib without its leading term, bit-reflected.
const POLYNOMIAL: u32 = 0xEDB8_8320;

/// `SHARES[position][byte]` is the change of the row's CRC by `byte` at `position`.
pub static SHARES: [[u32; 256]; ROW] = shares();

/// Multiplies a bit-reflected polynomial by x^`bits` modulo the CRC's polynomial.
const fn shifted(mut value: u32, bits: usize) -> u32 {
    let mut bit = 0;
    while bit < bits {
        value = (value >> 1) ^ (if value & 1 == 1 { POLYNOMIAL } else { 0 });
        bit += 1;
    }
    value
}

const fn shares() -> [[u32; 256]; ROW] {
    let mut table = [[0; 256]; ROW];
    let mut byte = 0;
    while byte < 256 {
        let mut share = byte as u32;
        let mut position = ROW;
        while position > 0 {
            position -= 1;
            // Every position further from the end has another byte of zeros after it.
            share = shifted(share, 8);
            table[position][byte] = share;
        }
        byte += 1;
    }
    table
}

/// The sum of the CRC-32s (zlib's) of the rows in `rows`, whose length is a multiple of [`ROW`].
///
/// This is the checksum of Hadoop's TeraGen and TeraValidate, for one block of rows.
pub fn sum_of_crcs(rows: &[u8]) -> u128 {
    rows.chunks_exact(ROW).map(|row| u128::from(crc32fast::hash(row))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_bit_of_a_row_has_its_share() {
        let zeros = crc32fast::hash(&[0; ROW]);
        for bit in 0..ROW * 8 {
            let mut row = [0; ROW];
            row[bit / 8] = 1 << (bit % 8);
            assert_eq!(SHARES[bit / 8][1 << (bit % 8)], crc32fast::hash(&row) ^ zeros, "bit {bit}");
        }
    }

    proptest! {
        #[test]
        fn shares_add_up_to_the_crc(row in proptest::collection::vec(any::<u8>(), ROW)) {
            let zeros = crc32fast::hash(&[0; ROW]);
            let crc = (0..ROW).fold(zeros, |crc, position| crc ^ SHARES[position][row[position] as usize]);
            prop_assert_eq!(crc, crc32fast::hash(&row));
            prop_assert_eq!(sum_of_crcs(&row), u128::from(crc));
        }
    }
}

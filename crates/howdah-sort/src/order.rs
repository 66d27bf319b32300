//! Checks of consecutive rows: their order, their number and their checksum.

use std::fmt;

use crate::record::{KEY, ROW};

/// A row's key as a number, which compares as the key's bytes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// The key of a row.
    #[inline(always)]
    fn of(row: &[u8; ROW]) -> Self {
        let mut bytes = [0; 16];
        bytes[16 - KEY..].copy_from_slice(&row[..KEY]);
        Self(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for Key {
    /// The key's bytes as Hadoop's BytesWritable prints them: two digits each, separated by spaces.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.to_be_bytes()[16 - KEY..].iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(formatter, "{space}{byte:02x}")?;
        }
        Ok(())
    }
}

/// A key followed by a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misorder {
    /// The key that came first.
    pub before: Key,
    /// The one that followed.
    pub after: Key,
}

/// Misorders to keep; the others are only counted, since unsorted rows have one for every second row.
pub const KEPT_MISORDERS: usize = 16;

/// The result of checking a stretch of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowCheck {
    /// The first row's key and the last row's; none if there were no rows.
    pub ends: Option<(Key, Key)>,
    /// The number of rows.
    pub rows: u64,
    /// The sum of the rows' CRC-32s.
    pub checksum: u128,
    /// The first misorders.
    pub misorders: Vec<Misorder>,
    /// The number of all misorders.
    pub misorder_count: u64,
}

impl RowCheck {
    /// Checks the next rows, a multiple of [`ROW`] bytes.
    pub fn add(&mut self, rows: &[u8]) {
        let mut checksum = 0u64;
        for row in rows.chunks_exact(ROW) {
            let row: &[u8; ROW] = row.try_into().expect("the chunk is a row long");
            let key = Key::of(row);
            match &mut self.ends {
                Some((_, last)) => {
                    let before = std::mem::replace(last, key);
                    if key < before {
                        self.misorder(Misorder { before, after: key });
                    }
                }
                None => self.ends = Some((key, key)),
            }
            // This would overflow only with a block of 400 GB.
            checksum += u64::from(crc32fast::hash(row));
        }
        self.rows += (rows.len() / ROW) as u64;
        self.checksum += u128::from(checksum);
    }

    /// Appends the check of the rows that follow in the same file.
    pub fn append(&mut self, next: &Self) {
        self.ends = match (self.ends, next.ends) {
            (Some((first, before)), Some((after, last))) => {
                if after < before {
                    self.misorder(Misorder { before, after });
                }
                Some((first, last))
            }
            (ends, next_ends) => ends.or(next_ends),
        };
        self.rows += next.rows;
        self.checksum += next.checksum;
        let room = KEPT_MISORDERS - self.misorders.len();
        self.misorders.extend(next.misorders.iter().take(room));
        self.misorder_count += next.misorder_count;
    }

    #[cold]
    fn misorder(&mut self, misorder: Misorder) {
        if self.misorders.len() < KEPT_MISORDERS {
            self.misorders.push(misorder);
        }
        self.misorder_count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(key: u8) -> [u8; ROW] {
        [key; ROW]
    }

    #[test]
    fn keys_print_as_hadoop_prints_bytes() {
        let mut row = [0xEE; ROW];
        row[..KEY].copy_from_slice(b"JimGray\x00\x0fP");
        assert_eq!(Key::of(&row).to_string(), "4a 69 6d 47 72 61 79 00 0f 50");
    }

    #[test]
    fn only_the_key_counts_for_the_order() {
        let (mut first, mut second) = (row(5), row(5));
        first[KEY] = 9;
        second[KEY] = 1;
        let mut check = RowCheck::default();
        check.add(&[first, second].concat());
        assert_eq!(check.misorder_count, 0);
        // The key's last byte does count.
        second[KEY - 1] = 4;
        check.add(&second);
        assert_eq!(check.misorder_count, 1);
    }

    proptest! {
        #[test]
        fn misorders_are_those_of_adjacent_rows(keys in proptest::collection::vec(0u8..8, 0..80)) {
            let rows: Vec<u8> = keys.iter().flat_map(|key| row(*key)).collect();
            let mut check = RowCheck::default();
            check.add(&rows);
            let wrong: Vec<_> = keys.windows(2).filter(|pair| pair[0] > pair[1]).collect();
            prop_assert_eq!(check.misorder_count, wrong.len() as u64);
            let key = |byte: u8| Key::of(&row(byte));
            let kept: Vec<_> = wrong.iter().take(KEPT_MISORDERS)
                .map(|pair| Misorder { before: key(pair[0]), after: key(pair[1]) }).collect();
            prop_assert_eq!(check.misorders, kept);
        }

        #[test]
        fn joined_checks_equal_one_check_of_all_rows(
            keys in proptest::collection::vec(any::<u8>(), 0..80),
            mut cuts in proptest::collection::vec(0usize..81, 0..5),
        ) {
            let rows: Vec<u8> = keys.iter().flat_map(|key| row(*key)).collect();
            let mut whole = RowCheck::default();
            whole.add(&rows);
            cuts.iter_mut().for_each(|cut| *cut = (*cut).min(keys.len()));
            cuts.extend([0, keys.len()]);
            cuts.sort_unstable();
            let mut joined = RowCheck::default();
            for pair in cuts.windows(2) {
                let mut part = RowCheck::default();
                part.add(&rows[pair[0] * ROW..pair[1] * ROW]);
                joined.append(&part);
            }
            prop_assert_eq!(joined, whole);
        }
    }
}

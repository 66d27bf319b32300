//! TeraGen's rows: their layout, the random numbers of their keys, and their division into map tasks.
//!
//! The layout is that of gensort 1.1's binary records, which Hadoop's TeraGen writes: a 10-byte key,
//! `00 11`, the row number in 32 upper-case hexadecimal digits, `88 99 AA BB`, 48 filler bytes, and
//! `CC DD EE FF`. Key and filler come from one 128-bit random number per row.

use std::ops::Range;

/// The length of a row in bytes.
pub const ROW: usize = 100;

/// The length of a row's key, its first bytes.
pub const KEY: usize = 10;

/// The random numbers' multiplier, from gensort's `rand16.c`.
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// The random numbers' increment; as the first number it makes the key of row 0 `JimGrayRIP`.
const INCREMENT: u128 = 0x4a69_6d47_7261_7952_4950_2020_2020_2001;

/// The linear congruential generator modulo 2^128 whose n-th number makes row n.
#[derive(Clone, Debug)]
pub struct RowRandom(u128);

impl RowRandom {
    /// The generator whose next number belongs to row `row`.
    ///
    /// Skipping n rows is the affine map x -> a x + c applied n times; squaring that map for each bit
    /// of n reaches any row in at most 64 steps.
    pub fn at(row: u64) -> Self {
        let (mut factor, mut offset) = (MULTIPLIER, INCREMENT);
        let mut state = 0u128;
        let mut remaining = row;
        while remaining > 0 {
            if remaining & 1 == 1 {
                state = state.wrapping_mul(factor).wrapping_add(offset);
            }
            offset = factor.wrapping_add(1).wrapping_mul(offset);
            factor = factor.wrapping_mul(factor);
            remaining >>= 1;
        }
        Self(state)
    }

    /// The next row's number.
    #[inline]
    pub fn draw(&mut self) -> u128 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        self.0
    }
}

/// The rows of map task `task` of `tasks`, divided as by Hadoop's TeraGen.
///
/// Task i ends at ceil(rows (i + 1) / tasks) in double precision, as in Hadoop, so the files are identical to
/// Hadoop's. If a double cannot represent the product, Hadoop may exceed the last row; here the bounds are limited
/// to `rows`.
pub fn map_rows(rows: u64, task: u32, tasks: u32) -> Range<u64> {
    let end = |tasks_before: u32| {
        if tasks_before == tasks {
            rows
        } else {
            ((rows as f64 * f64::from(tasks_before) / f64::from(tasks)).ceil() as u64).min(rows)
        }
    };
    end(task)..end(task + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn row_0_has_the_key_of_jim_gray() {
        assert_eq!(&RowRandom::at(0).draw().to_be_bytes()[..KEY], b"JimGrayRIP");
    }

    #[test]
    fn rows_are_split_at_the_ceiling() {
        let ends: Vec<u64> = (0..4).map(|task| map_rows(10, task, 4).end).collect();
        assert_eq!(ends, [3, 5, 8, 10]);
        assert_eq!(map_rows(0, 0, 1), 0..0);
        // More tasks than rows: the first task of each group has the row, as in Hadoop.
        let lengths: Vec<usize> = (0..6).map(|task| map_rows(3, task, 6).count()).collect();
        assert_eq!(lengths, [1, 0, 1, 0, 1, 0]);
    }

    proptest! {
        #[test]
        fn skipping_ahead_equals_drawing(row in 0u64..3000) {
            let mut walked = RowRandom::at(0);
            for _ in 0..row {
                walked.draw();
            }
            prop_assert_eq!(walked.draw(), RowRandom::at(row).draw());
        }

        #[test]
        fn skipping_ahead_adds_up(row in 0u64..u64::MAX - 1000, more in 0u64..1000) {
            let mut walked = RowRandom::at(row);
            for _ in 0..more {
                walked.draw();
            }
            prop_assert_eq!(walked.draw(), RowRandom::at(row + more).draw());
        }

        #[test]
        fn the_tasks_cover_the_rows_once(rows in any::<u64>(), tasks in 1u32..2000) {
            let mut next = 0;
            for task in 0..tasks {
                let range = map_rows(rows, task, tasks);
                prop_assert_eq!(range.start, next);
                prop_assert!(range.end >= range.start);
                next = range.end;
            }
            prop_assert_eq!(next, rows);
        }
    }
}

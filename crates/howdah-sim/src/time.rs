//! Simulated time in integer nanoseconds, so identical runs are identical to the last byte.

use std::ops::{Add, Sub};

/// Nanoseconds since the start of the simulated run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

/// Nanoseconds in a second.
pub const SECOND: i64 = 1_000_000_000;

/// Longest span of a run: 100 years, far below the overflow of a sum of nanoseconds.
pub const LONGEST: i64 = 100 * 366 * 86_400 * SECOND;

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);

    /// Rounds a number of seconds to a point in time.
    ///
    /// # Panics
    /// If it is negative, not finite, or beyond [`LONGEST`].
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Time {
        Time(nanoseconds(seconds))
    }

    /// Seconds since the start of the run.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }

    /// The time this many seconds later.
    ///
    /// # Panics
    /// If the span is negative, not finite, or beyond [`LONGEST`].
    #[must_use]
    pub fn after(self, seconds: f64) -> Time {
        self + nanoseconds(seconds)
    }

    /// Seconds from an earlier time to this one.
    #[must_use]
    pub fn since(self, earlier: Time) -> f64 {
        (self - earlier) as f64 / SECOND as f64
    }
}

impl Add<i64> for Time {
    type Output = Time;

    fn add(self, nanoseconds: i64) -> Time {
        Time(self.0 + nanoseconds)
    }
}

impl Sub for Time {
    type Output = i64;

    fn sub(self, earlier: Time) -> i64 {
        self.0 - earlier.0
    }
}

fn nanoseconds(seconds: f64) -> i64 {
    let nanoseconds = seconds * SECOND as f64;
    assert!((0.0..=LONGEST as f64).contains(&nanoseconds), "a span of {seconds} s");
    nanoseconds.round() as i64
}

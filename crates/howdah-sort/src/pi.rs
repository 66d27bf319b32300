//! Hadoop's `pi`: counts the points of a Halton sequence inside a circle.
//!
//! The result is printed with twenty digits, so a single different point shows. Therefore the sequence uses exactly the
//! floating-point operations of `org.apache.hadoop.examples.QuasiMonteCarlo`, in the same order: in base 3 their rounding
//! errors add up from a map's first point to its last.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::monotonic;
use crate::context::{Context, TaskAttempt, TaskKind};
use crate::error::{Error, Result};
use crate::slots::run_tasks;

/// The number of points inside the circle; 4 × inside ÷ total estimates π.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PiReport {
    /// Points inside the circle or on it.
    pub inside: u64,
    /// All points.
    pub total: u64,
}

/// A coordinate of the Halton sequence: the van der Corput sequence in a base, with Hadoop's number of digits.
struct VanDerCorput<const BASE: u8, const DIGITS: usize> {
    value: f64,
    /// The value of each digit: BASE to the power of -1, -2, …
    weights: [f64; DIGITS],
    digits: [u8; DIGITS],
}

impl<const BASE: u8, const DIGITS: usize> VanDerCorput<BASE, DIGITS> {
    fn at(mut index: u64) -> Self {
        let mut sequence = Self { value: 0.0, weights: [0.0; DIGITS], digits: [0; DIGITS] };
        let mut weight = 1.0;
        for place in 0..DIGITS {
            weight /= f64::from(BASE);
            let digit = (index % u64::from(BASE)) as u8;
            index /= u64::from(BASE);
            sequence.weights[place] = weight;
            sequence.digits[place] = digit;
            sequence.value += f64::from(digit) * weight;
        }
        sequence
    }

    #[inline(always)]
    fn next(&mut self) -> f64 {
        let mut carried = 1.0;
        for (digit, &weight) in self.digits.iter_mut().zip(&self.weights) {
            *digit += 1;
            self.value += weight;
            if *digit < BASE {
                break;
            }
            *digit = 0;
            self.value -= carried;
            carried = weight;
        }
        self.value
    }
}

/// The two-dimensional Halton sequence in bases 2 and 3.
struct Halton {
    x: VanDerCorput<2, 63>,
    y: VanDerCorput<3, 40>,
}

impl Halton {
    /// The sequence whose first point is number `index` + 1.
    fn after(index: u64) -> Self {
        Self { x: VanDerCorput::at(index), y: VanDerCorput::at(index) }
    }

    /// Counts those of the next `points` that lie in the circle of radius ½ around (½, ½).
    fn count_inside(&mut self, points: u64) -> u64 {
        let mut inside = 0;
        for _ in 0..points {
            let x = self.x.next() - 0.5;
            let y = self.y.next() - 0.5;
            inside += u64::from(x * x + y * y <= 0.25);
        }
        inside
    }
}

/// Points between two checks for cancellation: a few milliseconds of work.
const BLOCK: u64 = 1 << 20;

/// Counts the same points as Hadoop's `pi`, with `slots` maps at the same time.
///
/// Progress counts samples, as nothing is read or written. It is an [`Error::Input`] if `maps` or `samples` is below 1,
/// or if there are more than 2⁶³ - 1 points.
pub fn pi(maps: u32, samples: u64, slots: usize, context: &Context) -> Result<PiReport> {
    for (name, value) in [("maps", u64::from(maps)), ("samples", samples)] {
        if value == 0 {
            return Err(Error::Input {
                subject: name.to_owned(),
                what: "is 0".to_owned(),
                hint: "give at least 1".to_owned(),
            });
        }
    }
    let total = u64::from(maps).checked_mul(samples).filter(|&total| total <= i64::MAX as u64);
    let Some(total) = total else {
        return Err(Error::Input {
            subject: "samples".to_owned(),
            what: format!("{maps} maps of {samples} samples are more points than Hadoop can number"),
            hint: format!("give at most {}", i64::MAX as u64 / u64::from(maps)),
        });
    };
    let inside = AtomicU64::new(0);
    context.expect(total);
    context.begin_phase("map");
    run_tasks(std::iter::repeat_n((), slots.max(1)), maps as usize, context, |(), slot, task, stop| {
        let start = monotonic();
        let mut halton = Halton::after(task as u64 * samples);
        let mut remaining = samples;
        while remaining > 0 {
            stop.check()?;
            let points = remaining.min(BLOCK);
            inside.fetch_add(halton.count_inside(points), Ordering::Relaxed);
            context.advance(points);
            remaining -= points;
        }
        context.finish_task(TaskAttempt::ended(TaskKind::Map, task, slot, start));
        Ok(())
    })?;
    context.end_phase();
    Ok(PiReport { inside: inside.into_inner(), total })
}

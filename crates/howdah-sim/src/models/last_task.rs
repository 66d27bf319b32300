//! When the last of many tasks ends, told from the ends of a part of them.
//!
//! A task's time is a sum of many things that chance decides, so ends are about normal, and of *n* of them the *i*-th
//! from the last lies at the quantile *(i − 3/8)/(n + 1/4)* from above (G. Blom, *Statistical Estimates and Transformed
//! Beta-Variables*, 1958). How far the later ends lie apart tells how much later the last of more tasks ends.

/// A task that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) end_s: f64,
    /// What it read or wrote.
    pub(crate) bytes: f64,
}

/// Share of the ends, from the last, that tells how they are spread: the tail is what is asked for.
const TAIL: f64 = 0.25;

/// With fewer ends in the tail nothing is told.
const FEWEST: usize = 4;

/// Seconds by which the last of so many times as many tasks ends after the last of these, the largest of all among them.
///
/// So what ends later because it is larger is there. What is told is chance alone, as if all tasks were of one size, and of
/// that as much as it has in how far the ends lie apart: the unluckiest task is seldom the largest.
pub(crate) fn later_s(tasks: &[Ended], times: f64) -> f64 {
    let all = tasks.len() as f64;
    let tail = (all * TAIL) as usize;
    if tail < FEWEST {
        return 0.0;
    }
    let mean = |of: &dyn Fn(&Ended) -> f64| tasks.iter().map(of).sum::<f64>() / all;
    let (mean_bytes, mean_s) = (mean(&|task| task.bytes), mean(&|task| task.end_s));
    let both = mean(&|task| (task.bytes - mean_bytes) * (task.end_s - mean_s));
    let square = mean(&|task| (task.bytes - mean_bytes) * (task.bytes - mean_bytes));
    let s_per_byte = if square > 0.0 { both / square } else { 0.0 };
    let of_one_size = |task: &Ended| task.end_s - s_per_byte * (task.bytes - mean_bytes);
    let apart_s = spread_s(tasks.iter().map(|task| task.end_s).collect(), tail);
    let chance_s = spread_s(tasks.iter().map(of_one_size).collect(), tail);
    if apart_s <= 0.0 {
        return 0.0;
    }
    chance_s * (chance_s / apart_s).min(1.0) * (above(1.0, all * times) - above(1.0, all))
}

/// Standard deviation of normal numbers of which these are some, told by so many of the greatest.
fn spread_s(mut ends_s: Vec<f64>, tail: usize) -> f64 {
    let all = ends_s.len() as f64;
    ends_s.sort_by(|one, other| other.total_cmp(one));
    let expected: Vec<f64> = (1..=tail).map(|place| above(place as f64, all)).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (middle, middle_s) = (mean(&expected), mean(&ends_s[..tail]));
    let (mut both, mut square) = (0.0, 0.0);
    for (&place, &end_s) in expected.iter().zip(&ends_s) {
        both += (place - middle) * (end_s - middle_s);
        square += (place - middle) * (place - middle);
    }
    both / square
}

/// Where the place-th of so many from above lies, in standard deviations over the mean; of the upper half.
///
/// (M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions*, 1964, 26.2.23; right to 4.5·10⁻⁴.)
fn above(place: f64, all: f64) -> f64 {
    let share = (place - 0.375) / (all + 0.25);
    let root = (-2.0 * share.ln()).sqrt();
    let up = 2.515_517 + root * (0.802_853 + root * 0.010_328);
    let down = 1.0 + root * (1.432_788 + root * (0.189_269 + root * 0.001_308));
    root - up / down
}

#[cfg(test)]
mod tests {
    use super::{Ended, above, later_s};
    use crate::random::Random;

    fn tasks(ends_s: &[f64]) -> Vec<Ended> {
        ends_s.iter().map(|&end_s| Ended { end_s, bytes: 1e6 }).collect()
    }

    #[test]
    fn places_are_those_of_a_table_of_the_normal_distribution() {
        // The first of one is the median, and 2.5 % lie above 1.96.
        assert!(above(1.0, 1.0).abs() < 1e-3);
        assert!((above(0.375 + 0.025 * 100.25, 100.0) - 1.96).abs() < 1e-3);
    }

    #[test]
    fn the_last_of_four_times_as_many_is_told_from_a_quarter_of_them() {
        let mut random = Random::new(1, "ends", 0);
        let mut error_s = 0.0;
        for _ in 0..200 {
            let ends_s: Vec<f64> = (0..640).map(|_| 1000.0 + 30.0 * random.normal()).collect();
            let last = |ends_s: &[f64]| ends_s.iter().copied().fold(0.0, f64::max);
            let part = ends_s[..160].to_vec();
            error_s += (last(&part) + later_s(&tasks(&part), 4.0) - last(&ends_s)) / 200.0;
        }
        assert!(error_s.abs() < 1.5, "{error_s} s off");
    }

    #[test]
    fn of_few_ends_or_of_all_nothing_is_later() {
        assert_eq!(later_s(&tasks(&[3.0; 12]), 4.0), 0.0);
        let ends_s: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!(later_s(&tasks(&ends_s), 1.0), 0.0);
    }

    #[test]
    fn sizes_that_differ_are_no_chance() {
        let task = |place: u32| {
            let size = 1.0 + f64::from(place) / 100.0;
            Ended { end_s: 10.0 * size, bytes: 1e6 * size }
        };
        let tasks: Vec<Ended> = (0..100).map(task).collect();
        assert!(later_s(&tasks, 4.0) < 1e-6);
    }
}

//! When the last of many tasks ends, extrapolated from the ends of a part of them.
//!
//! A task's duration is the sum of many random times, so ends are approximately normal, and the *i*-th last of *n* ends is
//! at the upper quantile *(i − 3/8)/(n + 1/4)* (G. Blom, *Statistical Estimates and Transformed Beta-Variables*, 1958).
//! The spread of the late ends shows how much later the last of more tasks ends.

/// A task that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedTask {
    pub(crate) end_s: f64,
    /// Bytes read or written.
    pub(crate) bytes: f64,
}

/// Share of the ends, from the last, whose spread is measured: the tail matters.
const TAIL: f64 = 0.25;

/// With fewer ends in the tail there is no extrapolation.
const MIN_TAIL: usize = 4;

/// Seconds by which the last of `scale` times as many tasks ends after the last of these.
///
/// The largest task is among these, so a delay because of its size has been simulated. The result is the random part
/// only, as if all tasks had the same size, multiplied by this part's share of the spread: the unluckiest task is rarely
/// the largest.
pub(crate) fn delay_s(tasks: &[EndedTask], scale: f64) -> f64 {
    let count = tasks.len() as f64;
    let tail = (count * TAIL) as usize;
    if tail < MIN_TAIL {
        return 0.0;
    }
    let mean = |value: &dyn Fn(&EndedTask) -> f64| tasks.iter().map(value).sum::<f64>() / count;
    let (mean_bytes, mean_s) = (mean(&|task| task.bytes), mean(&|task| task.end_s));
    let covariance = mean(&|task| (task.bytes - mean_bytes) * (task.end_s - mean_s));
    let variance = mean(&|task| (task.bytes - mean_bytes) * (task.bytes - mean_bytes));
    let s_per_byte = if variance > 0.0 { covariance / variance } else { 0.0 };
    let of_mean_size = |task: &EndedTask| task.end_s - s_per_byte * (task.bytes - mean_bytes);
    let total_s = spread_s(tasks.iter().map(|task| task.end_s).collect(), tail);
    let random_s = spread_s(tasks.iter().map(of_mean_size).collect(), tail);
    if total_s <= 0.0 {
        return 0.0;
    }
    random_s * (random_s / total_s).min(1.0) * (normal_score(1.0, count * scale) - normal_score(1.0, count))
}

/// Standard deviation of normally distributed ends, estimated from the `tail` greatest.
fn spread_s(mut ends_s: Vec<f64>, tail: usize) -> f64 {
    let count = ends_s.len() as f64;
    ends_s.sort_by(|left, right| right.total_cmp(left));
    let scores: Vec<f64> = (1..=tail).map(|rank| normal_score(rank as f64, count)).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_score, mean_s) = (mean(&scores), mean(&ends_s[..tail]));
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (&score, &end_s) in scores.iter().zip(&ends_s) {
        covariance += (score - mean_score) * (end_s - mean_s);
        variance += (score - mean_score) * (score - mean_score);
    }
    covariance / variance
}

/// Expected value of the `rank`-th greatest of `count` standard normal numbers, in the upper half.
///
/// (M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions*, 1964, 26.2.23; right to 4.5·10⁻⁴.)
fn normal_score(rank: f64, count: f64) -> f64 {
    let share = (rank - 0.375) / (count + 0.25);
    let root = (-2.0 * share.ln()).sqrt();
    let up = 2.515_517 + root * (0.802_853 + root * 0.010_328);
    let down = 1.0 + root * (1.432_788 + root * (0.189_269 + root * 0.001_308));
    root - up / down
}

#[cfg(test)]
mod tests {
    use super::{EndedTask, delay_s, normal_score};
    use crate::random::Random;

    fn tasks(ends_s: &[f64]) -> Vec<EndedTask> {
        ends_s.iter().map(|&end_s| EndedTask { end_s, bytes: 1e6 }).collect()
    }

    #[test]
    fn scores_match_a_table_of_the_normal_distribution() {
        // One number is expected at the median, and 2.5 % are above 1.96.
        assert!(normal_score(1.0, 1.0).abs() < 1e-3);
        assert!((normal_score(0.375 + 0.025 * 100.25, 100.0) - 1.96).abs() < 1e-3);
    }

    #[test]
    fn a_quarter_of_the_tasks_predicts_the_last_of_all() {
        let mut random = Random::new(1, "ends", 0);
        let mut error_s = 0.0;
        for _ in 0..200 {
            let ends_s: Vec<f64> = (0..640).map(|_| 1000.0 + 30.0 * random.normal()).collect();
            let last = |ends_s: &[f64]| ends_s.iter().copied().fold(0.0, f64::max);
            let part = ends_s[..160].to_vec();
            error_s += (last(&part) + delay_s(&tasks(&part), 4.0) - last(&ends_s)) / 200.0;
        }
        assert!(error_s.abs() < 1.5, "{error_s} s off");
    }

    #[test]
    fn few_ends_or_all_ends_give_no_delay() {
        assert_eq!(delay_s(&tasks(&[3.0; 12]), 4.0), 0.0);
        let ends_s: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!(delay_s(&tasks(&ends_s), 1.0), 0.0);
    }

    #[test]
    fn different_sizes_are_not_random() {
        let task = |rank: u32| {
            let size = 1.0 + f64::from(rank) / 100.0;
            EndedTask { end_s: 10.0 * size, bytes: 1e6 * size }
        };
        let tasks: Vec<EndedTask> = (0..100).map(task).collect();
        assert!(delay_s(&tasks, 4.0) < 1e-6);
    }
}

//! TeraSort's sampling: before the job is submitted its client reads keys from a few splits, sorts them and writes the
//! partitions' bounds. Two million keys took about 5 s (vSphere 6 study); no task runs meanwhile.
//!
//! The bounds of a partition are sampled keys *S/R* samples apart, so its share of the rows has the spread of
//! a gamma distribution of that shape: a standard deviation of *√(R/S)* relative to the mean.

use crate::parameters::Parameters;
use crate::random::Random;
use crate::scenario::Job;

/// Seconds of sampling.
pub(crate) fn seconds(job: &Job, rows: u64, parameters: &Parameters) -> f64 {
    job.partition_samples.min(rows) as f64 * parameters.sample_s
}

/// Rows of each simulated reduce's partition if the cluster has `scale` times as many reduces.
pub(crate) fn partitions(job: &Job, rows: u64, reduces: u32, scale: f64, seed: u64) -> Vec<u64> {
    let samples = job.partition_samples.min(rows).max(1) as f64;
    let count = (f64::from(reduces) * scale).round() as u32;
    let spread = (f64::from(count) / samples).sqrt().min(1.0);
    let mut random = Random::new(seed, "partitions", 0);
    let weights: Vec<f64> = (0..count).map(|_| (1.0 + spread * random.normal()).max(0.0)).collect();
    let weights = if count > reduces { representatives(weights, reduces, &mut random) } else { weights };
    let total: f64 = weights.iter().sum();
    let mut before = 0.0;
    let mut bound = 0;
    let cut = weights.into_iter().enumerate().map(|(number, weight)| {
        before += weight;
        let last = number + 1 == reduces as usize;
        let next = if last { rows } else { ((before / total) * rows as f64) as u64 }.clamp(bound, rows);
        let partition = next - bound;
        bound = next;
        partition
    });
    cut.collect()
}

/// `count` of the weights, evenly spaced from the least to the greatest, on which all reduces depend; in random order.
fn representatives(mut weights: Vec<f64>, count: u32, random: &mut Random) -> Vec<f64> {
    weights.sort_by(f64::total_cmp);
    let step = weights.len() as f64 / f64::from(count);
    let mut chosen: Vec<f64> =
        (0..count).map(|number| weights[((f64::from(number) + 0.5) * step) as usize]).collect();
    if let Some(greatest) = chosen.last_mut() {
        *greatest = weights[weights.len() - 1];
    }
    random.shuffle(&mut chosen);
    chosen
}

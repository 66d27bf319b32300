//! Which server a record's region is on: even but for the hottest records, each of which is on one server alone.

use crate::random::Random;

use super::keys::hottest;
use super::scenario::{Distribution, Program};

/// Records that are told apart; the thousandth of a zipfian table is asked for once in 25,000 times.
const APART: usize = 1_000;

/// The servers' shares of all requests, summed up.
#[derive(Clone, Debug)]
pub(crate) struct Regions {
    until: Vec<f64>,
}

impl Regions {
    /// Of a table whose regions are dealt out to so many servers in turn.
    pub(crate) fn new(program: &Program, servers: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, "hbase-regions", 0);
        let regions = program.regions as usize;
        let each: Vec<f64> = (0..servers)
            .map(|server| {
                (regions / servers + usize::from(server < regions % servers)) as f64 / regions as f64
            })
            .collect();
        let hot = match program.distribution {
            // What is asked for most is another record with each that is added.
            Distribution::Latest => Vec::new(),
            other => hottest(other, program.records as f64, APART),
        };
        let rest = 1.0 - hot.iter().sum::<f64>();
        let mut shares: Vec<f64> = each.iter().map(|share| share * rest).collect();
        for share in hot {
            shares[random.below(program.regions.into()) as usize % servers] += share;
        }
        let mut sum = 0.0;
        let until = shares.into_iter().map(|share| {
            sum += share;
            sum
        });
        Self { until: until.collect() }
    }

    /// The server of a request.
    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let at = random.unit() * self.until.last().copied().unwrap_or(1.0);
        self.until.partition_point(|&until| until <= at).min(self.until.len() - 1)
    }
}

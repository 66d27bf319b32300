//! The distribution of requests over servers: even, except for the hottest records, each of which is on one server.

use crate::random::Random;

use super::popularity::hottest;
use super::scenario::{Distribution, Program};

/// The number of hottest records; the thousandth of a zipfian table gets one of 25,000 requests.
const HOT_RECORDS: usize = 1_000;

/// The servers' cumulative shares of all requests.
#[derive(Clone, Debug)]
pub(crate) struct Regions {
    cumulative: Vec<f64>,
}

impl Regions {
    /// The shares of a table's regions, which are assigned to the servers in turn.
    pub(crate) fn new(program: &Program, servers: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, "hbase-regions", 0);
        let regions = program.regions as usize;
        let region_shares: Vec<f64> = (0..servers)
            .map(|server| {
                (regions / servers + usize::from(server < regions % servers)) as f64 / regions as f64
            })
            .collect();
        let hot = match program.distribution {
            // The most popular record changes with every insert.
            Distribution::Latest => Vec::new(),
            distribution => hottest(distribution, program.records as f64, HOT_RECORDS),
        };
        let rest = 1.0 - hot.iter().sum::<f64>();
        let mut shares: Vec<f64> = region_shares.iter().map(|share| share * rest).collect();
        for share in hot {
            shares[random.below(program.regions.into()) as usize % servers] += share;
        }
        let mut sum = 0.0;
        let cumulative = shares.into_iter().map(|share| {
            sum += share;
            sum
        });
        Self { cumulative: cumulative.collect() }
    }

    /// The server of a request.
    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let uniform = random.unit() * self.cumulative.last().copied().unwrap_or(1.0);
        self.cumulative.partition_point(|&share| share <= uniform).min(self.cumulative.len() - 1)
    }
}

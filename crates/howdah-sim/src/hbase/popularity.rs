//! The popularity of records and blocks, and the hit ratio of a cache.
//!
//! YCSB's zipfian generator draws a rank among 10¹⁰ items with an exponent of 0.99 and hashes it onto the table's
//! records (`ScrambledZipfianGenerator`, YCSB 0.17). So the hottest records lie anywhere, and the remaining ranks are
//! spread evenly. `latest` has the ranks of the table itself. A block is as popular as its records together.
//!
//! The hit ratio of an LRU cache of *C* blocks follows from its characteristic time *T*, for which
//! *Σ (1 − exp(−qT)) = C* over the blocks' popularities *q*: the hit ratio is *Σ q·(1 − exp(−qT))* (H. Che, Y. Tung and
//! Z. Wang, *Hierarchical web caching systems*, IEEE JSAC 20, 2002).

use super::scenario::Distribution;

const EXPONENT: f64 = 0.99;
/// YCSB's scrambled generator draws from 10¹⁰ items; this is the sum of their ranks' powers (its `ZETAN`).
const ZETA: f64 = 26.469_028_201_783_02;
/// Ranks with a group each; later ranks are grouped by hundredths of their logarithm.
const EXACT_RANKS: usize = 1_000;
const GROWTH: f64 = 1.01;

/// Blocks with the same popularity.
#[derive(Clone, Copy, Debug)]
struct BlockGroup {
    blocks: f64,
    /// The share of all requests for each of them.
    popularity: f64,
}

/// The distribution of requests over the blocks of a table.
#[derive(Clone, Debug)]
pub(crate) struct Popularity {
    groups: Vec<BlockGroup>,
    blocks: f64,
}

impl Popularity {
    /// The popularity of blocks with `records_per_block` of a table's `records`.
    pub(crate) fn new(distribution: Distribution, records: f64, records_per_block: f64) -> Self {
        let blocks = (records / records_per_block).max(1.0);
        let zeta = match distribution {
            Distribution::Uniform => f64::INFINITY,
            Distribution::Zipfian => ZETA,
            Distribution::Latest => ranks_sum(records),
        };
        let mut ranked: Vec<BlockGroup> = Vec::new();
        let (mut rank, mut mass) = (1.0, 0.0);
        while rank <= blocks && zeta.is_finite() {
            let next = if ranked.len() < EXACT_RANKS { rank + 1.0 } else { (rank * GROWTH).ceil() }
                .min(blocks.floor() + 1.0);
            let count = next - rank;
            let popularity = (rank + (count - 1.0) / 2.0).powf(-EXPONENT) / zeta;
            ranked.push(BlockGroup { blocks: count, popularity });
            mass += count * popularity;
            rank = next;
        }
        // The sum may exceed 1 by rounding errors.
        let even = (1.0 - mass).max(0.0) / blocks;
        let ranked_blocks: f64 = ranked.iter().map(|group| group.blocks).sum();
        let mut groups: Vec<BlockGroup> = ranked
            .into_iter()
            .map(|group| BlockGroup { popularity: group.popularity + even, ..group })
            .collect();
        if blocks > ranked_blocks {
            groups.push(BlockGroup { blocks: blocks - ranked_blocks, popularity: even });
        }
        Self { groups, blocks }
    }

    /// The share of requests that a cache of `blocks` blocks answers.
    pub(crate) fn hit_ratio(&self, blocks: f64) -> f64 {
        if blocks >= self.blocks {
            return 1.0;
        }
        if blocks <= 0.0 {
            return 0.0;
        }
        let cached = |time: f64| -> f64 {
            self.groups.iter().map(|group| group.blocks * -(-group.popularity * time).exp_m1()).sum()
        };
        let (mut low, mut high) = (0.0, 1.0);
        while cached(high) < blocks && high < 1e18 {
            high *= 2.0;
        }
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if cached(middle) < blocks { low = middle } else { high = middle }
        }
        let hits = self
            .groups
            .iter()
            .map(|group| group.blocks * group.popularity * -(-group.popularity * high).exp_m1());
        hits.sum::<f64>().min(1.0)
    }
}

/// The sum of the ranks' powers: exact for the first, by the integral for the others.
fn ranks_sum(count: f64) -> f64 {
    let exactly = count.min(1e4) as u32;
    let first: f64 = (1..=exactly).map(|rank| f64::from(rank).powf(-EXPONENT)).sum();
    let power = 1.0 - EXPONENT;
    first + (count.powf(power) - f64::from(exactly).powf(power)) / power
}

/// The shares of all requests for the hottest records, in descending order.
pub(crate) fn hottest(distribution: Distribution, records: f64, count: usize) -> Vec<f64> {
    let zeta = match distribution {
        Distribution::Uniform => return Vec::new(),
        Distribution::Zipfian => ZETA,
        Distribution::Latest => ranks_sum(records),
    };
    (1..=count.min(records as usize)).map(|rank| (rank as f64).powf(-EXPONENT) / zeta).collect()
}

#[cfg(test)]
mod tests {
    use super::{Popularity, ranks_sum};
    use crate::hbase::scenario::Distribution;

    #[test]
    fn the_hit_ratio_of_even_requests_is_the_cached_share() {
        let popularity = Popularity::new(Distribution::Uniform, 1e6, 50.0);
        for share in [0.1, 0.5, 0.9] {
            assert!((popularity.hit_ratio(share * 20_000.0) - share).abs() < 1e-9);
        }
    }

    #[test]
    fn the_hit_ratio_grows_with_the_cache_from_0_to_1() {
        for distribution in [Distribution::Zipfian, Distribution::Uniform, Distribution::Latest] {
            let popularity = Popularity::new(distribution, 3e8, 40.0);
            let ratios: Vec<f64> =
                (0..=20).map(|step| popularity.hit_ratio(f64::from(step) / 20.0 * 7.5e6)).collect();
            assert!(ratios.is_sorted(), "{distribution:?}: {ratios:?}");
            assert_eq!((ratios[0], ratios[20]), (0.0, 1.0));
        }
    }

    #[test]
    fn the_most_popular_records_are_cached_first() {
        let tenth = |distribution| Popularity::new(distribution, 1e6, 1.0).hit_ratio(1e5);
        assert!(tenth(Distribution::Zipfian) > 0.4 && tenth(Distribution::Latest) > 0.7);
        // YCSB's constant for its 10 billion items.
        assert!((ranks_sum(1e10) - super::ZETA).abs() < 1e-3);
    }
}

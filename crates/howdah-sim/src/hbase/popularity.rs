//! Which records are asked for, and how many of the asked blocks memory holds.
//!
//! YCSB's zipfian generator draws a rank among 10¹⁰ items with an exponent of 0.99 and hashes it onto the table's
//! records (`ScrambledZipfianGenerator`, YCSB 0.17), so that the hottest records lie anywhere, and what is left of the
//! ranks is spread evenly. `latest` has the ranks of the table itself. A block is asked for as often as the records in it.
//!
//! What an LRU cache of *C* of the blocks holds of what is asked for follows from its characteristic time *T*, for which
//! *Σ (1 − exp(−qT)) = C* over the blocks' popularities *q*: it holds *Σ q·(1 − exp(−qT))* (H. Che, Y. Tung and Z. Wang,
//! *Hierarchical web caching systems*, IEEE JSAC 20, 2002).

use super::scenario::Distribution;

const EXPONENT: f64 = 0.99;
/// Items that YCSB's scrambled generator draws from, and the sum of their ranks' powers (its `ZETAN`).
const ZETA: f64 = 26.469_028_201_783_02;
/// Ranks told apart one by one; those beyond are put together by hundredths of their logarithm.
const APART: usize = 1_000;
const GROWTH: f64 = 1.01;

/// Blocks that are asked for equally often.
#[derive(Clone, Copy, Debug)]
struct Alike {
    blocks: f64,
    /// Share of all requests that is for each.
    popularity: f64,
}

/// How requests are spread over the blocks of a table.
#[derive(Clone, Debug)]
pub(crate) struct Popularity {
    groups: Vec<Alike>,
    blocks: f64,
}

impl Popularity {
    /// Of a table of so many records, of which a block holds so many.
    pub(crate) fn new(distribution: Distribution, records: f64, each: f64) -> Self {
        let blocks = (records / each).max(1.0);
        let zeta = match distribution {
            Distribution::Uniform => f64::INFINITY,
            Distribution::Zipfian => ZETA,
            Distribution::Latest => ranks_sum(records),
        };
        let mut ranked: Vec<Alike> = Vec::new();
        let (mut rank, mut mass) = (1.0, 0.0);
        while rank <= blocks && zeta.is_finite() {
            let next = if ranked.len() < APART { rank + 1.0 } else { (rank * GROWTH).ceil() }
                .min(blocks.floor() + 1.0);
            let count = next - rank;
            let popularity = (rank + (count - 1.0) / 2.0).powf(-EXPONENT) / zeta;
            ranked.push(Alike { blocks: count, popularity });
            mass += count * popularity;
            rank = next;
        }
        // Sums in place of integrals may be off by their last digits.
        let even = (1.0 - mass).max(0.0) / blocks;
        let told: f64 = ranked.iter().map(|group| group.blocks).sum();
        let mut groups: Vec<Alike> =
            ranked.into_iter().map(|group| Alike { popularity: group.popularity + even, ..group }).collect();
        if blocks > told {
            groups.push(Alike { blocks: blocks - told, popularity: even });
        }
        Self { groups, blocks }
    }

    /// The share of requests that memory for so many blocks answers.
    pub(crate) fn held(&self, blocks: f64) -> f64 {
        if blocks >= self.blocks {
            return 1.0;
        }
        if blocks <= 0.0 {
            return 0.0;
        }
        let filled = |time: f64| -> f64 {
            self.groups.iter().map(|group| group.blocks * -(-group.popularity * time).exp_m1()).sum()
        };
        let (mut least, mut most) = (0.0, 1.0);
        while filled(most) < blocks && most < 1e18 {
            most *= 2.0;
        }
        for _ in 0..80 {
            let middle = f64::midpoint(least, most);
            if filled(middle) < blocks { least = middle } else { most = middle }
        }
        let held = self
            .groups
            .iter()
            .map(|group| group.blocks * group.popularity * -(-group.popularity * most).exp_m1());
        held.sum::<f64>().min(1.0)
    }
}

/// The sum of the ranks' powers: the first ones exactly, the others by the integral.
fn ranks_sum(count: f64) -> f64 {
    let exactly = count.min(1e4) as u32;
    let first: f64 = (1..=exactly).map(|rank| f64::from(rank).powf(-EXPONENT)).sum();
    let power = 1.0 - EXPONENT;
    first + (count.powf(power) - f64::from(exactly).powf(power)) / power
}

/// The share of all requests that is for each of the hottest records, the hottest first.
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
    fn of_what_is_asked_evenly_memory_holds_its_own_share() {
        let popularity = Popularity::new(Distribution::Uniform, 1e6, 50.0);
        for share in [0.1, 0.5, 0.9] {
            assert!((popularity.held(share * 20_000.0) - share).abs() < 1e-9);
        }
    }

    #[test]
    fn more_memory_never_holds_less_and_all_of_it_holds_all() {
        for distribution in [Distribution::Zipfian, Distribution::Uniform, Distribution::Latest] {
            let popularity = Popularity::new(distribution, 3e8, 40.0);
            let held: Vec<f64> =
                (0..=20).map(|step| popularity.held(f64::from(step) / 20.0 * 7.5e6)).collect();
            assert!(held.is_sorted(), "{distribution:?}: {held:?}");
            assert_eq!((held[0], held[20]), (0.0, 1.0));
        }
    }

    #[test]
    fn the_few_that_are_asked_for_again_and_again_are_held_first() {
        let tenth = |distribution| Popularity::new(distribution, 1e6, 1.0).held(1e5);
        assert!(tenth(Distribution::Zipfian) > 0.4 && tenth(Distribution::Latest) > 0.7);
        // The sum that YCSB keeps for its 10 billion items.
        assert!((ranks_sum(1e10) - super::ZETA).abs() < 1e-3);
    }
}

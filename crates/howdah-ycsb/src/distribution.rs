//! Chooses the record of the next operation.

use crate::acknowledged::AcknowledgedCounter;
use crate::keys::hash;
use crate::random::Random;

/// The distributions, by YCSB's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// A few popular records, scattered over the table.
    Zipfian,
    /// Every record equally often.
    Uniform,
    /// Mostly the records inserted last.
    Latest,
}

/// The exponent of Zipf's law.
const THETA: f64 = 0.99;

/// Ranks by Zipf's law: the frequency of rank n is proportional to 1 ÷ (n + 1)^0.99.
///
/// The method is that of Gray et al., "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994).
/// It is exact for the first two ranks and an approximation for the rest.
#[derive(Clone, Debug)]
pub struct Zipfian {
    items: u64,
    zeta: f64,
    eta: f64,
}

/// YCSB's scrambled distribution always draws from this many ranks, and has their sum as a constant.
const SCRAMBLED_ITEMS: u64 = 10_000_000_000;
const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;

impl Zipfian {
    /// Ranks from 0 to below `items`, which is at least 1. The sum takes time linear in `items`.
    pub fn new(items: u64) -> Self {
        Self::with_zeta(items, zeta(0, items))
    }

    fn with_zeta(items: u64, zeta_items: f64) -> Self {
        let eta = (1.0 - (2.0 / items as f64).powf(1.0 - THETA)) / (1.0 - zeta(0, 2) / zeta_items);
        Self { items, zeta: zeta_items, eta }
    }

    fn scrambled() -> Self {
        Self::with_zeta(SCRAMBLED_ITEMS, SCRAMBLED_ZETA)
    }

    /// Extends the ranks to `items`; a smaller number is ignored, since a new sum would take long.
    pub fn grow(&mut self, items: u64) {
        if items > self.items {
            *self = Self::with_zeta(items, self.zeta + zeta(self.items, items));
        }
    }

    /// The next rank; 0 is the most frequent one.
    pub fn next(&self, random: &mut Random) -> u64 {
        let uniform = random.uniform();
        let place = uniform * self.zeta;
        if place < 1.0 {
            return 0;
        }
        if place < 1.0 + 0.5f64.powf(THETA) {
            return 1.min(self.items - 1);
        }
        let rank = self.items as f64 * (self.eta * uniform - self.eta + 1.0).powf(1.0 / (1.0 - THETA));
        (rank as u64).min(self.items - 1)
    }

    /// The probability of a rank by Zipf's law.
    pub fn expected(&self, rank: u64) -> f64 {
        1.0 / ((rank + 1) as f64).powf(THETA) / self.zeta
    }
}

fn zeta(from: u64, to: u64) -> f64 {
    (from..to).map(|item| 1.0 / ((item + 1) as f64).powf(THETA)).sum()
}

/// Draws the numbers of records; each thread has its own.
#[derive(Clone)]
pub enum Chooser {
    /// Popular records lie anywhere in the space; a record that is not inserted yet is drawn again.
    Scrambled {
        /// Draws ranks.
        ranks: Zipfian,
        /// Existing records plus those expected to be inserted.
        space: u64,
    },
    /// Draws from the records that exist at the start.
    Uniform {
        /// Records at the start.
        records: u64,
    },
    /// Draws how long ago a record was inserted.
    Latest {
        /// Draws ages.
        ages: Zipfian,
    },
}

impl Chooser {
    /// A chooser for a table of `records` (at least 1) into which `expected` more will be inserted.
    ///
    /// As in YCSB the space grows by twice the expected inserts, so that the popular records stay the same.
    pub fn new(distribution: Distribution, records: u64, expected: u64) -> Self {
        match distribution {
            Distribution::Zipfian => {
                Self::Scrambled { ranks: Zipfian::scrambled(), space: records + 2 * expected }
            }
            Distribution::Uniform => Self::Uniform { records },
            Distribution::Latest => Self::Latest { ages: Zipfian::new(records) },
        }
    }

    /// A record whose insertion is acknowledged.
    pub fn next(&mut self, counter: &AcknowledgedCounter, random: &mut Random) -> u64 {
        match self {
            Self::Scrambled { ranks, space } => loop {
                let number = hash(ranks.next(random)) % *space;
                if number < counter.acknowledged() {
                    return number;
                }
            },
            Self::Uniform { records } => random.below(*records),
            Self::Latest { ages } => {
                let records = counter.acknowledged();
                ages.grow(records);
                records - 1 - ages.next(random)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_acknowledged_records_are_chosen() {
        for distribution in [Distribution::Zipfian, Distribution::Uniform, Distribution::Latest] {
            let counter = AcknowledgedCounter::new(10);
            let mut chooser = Chooser::new(distribution, 10, 100);
            let mut random = Random::new(4, 4);
            for _ in 0..100 {
                // One insert is always in flight.
                let number = counter.next();
                for _ in 0..100 {
                    assert!(chooser.next(&counter, &mut random) < number, "{distribution:?}");
                }
                counter.acknowledge(number);
            }
        }
    }

    #[test]
    fn the_latest_records_are_chosen_most_often() {
        let counter = AcknowledgedCounter::new(1000);
        let mut chooser = Chooser::new(Distribution::Latest, 1000, 0);
        let mut random = Random::new(4, 5);
        let late = (0..10_000).filter(|_| chooser.next(&counter, &mut random) >= 900).count();
        assert!((6_000..8_000).contains(&late), "{late}");
    }
}

//! Which record is asked for next.

use crate::inserted::Inserted;
use crate::keys::hash;
use crate::random::Random;

/// The distributions, in YCSB's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// A few of all records again and again, wherever they lie.
    Zipfian,
    /// All alike.
    Uniform,
    /// Those that were inserted last.
    Latest,
}

/// How much more often than the n-th an item is asked for: n to this power.
const THETA: f64 = 0.99;

/// Ranks by Zipf's law: rank n is asked for as often as 1 ÷ (n + 1)^0.99 says.
///
/// The method is that of Gray et al., "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994),
/// which is exact for the first two ranks and near for the others.
#[derive(Clone, Debug)]
pub struct Zipfian {
    items: u64,
    zeta: f64,
    eta: f64,
}

/// The sum for so many items, which YCSB's scrambled distribution draws ranks from whatever a table holds.
const SCRAMBLED_ITEMS: u64 = 10_000_000_000;
const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;

impl Zipfian {
    /// Ranks from 0 to below `items`, which is at least 1; the sum takes a moment for millions.
    pub fn new(items: u64) -> Self {
        Self::summed(items, sum(0, items))
    }

    fn summed(items: u64, zeta: f64) -> Self {
        let eta = (1.0 - (2.0 / items as f64).powf(1.0 - THETA)) / (1.0 - sum(0, 2) / zeta);
        Self { items, zeta, eta }
    }

    fn scrambled() -> Self {
        Self::summed(SCRAMBLED_ITEMS, SCRAMBLED_ZETA)
    }

    /// Takes items more into account; fewer are ignored, since summing again would take long.
    pub fn grow(&mut self, items: u64) {
        if items > self.items {
            *self = Self::summed(items, self.zeta + sum(self.items, items));
        }
    }

    /// The next rank; 0 is the most frequent one.
    pub fn next(&self, random: &mut Random) -> u64 {
        let share = random.share();
        let place = share * self.zeta;
        if place < 1.0 {
            return 0;
        }
        if place < 1.0 + 0.5f64.powf(THETA) {
            return 1.min(self.items - 1);
        }
        let rank = self.items as f64 * (self.eta * share - self.eta + 1.0).powf(1.0 / (1.0 - THETA));
        (rank as u64).min(self.items - 1)
    }

    /// What share of all draws a rank is by Zipf's law.
    pub fn expected(&self, rank: u64) -> f64 {
        1.0 / ((rank + 1) as f64).powf(THETA) / self.zeta
    }
}

fn sum(from: u64, to: u64) -> f64 {
    (from..to).map(|item| 1.0 / ((item + 1) as f64).powf(THETA)).sum()
}

/// Draws the numbers of records; each thread has its own.
#[derive(Clone)]
pub enum Chooser {
    /// Popular records lie anywhere in a space of so many; those not yet inserted are drawn again.
    Scrambled {
        /// Draws ranks.
        ranks: Zipfian,
        /// Records there are, and those that are expected to be inserted.
        space: u64,
    },
    /// Draws from the records of the start.
    Uniform {
        /// How many these were.
        records: u64,
    },
    /// Draws how long ago a record was inserted.
    Latest {
        /// Draws ages.
        ages: Zipfian,
    },
}

impl Chooser {
    /// Of a table with so many records, at least 1, of which `expected` more are going to be inserted.
    ///
    /// As in YCSB the space of popular records is made twice as much larger, so that the popular ones stay so.
    pub fn new(distribution: Distribution, records: u64, expected: u64) -> Self {
        match distribution {
            Distribution::Zipfian => {
                Self::Scrambled { ranks: Zipfian::scrambled(), space: records + 2 * expected }
            }
            Distribution::Uniform => Self::Uniform { records },
            Distribution::Latest => Self::Latest { ages: Zipfian::new(records) },
        }
    }

    /// A record whose insertion has been acknowledged.
    pub fn next(&mut self, inserted: &Inserted, random: &mut Random) -> u64 {
        match self {
            Self::Scrambled { ranks, space } => loop {
                let number = hash(ranks.next(random)) % *space;
                if number < inserted.acknowledged() {
                    return number;
                }
            },
            Self::Uniform { records } => random.below(*records),
            Self::Latest { ages } => {
                let there = inserted.acknowledged();
                ages.grow(there);
                there - 1 - ages.next(random)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_asks_for_what_is_not_there_yet() {
        for distribution in [Distribution::Zipfian, Distribution::Uniform, Distribution::Latest] {
            let inserted = Inserted::new(10);
            let mut chooser = Chooser::new(distribution, 10, 100);
            let mut random = Random::new(4, 4);
            for _ in 0..100 {
                // One more is being inserted all the time.
                let number = inserted.next();
                for _ in 0..100 {
                    assert!(chooser.next(&inserted, &mut random) < number, "{distribution:?}");
                }
                inserted.acknowledge(number);
            }
        }
    }

    #[test]
    fn the_latest_are_asked_for_most() {
        let inserted = Inserted::new(1000);
        let mut chooser = Chooser::new(Distribution::Latest, 1000, 0);
        let mut random = Random::new(4, 5);
        let late = (0..10_000).filter(|_| chooser.next(&inserted, &mut random) >= 900).count();
        assert!((6_000..8_000).contains(&late), "{late}");
    }
}
